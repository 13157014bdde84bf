package problem

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// noisy has means 0.2 and 0.9, and standard deviations that no guess is.
const noisy = "task,arm,mean,sd\na,x,0.2,0.3\na,y,0.9,0.4\n"

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	try.To(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// The noise model of a file with a statement: scales, whether they are known, and by
// how much simulated rewards scatter.
func TestNoiseModels(t *testing.T) {
	path := written(t, "noisy.csv", noisy)
	for name, c := range map[string]struct {
		opt         LoadOptions
		noise, sd   float64 // of the second arm; sd 0 for none
		unknown     string
		estimated   bool
		bounded     bool
		environment string
	}{
		"column":        {LoadOptions{}, 0.4, 0.4, "", true, false, EnvironmentGaussian},
		"number":        {LoadOptions{Noise: NoiseModel{Scales: []float64{2}}}, 2, 0, "", false, false, EnvironmentGaussian},
		"unknown":       {LoadOptions{Noise: NoiseModel{UnknownBy: UnknownProblem}}, 1, 0.4, UnknownProblem, false, false, EnvironmentGaussian},
		"guess":         {LoadOptions{Noise: NoiseModel{UnknownBy: UnknownArm, Scales: []float64{7}}}, 7, 0.4, UnknownArm, false, false, EnvironmentGaussian},
		"task":          {LoadOptions{Noise: NoiseModel{UnknownBy: UnknownTask}}, 1, 0.4, UnknownTask, false, false, EnvironmentGaussian},
		"bounds":        {LoadOptions{Noise: NoiseModel{Bounds: &[2]float64{-1, 2}}}, 1.5, 0, "", false, true, EnvironmentBernoulli},
		"bernoulli":     {LoadOptions{Noise: NoiseModel{Environment: EnvironmentBernoulli}}, 0.5, 0, "", false, true, EnvironmentBernoulli},
		"the same":      {LoadOptions{Noise: NoiseModel{Environment: EnvironmentBernoulli, Scales: []float64{0.5}}}, 0.5, 0, "", false, true, EnvironmentBernoulli},
		"wider":         {LoadOptions{Noise: NoiseModel{Environment: EnvironmentBernoulli, Scales: []float64{1}}}, 1, 0, "", false, false, EnvironmentBernoulli},
		"coin, unknown": {LoadOptions{Noise: NoiseModel{Environment: EnvironmentBernoulli, UnknownBy: UnknownProblem}}, 1, 0.4, UnknownProblem, false, false, EnvironmentBernoulli},
	} {
		p, err := Load(path, independent, c.opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sd := 0.0
		if p.Noise.SD != nil {
			sd = p.Noise.SD[1]
		}
		if p.Noise.Scales[1] != c.noise || sd != c.sd || p.Noise.UnknownBy != c.unknown || p.Noise.Estimated() != c.estimated || (p.Noise.Bounds != nil) != c.bounded || p.Noise.Environment != c.environment {
			t.Errorf("%s: noise %g, sd %g, unknown %q, estimated %v, bounds %v, environment %s", name, p.Noise.Scales[1], sd, p.Noise.UnknownBy, p.Noise.Estimated(), p.Noise.Bounds, p.Noise.Environment)
		}
		if only := p.Only(0); only.Noise.UnknownBy != p.Noise.UnknownBy || only.Noise.Bounds != p.Noise.Bounds || only.Noise.Environment != p.Noise.Environment {
			t.Errorf("%s: the task alone has unknown %q, bounds %v", name, only.Noise.UnknownBy, only.Noise.Bounds)
		}
	}
}

// Errors of rewards outside of the bounds have file, line and column.
func TestBoundsOfFiles(t *testing.T) {
	path := written(t, "noisy.csv", noisy)
	_, err := Load(path, independent, LoadOptions{Noise: NoiseModel{Bounds: &[2]float64{0, 0.5}}})
	if want := path + ":3:5: column \"mean\": 0.9 is outside of the bounds [0, 0.5]. Correct the value or the bounds"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	plain := written(t, "plain.csv", "task,arm\na,x\na,y\n")
	raw := written(t, "raw.csv", "task,arm,rep,reward\na,x,1,0.2\na,x,2,1.5\na,y,1,0\n")
	_, err = Load(plain, independent, LoadOptions{Rewards: raw, Noise: NoiseModel{Bounds: &[2]float64{0, 1}}})
	if want := raw + ":3:7: column \"reward\": 1.5 is outside of the bounds [0, 1]. Correct the value or the bounds"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if p, err := Load(plain, independent, LoadOptions{Rewards: raw, Noise: NoiseModel{Bounds: &[2]float64{0, 2}}}); err != nil || p.Noise.Scales[0] != 1 || p.Noise.Environment != EnvironmentResampled {
		t.Errorf("within bounds: %v", err)
	}
}

// Contradictory statements are errors that say why.
func TestNoiseContradictions(t *testing.T) {
	unit := &[2]float64{0, 1}
	for want, m := range map[string]NoiseModel{
		"have a standard deviation of at most 0.5":            {Scales: []float64{1}, Bounds: unit},
		"beside bounded, noise must be a number":              {UnknownBy: UnknownTask, Bounds: unit},
		"bounded needs two finite numbers":                    {Bounds: &[2]float64{1, 1}},
		"have no bounds; bounded= needs":                      {Bounds: unit, Environment: EnvironmentGaussian},
		"needs raw rewards":                                   {Environment: EnvironmentResampled},
		"environment must be one of":                          {Environment: "cauchy"},
		"noise=\"sd\" needs a file":                           {Known: NoiseSD},
		"one noise scale can be stated for all arms, got 2":   {Scales: []float64{1, 2}},
		"noise must be a number, \"sd\", \"task\" or unknown": {Known: "assumed"},
		"noise must be a positive number, got -1":             {Scales: []float64{-1}},
		"the mean 0.9 is outside of the bounds [0, 0.8]":      {Bounds: &[2]float64{0, 0.8}},
	} {
		p := try.Of(Load(written(t, "noisy.csv", noisy), independent, LoadOptions{}))
		if _, err := p.WithNoise(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A guess leaves the simulated noise unchanged; a stated number sets it.
func TestWithNoise(t *testing.T) {
	p := try.Of(PaperCase(1, 0.5))
	guess, err1 := p.WithNoise(NoiseModel{UnknownBy: UnknownProblem, Scales: []float64{3}})
	twice, err2 := p.WithNoise(NoiseModel{Scales: []float64{2}})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if guess.Noise.Scales[0] != 3 || guess.Noise.SD[0] != 1 || twice.Noise.Scales[0] != 2 || twice.Noise.SD != nil || p.Noise.Scales[0] != 1 || p.Noise.UnknownBy != "" {
		t.Errorf("guess %g of %v, stated %g of %v", guess.Noise.Scales[0], guess.Noise.SD, twice.Noise.Scales[0], twice.Noise.SD)
	}
}

// Bounds set the scale of tests; noise that is stated with them is the standard deviation of measurements.
func TestNoiseWithinBounds(t *testing.T) {
	p := try.Of(PaperCase(2, 0.1))
	both := try.Of(p.WithNoise(NoiseModel{Scales: []float64{0.2}, Bounds: &[2]float64{-9, 9}}))
	alone := try.Of(p.WithNoise(NoiseModel{Bounds: &[2]float64{-9, 9}}))
	if n := both.Noise; n.Scales[0] != 9 || n.StatedDeviations()[0] != 0.2 || n.Deviations()[0] != 0.2 || n.Text() != "0.2, within [-9, 9]" {
		t.Errorf("with noise: %+v, %s", n, n.Text())
	}
	if n := alone.Noise; n.Scales[0] != 9 || n.StatedDeviations() != nil || n.Deviations()[0] != 9 {
		t.Errorf("without noise: %+v", n)
	}
}

// An error of a noise model names the wrong field.
func TestNoiseError(t *testing.T) {
	p := try.Of(PaperCase(2, 0.1))
	for _, c := range []struct {
		model NoiseModel
		want  string
	}{
		{NoiseModel{Environment: "cauchy"}, "Environment"},
		{NoiseModel{Environment: EnvironmentResampled}, "Environment"},
		// by 0 and 1, and means are above 1
		{NoiseModel{Environment: EnvironmentBernoulli}, "Bounds"},
		{NoiseModel{Scales: []float64{1}, Bounds: &[2]float64{0, 1}}, "Scales"},
		{NoiseModel{UnknownBy: UnknownTask, Bounds: &[2]float64{0, 9}}, "Known"},
		{NoiseModel{Bounds: &[2]float64{1, 0}}, "Bounds"},
		{NoiseModel{Bounds: &[2]float64{0, 1}, Environment: EnvironmentGaussian}, "Bounds"},
		{NoiseModel{Bounds: &[2]float64{0, 1}}, "Bounds"}, // means above 1
		{NoiseModel{Scales: []float64{-1}}, "Scales"},
		{NoiseModel{Known: NoiseSD}, "Known"},
	} {
		_, err := p.WithNoise(c.model)
		if wrong := (*NoiseError)(nil); !errors.As(err, &wrong) || wrong.Field != c.want {
			t.Errorf("%+v: error %v, of %+v; want of %s", c.model, err, wrong, c.want)
		}
	}
}

// Arms have one unknown factor together, one a task or one each; where scales are known, none.
func TestNoiseGroups(t *testing.T) {
	taskOf := []int{0, 0, 1, 1, 1}
	for by, want := range map[string][]int{
		"": nil, UnknownProblem: {0, 0, 0, 0, 0}, UnknownTask: {0, 0, 1, 1, 1}, UnknownArm: {0, 1, 2, 3, 4},
	} {
		if got := (NoiseModel{UnknownBy: by}).Groups(taskOf); !slices.Equal(got, want) {
			t.Errorf("unknown by %q: groups %v, want %v", by, got, want)
		}
	}
}
