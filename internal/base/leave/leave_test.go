package leave

import (
	"errors"
	"testing"
)

func TestCaught(t *testing.T) {
	failed := errors.New("failed")
	run := func(step func() error) (n int, err error) {
		defer Caught(&err)
		n = 1
		With(step())
		return Must(n+1, step()), nil
	}
	if n, err := run(func() error { return nil }); n != 2 || err != nil {
		t.Errorf("%d, %v without an error", n, err)
	}
	if n, err := run(func() error { return failed }); n != 1 || !errors.Is(err, failed) {
		t.Errorf("%d, %v, want the error", n, err)
	}
	if _, err := Returning(func() int { return Must(1, failed) })(); !errors.Is(err, failed) {
		t.Errorf("%v, want the error", err)
	}
	defer func() {
		if r := recover(); r != "defect" {
			t.Errorf("recovered %v", r)
		}
	}()
	_, _ = run(func() error { panic("defect") })
}
