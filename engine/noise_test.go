package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noisy has means 0.2 and 0.9, and standard deviations that no guess is.
const noisy = "task,arm,mean,sd\na,x,0.2,0.3\na,y,0.9,0.4\n"

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a file and a statement together say of noise: scales, what is known of them, and by
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
		"number":        {LoadOptions{Noise: Noise{NoiseValue, 2}}, 2, 0, "", false, false, EnvironmentGaussian},
		"unknown":       {LoadOptions{Noise: Noise{NoiseUnknown, 0}}, 1, 0.4, UnknownCommon, false, false, EnvironmentGaussian},
		"guess":         {LoadOptions{Noise: Noise{NoiseUnknownArm, 7}}, 7, 0.4, UnknownArm, false, false, EnvironmentGaussian},
		"task":          {LoadOptions{Noise: Noise{NoiseUnknownTask, 0}}, 1, 0.4, UnknownTask, false, false, EnvironmentGaussian},
		"bounds":        {LoadOptions{Bounds: &[2]float64{-1, 2}}, 1.5, 0, "", false, true, EnvironmentBernoulli},
		"bernoulli":     {LoadOptions{Environment: EnvironmentBernoulli}, 0.5, 0, "", false, true, EnvironmentBernoulli},
		"the same":      {LoadOptions{Environment: EnvironmentBernoulli, Noise: Noise{NoiseValue, 0.5}}, 0.5, 0, "", false, true, EnvironmentBernoulli},
		"wider":         {LoadOptions{Environment: EnvironmentBernoulli, Noise: Noise{NoiseValue, 1}}, 1, 0, "", false, false, EnvironmentBernoulli},
		"coin, unknown": {LoadOptions{Environment: EnvironmentBernoulli, Noise: Noise{NoiseUnknown, 0}}, 1, 0.4, UnknownCommon, false, false, EnvironmentBernoulli},
	} {
		p, err := Load(path, independent, c.opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sd := 0.0
		if p.SD != nil {
			sd = p.SD[1]
		}
		if p.Noise[1] != c.noise || sd != c.sd || p.Unknown != c.unknown || p.NoiseEstimated != c.estimated || (p.Bounds != nil) != c.bounded || p.Environment != c.environment {
			t.Errorf("%s: noise %g, sd %g, unknown %q, estimated %v, bounds %v, environment %s", name, p.Noise[1], sd, p.Unknown, p.NoiseEstimated, p.Bounds, p.Environment)
		}
		if only := p.Only(0); only.Unknown != p.Unknown || only.Bounds != p.Bounds || only.Environment != p.Environment {
			t.Errorf("%s: the task alone has unknown %q, bounds %v", name, only.Unknown, only.Bounds)
		}
	}
}

// Rewards outside of the bounds are told with file, line and column.
func TestBoundsOfFiles(t *testing.T) {
	path := written(t, "noisy.csv", noisy)
	_, err := Load(path, independent, LoadOptions{Bounds: &[2]float64{0, 0.5}})
	if want := path + ":3:5: column \"mean\": 0.9 is outside of the bounds [0, 0.5]"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	plain := written(t, "plain.csv", "task,arm\na,x\na,y\n")
	raw := written(t, "raw.csv", "task,arm,rep,reward\na,x,1,0.2\na,x,2,1.5\na,y,1,0\n")
	_, err = Load(plain, independent, LoadOptions{Rewards: raw, Bounds: &[2]float64{0, 1}})
	if want := raw + ":3:7: column \"reward\": 1.5 is outside of the bounds [0, 1]"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if p, err := Load(plain, independent, LoadOptions{Rewards: raw, Bounds: &[2]float64{0, 2}}); err != nil || p.Noise[0] != 1 || p.Environment != EnvironmentResampled {
		t.Errorf("within bounds: %v", err)
	}
}

// What cannot be together is an error that says why.
func TestNoiseContradictions(t *testing.T) {
	unit := &[2]float64{0, 1}
	for want, m := range map[string]NoiseModel{
		"give one of the two":                                {Noise: Noise{NoiseValue, 1}, Bounds: unit},
		"bounded needs two finite numbers":                   {Bounds: &[2]float64{1, 1}},
		"have no bounds; bounded= needs":                     {Bounds: unit, Environment: EnvironmentGaussian},
		"needs raw rewards":                                  {Environment: EnvironmentResampled},
		"environment must be one of":                         {Environment: "cauchy"},
		"has no strength":                                    {Strength: 2},
		"strength must be greater than 2":                    {Environment: EnvironmentStudent, Strength: 2},
		"greater than 0 and at most 0.5 (share of outliers)": {Environment: EnvironmentOutliers, Strength: 0.6},
		"at most 0.999 (correlation of neighbours), got 1":   {Environment: EnvironmentAutocorrelated, Strength: 1},
		"noise=\"sd\" needs a file":                          {Noise: Noise{Kind: NoiseSD}},
		"noise must be a positive number, got -1":            {Noise: Noise{NoiseValue, -1}},
		"the mean 0.9 is outside of the bounds [0, 0.8]":     {Bounds: &[2]float64{0, 0.8}},
	} {
		p, err := Load(written(t, "noisy.csv", noisy), independent, LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.WithNoise(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A guess leaves the simulated noise as it was; a stated number sets it.
func TestWithNoise(t *testing.T) {
	p, err := PaperCase(1, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	guess, err1 := p.WithNoise(NoiseModel{Noise: Noise{NoiseUnknown, 3}})
	twice, err2 := p.WithNoise(NoiseModel{Noise: Noise{NoiseValue, 2}})
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if guess.Noise[0] != 3 || guess.SD[0] != 1 || twice.Noise[0] != 2 || twice.SD != nil || p.Noise[0] != 1 || p.Unknown != "" {
		t.Errorf("guess %g of %v, stated %g of %v", guess.Noise[0], guess.SD, twice.Noise[0], twice.SD)
	}
	if strength := EnvironmentStudent; func() float64 { q, _ := p.WithNoise(NoiseModel{Environment: strength}); return q.Strength }() != 3 {
		t.Errorf("the default strength of %s is not set", strength)
	}
}

// Scales of which nobody said anything are 1, and that is told.
func TestNoiseAssumed(t *testing.T) {
	bare, stated := "task,arm,mean\na,x,0.2\na,y,0.9\n", noisy
	for _, c := range []struct {
		text string
		opt  LoadOptions
		want bool
	}{
		{bare, LoadOptions{}, true},
		{bare, LoadOptions{Noise: Noise{NoiseValue, 1}}, false},
		{bare, LoadOptions{Noise: Noise{NoiseUnknown, 3}}, false},
		{bare, LoadOptions{Bounds: &[2]float64{0, 1}}, false},
		{bare, LoadOptions{Environment: EnvironmentBernoulli}, false},
		{stated, LoadOptions{}, false},
	} {
		p, err := Load(written(t, "p.csv", c.text), independent, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if p.NoiseAssumed != c.want || strings.Contains(fmt.Sprint(p.NoiseWarnings()), "1 reward unit is assumed") != c.want {
			t.Errorf("%+v: assumed %v, warning %q; want %v", c.opt, p.NoiseAssumed, p.NoiseWarnings(), c.want)
		}
		// An unknown scale is only guessed, but simulated rewards need one.
		if guess := c.opt.Noise.Kind == NoiseUnknown; strings.Contains(fmt.Sprint(p.NoiseWarnings()), "by the guess of 3") != guess {
			t.Errorf("%+v: warning %q", c.opt, p.NoiseWarnings())
		}
	}
}

// An error of a noise model says what of it is wrong.
func TestNoiseError(t *testing.T) {
	p, err := PaperCase(2, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model NoiseModel
		want  string
	}{
		{NoiseModel{Environment: "cauchy"}, "environment"},
		{NoiseModel{Environment: EnvironmentResampled}, "environment"},
		{NoiseModel{Environment: EnvironmentBernoulli}, "bounded"}, // by 0 and 1, and means are above 1
		{NoiseModel{Noise: Noise{Kind: NoiseValue, Value: 1}, Bounds: &[2]float64{0, 1}}, "bounded"},
		{NoiseModel{Bounds: &[2]float64{1, 0}}, "bounded"},
		{NoiseModel{Bounds: &[2]float64{0, 1}, Environment: EnvironmentStudent}, "bounded"},
		{NoiseModel{Bounds: &[2]float64{0, 1}}, "bounded"}, // means above 1
		{NoiseModel{Strength: 2}, "strength"},
		{NoiseModel{Environment: EnvironmentOutliers, Strength: 0.9}, "strength"},
		{NoiseModel{Noise: Noise{Kind: NoiseValue, Value: -1}}, "noise"},
		{NoiseModel{Noise: Noise{Kind: NoiseSD}}, "noise"},
	} {
		_, err := p.WithNoise(c.model)
		if wrong := (*NoiseError)(nil); !errors.As(err, &wrong) || wrong.Field != c.want {
			t.Errorf("%+v: error %v, of %+v; want of %s", c.model, err, wrong, c.want)
		}
	}
}
