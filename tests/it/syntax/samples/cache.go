// Package cache keeps values for a time.
package cache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrMissing is returned for a key without a value.
var ErrMissing = errors.New("missing")

const (
	// DefaultSize is the number of entries.
	DefaultSize = 1 << 10

	sweep = 30 * time.Second
)

var (
	now   = time.Now
	count int
)

// Key identifies a value.
type Key interface {
	comparable
	fmt.Stringer
}

type entry[V any] struct {
	value   V
	expires time.Time
}

// Loader gets a value that the cache does not have.
type Loader[K Key, V any] func(ctx context.Context, key K) (V, error)

// Cache is safe for concurrent use.
type Cache[K Key, V any] struct {
	mu      sync.RWMutex
	entries map[K]entry[V]
	load    Loader[K, V]
	ttl     time.Duration
}

type (
	// Stats counts what happened.
	Stats struct {
		Hits, Misses int
	}

	observer func(Stats)
)

// New creates a cache.
func New[K Key, V any](ttl time.Duration, load Loader[K, V]) *Cache[K, V] {
	count++
	return &Cache[K, V]{entries: make(map[K]entry[V], DefaultSize), load: load, ttl: ttl}
}

// Get returns a value, and loads it if it has expired.
func (c *Cache[K, V]) Get(ctx context.Context, key K) (V, error) {
	c.mu.RLock()
	found, ok := c.entries[key]
	c.mu.RUnlock()
	if ok && now().Before(found.expires) {
		return found.value, nil
	}
	if c.load == nil {
		var none V
		return none, fmt.Errorf("get %s: %w", key, ErrMissing)
	}
	value, err := c.load(ctx, key)
	if err != nil {
		return value, err
	}
	c.Put(key, value)
	return value, nil
}

func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = entry[V]{value: value, expires: now().Add(c.ttl)}
}

// Sweep removes expired entries until the context ends.
func (c *Cache[K, V]) Sweep(ctx context.Context) {
	ticker := time.NewTicker(sweep)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-ticker.C:
			c.remove(func(e entry[V]) bool { return e.expires.Before(at) })
		}
	}
}

func (c *Cache[K, V]) remove(is func(entry[V]) bool) (removed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.entries {
		if is(e) {
			delete(c.entries, key)
			removed++
		}
	}
	return removed
}

func init() { count = 0 }
