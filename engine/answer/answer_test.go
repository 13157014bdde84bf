package answer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// table returns a table of the generator with this name.
func table(t testing.TB, name string, seed uint64) known {
	t.Helper()
	for _, g := range generators {
		if g.name == name {
			return g.table(rand.New(rand.NewPCG(7, seed)))
		}
	}
	t.Fatalf("no generator %q", name)
	return known{}
}

// TestBest checks that the parts of an answer are consistent, for both goals.
func TestBest(t *testing.T) {
	for _, name := range []string{"field trial", "treatments, 0 or 1", "one task"} {
		k := table(t, name, 1)
		if name == "one task" {
			k.p = k.p.Minimised()
		}
		a := try.Of(answer.Best(context.Background(), k.p, answer.Options{Epsilon: k.epsilon, Next: 10}))
		if len(a.Picks) != k.p.V() || len(a.Arms) != k.p.N() {
			t.Errorf("%s: %d picks and %d arms, want %d and %d", name, len(a.Picks), len(a.Arms), k.p.V(), k.p.N())
		}
		best := map[string]float64{}
		for _, arm := range a.Arms {
			best[arm.Task] += arm.Best
			for _, p := range a.Picks {
				if p.Task == arm.Task && k.p.Turned(arm.Estimate) > k.p.Turned(p.Estimate) {
					t.Errorf("%s: %s of %s is estimated at %g, its pick %s at %g", name, arm.Arm, arm.Task, arm.Estimate, p.Arm, p.Estimate)
				}
			}
			if !(arm.CI95[0] <= arm.Estimate && arm.Estimate <= arm.CI95[1]) {
				t.Errorf("%s: estimate %g outside of [%g, %g]", name, arm.Estimate, arm.CI95[0], arm.CI95[1])
			}
		}
		for task, sum := range best {
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: probabilities to be the best of %s add up to %g", name, task, sum)
			}
		}
		pulls := 0
		for _, p := range a.Next {
			pulls += p.Count
		}
		if pulls != 10 || a.LossAfter < 0 || a.LossAfter > a.LossNow {
			t.Errorf("%s: %d of 10 measurements proposed, expected loss %g now and %g after them", name, pulls, a.LossNow, a.LossAfter)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Error(err)
		}
	}
}

// TestOptions checks the errors for options out of range and tables without measurements.
func TestOptions(t *testing.T) {
	k := table(t, "field trial", 1)
	none := *k.p
	none.Partial = nil
	for _, x := range []struct {
		p    *problem.Problem
		opt  answer.Options
		want string
	}{
		{k.p, answer.Options{Epsilon: -1}, "epsilon must be a number of 0 or more"},
		{k.p, answer.Options{Epsilon: math.Inf(1)}, "epsilon must be a number of 0 or more"},
		{k.p, answer.Options{Next: -1}, "next must be a whole number from 0"},
		{&none, answer.Options{}, "0 of its 60 arms are measured"},
	} {
		if _, err := answer.Best(context.Background(), x.p, x.opt); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("error %v, want %q", err, x.want)
		}
	}
}

// TestNext checks that the expected loss after the proposed measurements equals the loss after they are made.
func TestNext(t *testing.T) {
	if testing.Short() {
		t.Skip("many tables")
	}
	const tables, count = 20, 48
	var now, expected, random, after float64
	for seed := range uint64(tables) {
		k := table(t, "field trial", 100+seed)
		rng := rand.New(rand.NewPCG(9, seed))
		a := try.Of(answer.Best(context.Background(), k.p, answer.Options{Next: count}))
		now, expected = now+loss(k, a), expected+a.LossAfter
		b := try.Of(answer.Best(context.Background(), measured(k, a.Next, rng), answer.Options{}))
		after += loss(k, b)
		var anywhere []answer.Pull
		for range count {
			i := rng.IntN(k.p.N())
			anywhere = append(anywhere, answer.Pull{Task: a.Arms[i].Task, Arm: a.Arms[i].Arm, Count: 1})
		}
		b = try.Of(answer.Best(context.Background(), measured(k, anywhere, rng), answer.Options{}))
		random += loss(k, b)
	}
	t.Logf("loss a task: %.4f before, %.4f after %d measurements (%.4f expected, %.4f after measurements anywhere)", now/tables, after/tables, count, expected/tables, random/tables)
	if after > now || after > random || math.Abs(after-expected) > 0.4*expected {
		t.Error("the proposed measurements do not bring what is expected of them")
	}
}

// loss is the mean over tasks of the picks' distance from the best.
func loss(k known, a *answer.Answer) float64 {
	sum := 0.0
	for v, p := range a.Picks {
		lo, hi := k.p.ArmsOf(v)
		best, at := math.Inf(-1), 0
		for i := lo; i < hi; i++ {
			best = max(best, k.truth[i])
			if a.Arms[i].Arm == p.Arm {
				at = i
			}
		}
		sum += (best - k.truth[at]) / float64(len(a.Picks))
	}
	return sum
}

// measured returns the problem with further measurements of a field trial, whose noise is 0.45.
func measured(k known, pulls []answer.Pull, rng *rand.Rand) *problem.Problem {
	q := *k.p
	q.Partial, q.Reps = append([]float64(nil), q.Partial...), append([]float64(nil), q.Reps...)
	for _, pull := range pulls {
		for i := range k.truth {
			if names := q.NamesOf(i); names[0] != pull.Task || names[1] != pull.Arm {
				continue
			}
			for range pull.Count {
				q.Partial[i] = (q.Partial[i]*q.Reps[i] + k.truth[i] + 0.45*rng.NormFloat64()) / (q.Reps[i] + 1)
				q.Reps[i]++
			}
		}
	}
	return &q
}

// BenchmarkBest measures answers on the sizes of docs/explanation/accuracy.md.
func BenchmarkBest(b *testing.B) {
	for _, x := range []struct {
		name                string
		tasks, arms, counts int
	}{{"n=250", 5, 50, 4}, {"n=10000", 20, 500, 2}, {"tasks=100", 100, 10, 2}, {"tasks=1000", 1000, 10, 2}, {"tasks=10000", 10_000, 10, 2}} {
		b.Run(x.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			var d draft
			d.columns = []string{"x", "y"}
			for v := range x.tasks {
				d.tasks = append(d.tasks, fmt.Sprint("t", v))
				at := 0.3 + 0.4*rng.Float64()
				for i := range x.arms {
					u, w := float64(i%25)/25, float64(i/25)/float64(max(x.arms/25, 1))
					m := float64(v%3) + 3*(1-4*(u-at)*(u-at)) + math.Sin(3*w)
					d.arm(v, string(rune('A'+i%26))+string(rune('a'+i/26)), []float64{u, w}, m, normals(rng, m, 1, x.counts))
				}
			}
			p := d.known(0.3, "").p
			b.ResetTimer()
			for b.Loop() {
				try.Of(answer.Best(context.Background(), p, answer.Options{Epsilon: 0.3, Next: 24}))
			}
		})
	}
}

// TestMore checks that a lead of 1.2 standard deviations needs some more measurements, also with epsilon 0, where rounding once made the
// best arm slightly worse than itself.
func TestMore(t *testing.T) {
	const text = "arm,y\na,1\na,-1\na,1\na,-1\nb,2.2\nb,.2\nb,2.2\nb,.2\n"
	p := try.Of(problem.Load("t.csv", kernels.Joint{}, problem.LoadOptions{Read: func(string) ([]byte, error) { return []byte(text), nil }, Long: &problem.Long{Arm: []string{"arm"}, Reward: "y"}}))
	for _, epsilon := range []float64{0, 0.05} {
		a := try.Of(answer.Best(context.Background(), p, answer.Options{Epsilon: epsilon}))
		if k := a.Picks[0]; k.Label != "b" || k.Within > 0.95 || k.More < 4 || k.More > 400 {
			t.Errorf("epsilon %g: %s with probability %.3f, and about %d more", epsilon, k.Label, k.Within, k.More)
		}
	}
}

// TestNextInBlocks checks measurements in blocks when days have effects: days have at most the usual size, every arm is equally often in
// each up to rounding, and the expected gain is achieved. TABLES=100 compares them with the list of a posterior without days, measured in
// order with as many per day.
func TestNextInBlocks(t *testing.T) {
	const count, size = 18, 6 // 72 measurements on 8 days
	tables := uint64(1)
	if n, err := strconv.Atoi(os.Getenv("TABLES")); err == nil {
		tables = uint64(n)
	}
	var now, expected, after, without float64
	for seed := range tables {
		k := table(t, "days that differ", 100+seed)
		b := try.Of(belief.Of(t.Context(), k.p, belief.Options{}))
		a := try.Of(answer.Of(t.Context(), b, answer.Options{Next: count}))
		held, of := map[int]int{}, map[string]map[int]int{}
		for _, pull := range a.Next {
			held[pull.Block] += pull.Count
			if of[pull.Task+pull.Arm] == nil {
				of[pull.Task+pull.Arm] = map[int]int{}
			}
			of[pull.Task+pull.Arm][pull.Block] = pull.Count
		}
		for arm, counts := range of {
			sum := 0
			for _, n := range counts {
				sum += n
			}
			for block := range held {
				if math.Abs(float64(counts[block])-float64(sum)/float64(len(held))) > 1 {
					t.Errorf("table %d, arm %s is in the %d blocks so often: %v", seed, arm, len(held), counts)
				}
			}
		}
		most := 0
		for _, n := range held {
			most = max(most, n)
		}
		if len(held) < 2 || most > 9 {
			t.Errorf("table %d: blocks hold %v measurements", seed, held)
		}
		if tables == 1 {
			return
		}
		blind := *b
		blind.Blocks = 0
		old := try.Of(answer.Of(t.Context(), &blind, answer.Options{Next: count}))
		var one []answer.Pull
		for _, pull := range old.Next {
			for range pull.Count {
				pull.Block, pull.Count = 1+len(one)/size, 1
				one = append(one, pull)
			}
		}
		now, expected = now+loss(k, a), expected+a.LossAfter
		for sum, pulls := range map[*float64][]answer.Pull{&after: a.Next, &without: one} {
			further := try.Of(answer.Best(t.Context(), onDays(k, pulls, rand.New(rand.NewPCG(9, seed))), answer.Options{}))
			*sum += loss(k, further)
		}
	}
	n := float64(tables)
	t.Logf("loss a task: %.4f before, %.4f after %d measurements (%.4f expected; %.4f by the list that knows no days)", now/n, after/n, count, expected/n, without/n)
}

// onDays returns the problem with further measurements on days of their own, with effects and noise as in the table.
func onDays(k known, pulls []answer.Pull, rng *rand.Rand) *problem.Problem {
	q := *k.p
	q.Partial, q.Reps, q.Rows, q.Blocks = slices.Clone(q.Partial), slices.Clone(q.Reps), slices.Clone(q.Rows), slices.Clone(q.Blocks)
	effects := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	q.Noise.SD = slices.Clone(q.Noise.SD)
	from := len(q.Blocks)
	q.Blocks = append(q.Blocks, "new 1", "new 2", "new 3")
	for _, pull := range pulls {
		for i := range k.truth {
			if names := q.NamesOf(i); names[0] != pull.Task || names[1] != pull.Arm {
				continue
			}
			for range pull.Count {
				y := k.truth[i] + effects[pull.Block-1] + 0.3*rng.NormFloat64()
				q.Rows = append(q.Rows, problem.Row{Arm: i, Block: from + pull.Block - 1, Reward: y, Count: 1})
				off, n := y-q.Partial[i], q.Reps[i]
				q.Noise.SD[i] = math.Sqrt((q.Noise.SD[i]*q.Noise.SD[i]*(n-1) + off*off*n/(n+1)) / n)
				q.Partial[i] += off / (n + 1)
				q.Reps[i]++
			}
		}
	}
	slices.SortStableFunc(q.Rows, func(x, y problem.Row) int { return x.Arm - y.Arm })
	return &q
}

// TestManyTasks checks an answer for more tasks than measurements are planned for together: every task has a recommendation, and further
// measurements reduce the mean loss over all tasks.
func TestManyTasks(t *testing.T) {
	const tasks = 200
	k := effects(tasks, 3, 2, 0.5, func(rng *rand.Rand, _, _ int) float64 { return 0.5 * rng.NormFloat64() })(rand.New(rand.NewPCG(1, 1)))
	a := try.Of(answer.Best(t.Context(), k.p, answer.Options{Epsilon: k.epsilon, Next: 20}))
	count := 0
	for _, n := range a.Next {
		count += n.Count
	}
	if len(a.Picks) != tasks || count != 20 || !(a.LossAfter < a.LossNow) || a.LossAfter < 0.5*a.LossNow {
		t.Errorf("%d recommendations, %d further measurements, loss %g and after them %g", len(a.Picks), count, a.LossNow, a.LossAfter)
	}
}
