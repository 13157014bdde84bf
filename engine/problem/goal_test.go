package problem

import (
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// costs is a long table of costs, and yields the same with the signs changed.
const (
	costs  = "m,t,y\nA,1,5\nA,1,7\nA,2,0\nA,2,2\n"
	yields = "m,t,y\nA,1,-5\nA,1,-7\nA,2,0\nA,2,-2\n"
)

func loadText(t *testing.T, text string, opt LoadOptions) (*Problem, error) {
	t.Helper()
	opt.Read, opt.Name = func(string) ([]byte, error) { return []byte(text), nil }, "p"
	if opt.Long == nil && strings.HasPrefix(text, "m,") {
		opt.Long = &Long{Task: []string{"m"}, Arm: []string{"t"}, Reward: "y"}
	}
	return Load("p.csv", independent, opt)
}

// A table with the goal min is the one of the opposite rewards, in all that algorithms see.
func TestGoalMin(t *testing.T) {
	for _, noise := range []NoiseModel{{}, {Known: NoiseTask}, {Scales: []float64{2}, Environment: EnvironmentGaussian}} {
		low := try.Of(loadText(t, costs, LoadOptions{Goal: GoalMin, Noise: noise}))
		high := try.Of(loadText(t, yields, LoadOptions{Noise: noise}))
		if !slices.Equal(low.Mean, high.Mean) || !slices.Equal(low.Noise.Scales, high.Noise.Scales) || !slices.EqualFunc(low.Rewards, high.Rewards, slices.Equal[[]float64]) {
			t.Errorf("noise %+v: means %v, rewards %v, scales %v; want %v, %v, %v", noise, low.Mean, low.Rewards, low.Noise.Scales, high.Mean, high.Rewards, high.Noise.Scales)
		}
		if got := []float64{low.Turned(low.Mean[0]), low.Turned(low.Mean[1])}; !slices.Equal(got, []float64{6, 1}) {
			t.Errorf("the means of the data are %v, want 6 and 1", got)
		}
	}
}

// Bounds are stated, shown and reported as the data have them.
func TestGoalMinBounds(t *testing.T) {
	text := "task,arm,mean\nA,a,0.75\nA,b,0.25\n"
	p, err := loadText(t, text, LoadOptions{Goal: GoalMin, Noise: NoiseModel{Environment: EnvironmentBernoulli}})
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := p.TwoRewards(); lo != -1 || hi != 0 || *p.TurnedBounds(p.Noise.Bounds) != [2]float64{0, 1} {
		t.Errorf("draws %g and %g within %v", lo, hi, p.Noise.Bounds)
	}
	if p, err = p.WithNoise(NoiseModel{Bounds: &[2]float64{0, 2}}); err != nil || *p.Noise.Bounds != [2]float64{-2, 0} {
		t.Errorf("bounds %v, error %v", p.Noise.Bounds, err)
	}
	_, err = p.WithNoise(NoiseModel{Bounds: &[2]float64{0.5, 2}})
	if want := `problem "p": task "A", arm "b": the mean 0.25 is outside of the bounds [0.5, 2]`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	p = try.Of(loadText(t, strings.Replace(text, "0.75", "1.5", 1), LoadOptions{Goal: GoalMin}))
	_, err = p.WithNoise(NoiseModel{Environment: EnvironmentBernoulli, Scales: []float64{1}})
	if want := "bernoulli rewards need a mean in [0, 1], got 1.5"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err = loadText(t, text, LoadOptions{Goal: "least"}); err == nil || !strings.Contains(err.Error(), `got "least"`) {
		t.Errorf("error %v", err)
	}
}

// The measured part of a problem with gaps is the problem of the table without those rows, under
// another name.
func TestMeasured(t *testing.T) {
	p, err := loadText(t, "task,arm,x_a,mean,sd\nA,a,1,5,1\nA,b,2,,\nB,a,1,,\nC,b,2,4,2\nC,a,1,3,2\n", LoadOptions{Goal: GoalMin})
	if err != nil || p.Mean != nil {
		t.Fatalf("means %v, error %v", p.Mean, err)
	}
	want := `2 of 5 arms are not measured: task "A", arm "b"; task "B", arm "a". Measure them, or write unmeasured="drop" in problem(…) to leave them out`
	if got := p.Unmeasured(); got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	q := p.Measured()
	try.To(q.Check())
	if q.Name != "p (3 measured of 5 arms)" || !slices.Equal(q.Mean, []float64{-5, -4, -3}) || !slices.Equal(q.TaskOf, []int{0, 1, 1}) || !slices.Equal(q.Tasks.Names, []string{"A", "C"}) ||
		!slices.Equal(q.Arms.X[0], []float64{1, 2, 1}) || !slices.Equal(q.Noise.Scales, []float64{1, 2, 2}) || q.Unmeasured() != "" {
		t.Errorf("measured: %+v", q)
	}
	if c := p.Only(2); !slices.Equal(c.Mean, []float64{-4, -3}) || c.Partial != nil {
		t.Errorf("of a task that is measured the means are %v, and %v in part", c.Mean, c.Partial)
	}
	if b := p.Only(1); b.Mean != nil || b.Partial != nil {
		t.Errorf("of a task that is not measured the means are %v, and %v in part", b.Mean, b.Partial)
	}
	if a := p.Only(0); a.Mean != nil || len(a.Partial) != 2 {
		t.Errorf("of a task that is measured in part the means are %v, and %v in part", a.Mean, a.Partial)
	}
	if whole := q.Measured(); whole != q {
		t.Error("all measured, and yet another problem")
	}
	_, err = loadText(t, "task,arm,mean\nA,a,\nA,b,NA\n", LoadOptions{Drop: true})
	if want := `p.csv: no arm is measured, so unmeasured="drop" leaves nothing. Leave it out, or add measurements`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A kernel that reads codes of three categories as a scale is noted, once; of two any codes will
// do.
func TestNoteCategories(t *testing.T) {
	text := "m,t,oil,on,y\nA,150,x,no,1\nA,180,y,yes,2\nA,210,z,no,3\n"
	rbf := func(names ...string) kernels.Kernel { return kernels.RBF{Dims: kernels.Dims{Names: names}} }
	for _, c := range []struct {
		k    kernels.Kernel
		want int
	}{
		{kernels.Sum{Terms: []kernels.Kernel{rbf(), rbf()}}, 1},
		{rbf("oil"), 1},
		{rbf("t", "on"), 0},
		{kernels.Product{Factors: []kernels.Kernel{rbf("t"), kernels.Category{Dims: kernels.Dims{Names: []string{"oil"}}}}}, 0},
	} {
		p := try.Of(Load("p.csv", kernels.LiftArm(c.k), LoadOptions{
			Read:  func(string) ([]byte, error) { return []byte(text), nil },
			Noise: NoiseModel{Scales: []float64{1}}, Standardize: true,
			Long: &Long{Task: []string{"m"}, Arm: []string{"t", "oil", "on"}, Reward: "y"},
		}))
		const note = `p.csv: rbf uses column "oil", whose numbers are codes of text without an order. Name the other columns in dims= of rbf, and multiply by category(dims="oil")`
		got := 0
		for _, n := range p.KernelNotes {
			if n.String() == note {
				got++
			}
		}
		if got != c.want {
			t.Errorf("%s: %d notes, want %d: %q", c.k, got, c.want, p.KernelNotes)
		}
	}
}

// Features are scaled to [0, 1] and keep their own units beside; codes of text stay.
func TestStandardize(t *testing.T) {
	p := try.Of(loadText(t, "m,t,oil,age,y\nA,150,x,3,1\nA,180,y,3,2\nB,210,z,7,3\nB,150,x,7,3\n", LoadOptions{
		Standardize: true, Noise: NoiseModel{Scales: []float64{1}},
		Long: &Long{Task: []string{"m"}, Arm: []string{"t", "oil"}, Reward: "y", TaskFeatures: []string{"age"}},
	}))
	if want := [][]float64{{0, 0.5, 1, 0}, {0, 1, 2, 0}}; !slices.EqualFunc(p.Arms.X, want, slices.Equal[[]float64]) || !slices.Equal(p.Tasks.X[0], []float64{0, 1}) {
		t.Errorf("features %v and %v, want %v", p.Arms.X, p.Tasks.X, want)
	}
	if got := []float64{p.Arms.Value(0, 1), p.Arms.Value(1, 2), p.Tasks.Value(0, 1)}; !slices.Equal(got, []float64{180, 2, 7}) {
		t.Errorf("in their own units %v", got)
	}
	if got := FeatureWords(p.Arms); got != "t (150 to 210 scaled to 0 to 1), oil" {
		t.Errorf("says %q", got)
	}
	if one := p.Only(1); one.Arms.Value(0, 0) != 210 || FeatureWords(one.Arms) != FeatureWords(p.Arms) {
		t.Errorf("a task of it has %v of %s", one.Arms.X, FeatureWords(one.Arms))
	}
}
