package queue

import (
	"errors"
	"sync"
)

// ErrEmpty is returned by Pop.
var ErrEmpty = errors.New("empty")

const (
	// Small is the default.
	Small = 16
	Large = 1024 // rarely useful
)

// Queue is a queue.
type Queue[T any] struct {
	mu    sync.Mutex
	items []T
}

type (
	// ID identifies an item.
	ID string

	Handler func(id ID) error
)

type Source interface {
	Next() (ID, error)
	Close() error
}

// New returns a queue.
func New[T any](size int) *Queue[T] {
	return &Queue[T]{items: make([]T, 0, size)}
}

// Push adds an item.
func (q *Queue[T]) Push(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, item)
}

func (q *Queue[T]) Pop() (item T, err error) {
	if len(q.items) == 0 {
		return item, ErrEmpty
	}

	item, q.items = q.items[0], q.items[1:]
	return item, nil
}

func (h Handler) Handle(id ID) error { return h(id) }
