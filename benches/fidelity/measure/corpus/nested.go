package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrClosed says that the pipeline takes no more jobs.
var ErrClosed = errors.New("pipeline: closed")

type Job struct {
	ID       string
	Priority int
	Run      func(ctx context.Context) error
	Deadline time.Duration
}

type Pipeline struct {
	mu      sync.Mutex
	pending []*Job
	results map[string]error
	closed  bool
	wake    chan struct{}
}

func New(size int) *Pipeline {
	return &Pipeline{
		pending: make([]*Job, 0, size),
		results: make(map[string]error),
		wake:    make(chan struct{}, 1),
	}
}

func (p *Pipeline) Submit(job *Job) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	if _, known := p.results[job.ID]; known {
		return fmt.Errorf("pipeline: job %q was submitted twice", job.ID)
	}
	p.pending = append(p.pending, job)
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return nil
}

func (p *Pipeline) Work(ctx context.Context, workers int) {
	var group sync.WaitGroup
	for number := 0; number < workers; number++ {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for {
				job, ok := p.take(ctx)
				if !ok {
					return
				}
				limited, cancel := context.WithTimeout(ctx, job.Deadline)
				err := func() (err error) {
					defer func() {
						if cause := recover(); cause != nil {
							err = fmt.Errorf("worker %d: %v", worker, cause)
						}
					}()
					return job.Run(limited)
				}()
				cancel()
				p.finish(job, err)
			}
		}(number)
	}
	group.Wait()
}

func (p *Pipeline) take(ctx context.Context) (*Job, bool) {
	for {
		p.mu.Lock()
		if len(p.pending) > 0 {
			job := p.pending[0]
			p.pending = p.pending[1:]
			p.mu.Unlock()
			return job, true
		}
		finished := p.closed
		p.mu.Unlock()
		if finished {
			return nil, false
		}
		select {
		case <-ctx.Done():
			return nil, false
		case <-p.wake:
		}
	}
}

func (p *Pipeline) finish(job *Job, err error) {
	p.mu.Lock()
	p.results[job.ID] = err
	p.mu.Unlock()
}
