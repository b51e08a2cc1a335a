"""Charts of measurements, with one panel for each sensor."""

import argparse
import math

from charts import Axis, Figure, Legend, Panel
from readings import load_readings, resample

COLOURS = {"indoor":  "#d95f02",
           "outdoor": "#1b9e77",
           "cellar":  "#7570b3"}


def build_panel(sensor, readings, *, width=640,
                height=200, smooth=False):
    axis = Axis(minimum=min(reading.value for reading in readings),
                maximum=max(reading.value for reading in readings),
                unit=sensor.unit)
    panel = Panel(sensor.name,
                  axis=axis,
                  width=width,
                  height=height)
    if smooth:
        readings = resample(readings,
                            every=sensor.interval * 4,
                            method="median")
    for reading in readings:
        if math.isnan(reading.value):
            panel.gap(reading.moment)
            continue
        panel.point(reading.moment, reading.value,
                    colour=COLOURS.get(sensor.place, "#666666"))
    return panel


def build_figure(sensors, start, end):
    figure = Figure(title="Readings from %s to %s" % (start.isoformat(),
                                                      end.isoformat()))
    skipped = []
    for sensor in sensors:
        readings = load_readings(sensor.identifier, start, end)
        if not readings:
            skipped.append(sensor)
            continue
        figure.add(build_panel(sensor, readings,
                               smooth=sensor.is_noisy))
    if skipped:
        names = ", ".join(sensor.name for sensor in skipped)
        figure.footnote("no readings of " + names)
    figure.legend = Legend(
        entries=[(place, colour) for place, colour in COLOURS.items()],
        columns=3,
    )
    return figure


def parse_arguments(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="start",
                        help="first day, as YYYY-MM-DD")
    parser.add_argument("--to", dest="end",
                        help="last day, which is included")
    parser.add_argument("--output", default="chart.svg",
                        metavar="FILE")
    parser.add_argument("sensors", nargs="*")
    return parser.parse_args(arguments)


def main():
    options = parse_arguments()
    if (options.start and options.end
            and options.start > options.end):
        raise SystemExit("the first day lies behind the last one")
    figure = build_figure(options.sensors, options.start, options.end)
    with open(options.output, "w", encoding="utf-8") as target:
        target.write(figure.render())
    print("wrote", options.output)
