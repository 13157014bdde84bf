package allowance_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
)

// Requests within the limits are allowed, and the first one above them is refused by name.
func TestAllowance(t *testing.T) {
	a := allowance.New(context.Background(), "the table a.csv", 10, 3)
	var out bytes.Buffer
	if _, err := a.Writer(&out).Write([]byte("12345")); err != nil || out.Len() != 5 {
		t.Errorf("%d bytes, error %v", out.Len(), err)
	}
	if err := a.Make(5); err != nil {
		t.Error(err)
	}
	var e *allowance.Error
	if _, err := a.Writer(&out).Write([]byte("1")); !errors.As(err, &e) || e.Unit != "bytes" || out.Len() != 5 {
		t.Errorf("error %v, %d bytes written", err, out.Len())
	}
	if err := a.Step(3); err != nil {
		t.Error(err)
	}
	if err := a.Step(1); !errors.As(err, &e) || e.Unit != "steps" || !strings.Contains(err.Error(), "the table a.csv") {
		t.Errorf("error %v", err)
	}
}

// A context that ended ends the work.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	a := allowance.New(ctx, "x", 10, 10)
	cancel()
	if err := a.Step(1); !errors.Is(err, context.Canceled) {
		t.Errorf("Step: error %v", err)
	}
	if err := a.Make(1); !errors.Is(err, context.Canceled) {
		t.Errorf("Make: error %v", err)
	}
}

// A share uses its own bytes and steps first, then what the whole has left; what is refused is not counted, and other shares keep
// their own.
func TestShare(t *testing.T) {
	whole := allowance.New(context.Background(), "the report", 10, 10)
	first, second := whole.Share(5, 5), whole.Share(5, 5)
	for _, c := range []struct {
		name    string
		allowed bool
		err     error
	}{
		{"5 of its own and 8 of the whole", true, first.Make(13)},
		{"3 where 2 are left", false, first.Make(3)},
		{"2 that are left", true, first.Ask(2)},
		{"5 of its own", true, second.Make(5)},
		{"2 of the whole", true, second.Make(2)},
		{"1 more", false, second.Make(1)},
		{"steps: 5 of its own and 8 of the whole", true, first.Step(13)},
		{"steps: 3 where 2 are left", false, first.Step(3)},
		{"steps: 5 of its own", true, second.Step(5)},
		{"steps: 2 of the whole", true, second.Step(2)},
		{"steps: 1 more", false, second.Step(1)},
	} {
		if (c.err == nil) != c.allowed {
			t.Errorf("%s: error %v", c.name, c.err)
		}
	}
}
