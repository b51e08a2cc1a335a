package com.example.shop;

import java.util.List;
import java.util.Map;

/**
 * A shop that sells items.
 */
@Service
@SuppressWarnings({"unused", "rawtypes"})
public class Shop<T extends Item> implements Store {
    /** Maximum number of items. */
    private static final int LIMIT = 100;
    private final Map<String, T> items; // by name

    public Shop(Map<String, T> items) {
        this.items = items;
    }

    // Finds an item.
    @Override
    public T find(String name) {
        return items.get(name);
    }

    public T find(String name, int limit) throws ShopException {
        if (limit > LIMIT) {
            throw new ShopException("too many");
        }

        return items.get(name);
    }

    @Deprecated public void clear() { items.clear(); }

    enum State {
        OPEN, CLOSED;

        boolean isOpen() {
            return this == OPEN;
        }
    }

    interface Listener {
        void sold(Item item);

        default void returned(Item item) {}
    }

    static class Builder {
        private int size = 1;

        Builder size(int size) {
            this.size = size;
            return this;
        }
    }
}

record Pair(String left, String right) {
    Pair {
        assert left != null;
    }
}

@interface Checked {
    int level() default 1;
}
