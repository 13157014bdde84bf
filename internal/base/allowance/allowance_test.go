package allowance_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
)

// What is within the limits is allowed, and the first thing above them is refused by name.
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
