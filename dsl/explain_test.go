package dsl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// explain lists each arm of each task once, and what left as the result's eliminations do.
func TestExplain(t *testing.T) {
	// Runs that are decided, limited, of several runs, and of a fixed budget.
	for _, run := range []string{
		`fc(p, algorithm="CoTestFC", max_rounds=5, seed=3)`, `fc(p, algorithm="CoTestFC")`, `fc(p, algorithm="CoKernelFC", max_rounds=1)`,
		`fc(p, algorithm="IndALBA", runs=3)`, `fb(p, budget=200)`, `fb(p, budget=200, algorithm="IndUniformFB")`,
	} {
		s := NewSession(Options{})
		shown := must(t, s, "p = paper(case=2, gap=0.2)\nr = "+run+"\nexplain(r)\nexplain(r, task=\"task 4\")")
		v, _, _ := s.Value("r")
		r, x, one := v.(engine.Result), shown[0].Value.(engine.Explanation), shown[1].Value.(engine.Explanation)
		// task 4 alone is the fourth of all
		if len(x.Tasks) != 5 || len(one.Tasks) != 1 || one.Tasks[0].Progress != x.Tasks[3].Progress || x.Remaining != r.Remaining || x.Rounds != len(r.Trace) {
			t.Errorf("%s: %d tasks, %d tasks, %g remaining, %d rounds", run, len(x.Tasks), len(one.Tasks), x.Remaining, x.Rounds)
		}
		// Every arm is the leader, left the run at some time, or is still there, and is listed
		// once.
		left := 0
		for v, task := range x.Tasks {
			left += len(task.Eliminated)
			a := r.Answers[v]
			if task.Progress.Decided != a.Decided || (task.Progress.Reached == 1) != a.Decided {
				t.Errorf("%s: %+v for %+v", run, task.Progress, a)
			}
			arms := map[string]int{a.Leader: 1}
			for _, e := range task.Eliminated {
				arms[e.Arm]++
			}
			for _, arm := range task.Arms {
				if arms[arm] == 0 {
					arms[arm]++
				}
			}
			for arm, n := range arms {
				if n != 1 || len(arms) != 6 {
					t.Errorf("%s, %s: %s is told of %d times, there are %d arms", run, a.Task, arm, n, len(arms))
				}
			}
		}
		if left != len(r.Eliminations) {
			t.Errorf("%s: %d arms left, %d eliminations", run, left, len(r.Eliminations))
		}
	}
	// The place is the name of the task, 8 runes with its quotes.
	_, err := evalText(NewSession(Options{}), `explain(fc(paper(case=2), runs=2), task="task 9")`)
	if err == nil || !strings.Contains(err.Error(), `no task is called "task 9"; there are task 1, task 2, task 3, task 4, task 5`) || !strings.Contains(err.Error(), strings.Repeat("^", 8)) {
		t.Errorf("%v", err)
	}
}

// A single run that is interrupted in its middle is bound with what it found, and can be
// explained.
func TestInterruptedInTheMiddle(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := NewSession(Options{Rebind: true, Workers: 1})
	must(t, s, "p = paper(case=3, gap=0.1)")
	draws := 0
	// The 150th measurement interrupts, while the only run is under way.
	try.To(s.Put("lab", func(rng *rand.Rand, task, arm string, n int) (float64, error) {
		if draws++; draws == 150 {
			cancel()
		}
		return rng.NormFloat64() / float64(n), nil
	}))
	script, errs := Parse("cell 3", `r = fc(p, algorithm="CoTestFC", rewards=lab)`)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	shown, err := s.Eval(ctx, script)
	if !errors.Is(err, context.Canceled) || len(shown) != 1 || !strings.Contains(err.Error(), "r has the finished part, shown above") {
		t.Errorf("%d displays, error %v", len(shown), err)
	}
	// No run was finished, and what the first one found is kept.
	v, _, _ := s.Value("r")
	r, ok := v.(engine.Result)
	if !ok || r.Status != engine.StatusInterrupted || r.Runs != 0 || len(r.Trace) == 0 || len(r.Answers) != 5 || r.SamplesTotal == 0 {
		t.Fatalf("r is %+v", v)
	}
	x := must(t, s, "explain(r)")[0].Value.(engine.Explanation)
	if open := x.Open(); len(open) == 0 || x.Samples != r.SamplesTotal || x.Status != engine.StatusInterrupted {
		t.Errorf("%+v", x)
	}
}

// A longer single run reports its progress; its fraction of the samples does not go back, and no
// other step reports one.
func TestRoundsInProgress(t *testing.T) {
	var notes []string
	share := 0.0
	s := NewSession(Options{Workers: 1, Progress: func(a Activity) {
		if a.Label != "fc CoTestFC" || a.Total != 1 || a.Done == 0 && a.Share < share || a.Done == 1 && a.Share != 0 {
			t.Errorf("%+v after a share of %g", a, share)
		}
		if share = a.Share; a.Note != "" {
			notes = append(notes, a.Note)
		}
	}})
	must(t, s, "p = paper(case=1, gap=0.3)")
	// Each measurement takes a while, so that rounds are reported.
	try.To(s.Put("lab", func(rng *rand.Rand, _, arm string, n int) (float64, error) {
		time.Sleep(15 * time.Millisecond)
		mean := 0.0
		if arm == "{3,4}" {
			mean = 0.5
		}
		return mean + rng.NormFloat64()/math.Sqrt(float64(n)), nil
	}))
	must(t, s, `fc(p, algorithm="CoTestFC", rewards=lab)`)
	// The estimate of the remaining samples is not there from the beginning.
	said := regexp.MustCompile(`^round \d+, \d+ samples, [0-5]/5 tasks decided(, about \d+ to go)?$`)
	for _, n := range notes {
		if !said.MatchString(n) {
			t.Error(n)
		}
	}
	if len(notes) == 0 || !strings.Contains(strings.Join(notes, "\n"), "to go") {
		t.Errorf("it says %q of its rounds", notes)
	}
}
