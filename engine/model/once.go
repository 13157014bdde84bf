package model

import "context"

// once computes a value when it is first asked for. Who asks meanwhile waits, until the own context
// ends. An error is not kept: the next one computes it again.
type once[T any] struct {
	turn  chan struct{} // holds one value while nobody computes
	done  bool
	value T
}

func newOnce[T any]() *once[T] {
	o := &once[T]{turn: make(chan struct{}, 1)}
	o.turn <- struct{}{}
	return o
}

// get returns the value, which compute makes if there is none.
func (o *once[T]) get(ctx context.Context, compute func() (T, error)) (value T, err error) {
	select {
	case <-o.turn:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { o.turn <- struct{}{} }()
	if !o.done {
		if value, err = compute(); err != nil {
			return value, err
		}
		o.value, o.done = value, true
	}
	return o.value, nil
}
