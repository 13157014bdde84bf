package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The arms that are open by the audit trail are those that the algorithm counted after each round.
func TestOpenArms(t *testing.T) {
	p := try.Of(problem.PaperCase(2, 0.2))
	for _, x := range []sim.Experiment{
		{Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.05}},
		{Mode: engine.ModeFC, Algorithm: "CoKernelFC", Options: engine.Options{Delta: 0.05}},
		{Mode: engine.ModeFB, Algorithm: "CoKernelFB", Options: engine.Options{Budget: 300}},
	} {
		x.Problem, x.Runs, x.Seed = p, 1, 3
		r := try.Of(sim.Run(context.Background(), x))
		rounds, open := openArms(r)
		if len(rounds) < 2 || len(rounds) != len(r.Trace) {
			t.Fatalf("%s: rounds %v, the trace has %d", x.Algorithm, rounds, len(r.Trace))
		}
		for k, round := range rounds {
			sum := 0
			for _, n := range open[k] {
				sum += n
			}
			if round != r.Trace[k].Round || sum != r.Trace[k].Alive {
				t.Errorf("%s: %v open after round %d, the algorithm had %d in round %d", x.Algorithm, open[k], round, r.Trace[k].Alive, r.Trace[k].Round)
			}
		}
		if f, err := FigureOf(r, PlotOptions{X: "round", Y: []string{"open"}}); err != nil || len(f.Series) != 5 {
			t.Errorf("%s: %d series, %v", x.Algorithm, len(f.Series), err)
		}
	}
}

// A table of 10⁵ rows shows its beginning and their number on each kind of page; a trail of that
// length has its sums before it.
func TestLongTables(t *testing.T) {
	arms := 100_000
	if testing.Short() {
		arms = 10_000
	}
	r := trail(arms, 12)
	r.Answers = r.Answers[:1]
	r.Answers[0].Task = "oslo"
	d := Document{Displays: []Display{{Name: "r", Value: r}}}
	write := map[string]func(b *bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return Text(b, d, TextOptions{}) },
		"HTML":     func(b *bytes.Buffer) error { return HTML(b, d) },
		"Markdown": func(b *bytes.Buffer) error { return Markdown(b, d) },
		"LaTeX":    func(b *bytes.Buffer) error { return LaTeX(b, d) },
	}
	for name, f := range write {
		var b bytes.Buffer
		try.To(f(&b))
		if b.Len() > 500_000 {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
		want := fmt.Sprintf("JSON has all %d", arms)
		if name == "LaTeX" {
			want = "not shown"
		}
		if !strings.Contains(b.String(), want) || !strings.Contains(b.String(), "Arms open after each round") {
			t.Errorf("%s: no %q, or no sums, in\n%s", name, want, b.String()[:min(b.Len(), 3000)])
		}
	}
	bundle := try.Of(Bundle(Display{Name: "r", Value: r}, "c1"))
	size := 0
	for _, v := range bundle {
		if s, ok := v.(string); ok {
			size += len(s)
		}
	}
	if _, there := bundle[MediaType]; there || size > 1_000_000 {
		t.Errorf("a notebook stores %d bytes of a result with %d arms, JSON: %v", size, arms, there)
	}
}
