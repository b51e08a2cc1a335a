// SPDX-License-Identifier: MIT
/* Driver of the two-channel thermometer on the sensor bus. */

#include <linux/i2c.h>
#include <linux/module.h>
#include <linux/regmap.h>

#define THERM_REG_ID		0x00
#define THERM_REG_CONTROL	0x01
#define THERM_REG_CHANNEL(n)	(0x10 + (n) * 2)

struct therm_data {
	struct regmap *map;
	struct mutex lock;
	unsigned int rate;
	s16 last[2];
};

static int therm_read_channel(struct therm_data *data,
			      int channel, long *value)
{
	unsigned int raw;
	int ret;

	mutex_lock(&data->lock);
	ret = regmap_read(data->map, THERM_REG_CHANNEL(channel), &raw);
	if (ret < 0) {
		dev_err(regmap_get_device(data->map),
			"channel %d does not answer: %d\n",
			channel, ret);
		goto out_unlock;
	}
	data->last[channel] = sign_extend32(raw, 11);
	*value = data->last[channel] * 625 / 10;
out_unlock:
	mutex_unlock(&data->lock);
	return ret;
}

static int therm_set_rate(struct therm_data *data, unsigned int rate)
{
	static const unsigned int rates[] = { 1, 4, 16, 64 };
	int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		if (rates[i] >= rate) {
			data->rate = rates[i];
			return regmap_update_bits(data->map,
						  THERM_REG_CONTROL,
						  GENMASK(3, 2), i << 2);
		}
	}
	return -EINVAL;
}

static const struct regmap_config therm_regmap_config = {
	.reg_bits = 8,
	.val_bits = 16,
	.max_register = 0x1f,
};

static int therm_probe(struct i2c_client *client)
{
	struct device *dev = &client->dev;
	struct therm_data *data;
	unsigned int id;

	data = devm_kzalloc(dev, sizeof(*data), GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	data->map = devm_regmap_init_i2c(client, &therm_regmap_config);
	if (IS_ERR(data->map))
		return dev_err_probe(dev, PTR_ERR(data->map),
				     "failed to initialise the register map\n");
	if (regmap_read(data->map, THERM_REG_ID, &id) || id != 0x5a) {
		dev_warn(dev, "identifier %#x is none of ours\n", id);
		return -ENODEV;
	}
	mutex_init(&data->lock);
	i2c_set_clientdata(client, data);
	return therm_set_rate(data, 16);
}
