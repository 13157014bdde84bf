package dsl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// patience limits the wait for what takes far less on an idle machine.
const patience = 5 * time.Minute

// stops evaluates a script, interrupts it once it is under way, and returns the error.
// underWay may be nil: then it is interrupted at once.
func stops(t *testing.T, s *Session, src string, underWay <-chan struct{}) error {
	t.Helper()
	script, errs := Parse("demo.cope", src)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := s.Eval(ctx, script)
		done <- err
	}()
	limit := time.After(patience) // of both waits together
	for underWay != nil {
		select {
		case <-underWay:
			underWay = nil
		case err := <-done:
			t.Fatalf("%s: over before it was under way, error %v", src, err)
		case <-limit:
			t.Fatalf("%s: waited %v for it to be under way", src, patience)
		}
	}
	cancel()
	select {
	case err := <-done:
		return err
	case <-limit:
		t.Fatalf("%s: waited %v for it to stop", src, patience)
	}
	return nil
}

// Every computation stops when it is interrupted, also if it is in the middle of something
// that cannot look at a context: here, a kernel that does not return.
// The kernel waits until the test releases it, which is after the computation was given up.
func TestEveryComputationStops(t *testing.T) {
	for _, src := range []string{
		"spectrum(p)", "bounds(p)", "design(p)", "hardness(p)", "fit(p)", "plan(p)",
		"fc(p)", "fc(p, runs=5)", "fb(p, budget=100)", "r = fc(p)", `problem("p.csv", kernel=arm(stuck))`,
	} {
		t.Run(src, func(t *testing.T) {
			underWay, release := make(chan struct{}, 1), make(chan struct{})
			defer close(release)
			stuck := kernels.Func("stuck", func(x, y []float64) float64 {
				select {
				case underWay <- struct{}{}:
				default:
				}
				<-release
				return 1
			})
			s := NewSession(Options{Host: tableHost{}, Progress: func(Activity) {}})
			tasks, _ := kernels.NewPoints(nil, []string{"t"}, nil)
			arms, _ := kernels.NewPoints([]string{"x_1"}, []string{"a", "b", "c"}, [][]float64{{1}, {2}, {3}})
			p, err := problem.New("p", tasks, arms, []int{0, 0, 0}, kernels.LiftArm(stuck), []float64{1}, []float64{1, 2, 3})
			if err != nil {
				t.Fatal(err)
			}
			try.To(errors.Join(s.Put("p", p), s.Put("stuck", stuck)))
			err = stops(t, s, "4; "+src, underWay) // a statement before it, which is displayed
			if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), ": interrupted") {
				t.Errorf("error %v, want that it was interrupted", err)
			}
			if _, bound, _ := s.Value("r"); bound != "" {
				t.Errorf("r is bound to %s", bound)
			}
		})
	}
}

// tableHost reads one table.
// The table is the same for every path.
type tableHost struct{ files }

func (tableHost) Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error) {
	opt.Read = func(string) ([]byte, error) { return []byte("task,arm,x_1,mean\nt,a,1,1\nt,b,2,2\n"), nil }
	return problem.Load(path, k, opt)
}

// A computation that was left behind reports no progress.
func TestProgressEnds(t *testing.T) {
	told := 0
	teller := &teller{tell: func(Activity) { told++ }}
	teller.update(Activity{})
	teller.close()
	teller.update(Activity{})
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
}
