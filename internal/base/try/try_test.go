package try_test

import (
	"errors"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A function ends at its first error, which it returns unchanged, and a panic of another kind goes on.
func TestCaught(t *testing.T) {
	failed := errors.New("failed")
	sum := func(a, b error) (out int, err error) {
		defer try.Caught(&err)
		out = try.Of(1, a)
		x, y := try.Two(2, 3, b)
		try.To(nil)
		return out + x + y, nil
	}
	for _, c := range []struct {
		a, b, err error
		out       int
	}{{nil, nil, nil, 6}, {failed, nil, failed, 0}, {nil, failed, failed, 1}} {
		if out, err := sum(c.a, c.b); out != c.out || err != c.err {
			t.Errorf("%d, error %v; want %d, error %v", out, err, c.out, c.err)
		}
	}
	wrapped := func() (err error) {
		defer try.Caught(&err, "adding")
		return try.Of(error(nil), failed)
	}
	if err := wrapped(); !errors.Is(err, failed) || err.Error() != "adding: failed" {
		t.Errorf("error %v", err)
	}
	defer func() {
		if r := recover(); r != "another" {
			t.Errorf("%v was passed on", r)
		}
	}()
	_ = func() (err error) {
		defer try.Caught(&err)
		panic("another")
	}()
}

// A function given as one that returns its error does so.
func TestReturning(t *testing.T) {
	failed := errors.New("failed")
	if n, err := try.Returning(func() int { return try.Of(1, nil) })(); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := try.Returning(func() int { panic(try.Failure{Err: failed}) })(); err != failed {
		t.Errorf("%v, want the error", err)
	}
}
