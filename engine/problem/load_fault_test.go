package problem

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// Damaged tables are refused with file and place, or loaded with numbers that are finite and a mean
// for every arm or for none; nothing is half loaded.
func TestFaultTables(t *testing.T) {
	whole := []string{
		"task,arm,x_1,x_2,z_1,mean,sd,reps\na,p,0,1,5,1.5,0.3,4\na,q,1,0,5,2,0.2,4\nb,p,0,1,7,1,0.1,3\nb,q,1,0,7,0.5,0.3,9\n",
		"\ufefftask,arm,mean\r\n\"a, b\",\"p\"\"q\",1e-3\r\n\"a, b\",q,-2.5e3\r\n",
	}
	odd := []string{",", ",,", "\"", "\n", "\r", "\r\n", "\x00", "\ufeff", "\xff", "NaN", "Inf", "-", "1e999", "1e308", "-1e308", "1e-320", "0x10", "1_0", " ", "\t", ";", "task", "mean", "x_1", "é", "e\u0301", "\u202e", "=1+1", strings.Repeat("9", 400), strings.Repeat("a,", 300)}
	rng := rand.New(rand.NewPCG(1, 101))
	trials, loaded := 3000, 0
	if testing.Short() {
		trials = 100
	}
	leak := regexp.MustCompile(`panic|runtime error|strconv\.|csv\.|%!|float64`)
	for i := range trials {
		text := whole[i%2]
		for range 1 + rng.IntN(2) {
			from := rng.IntN(len(text) + 1)
			to := min(len(text), from+rng.IntN(5))
			text = text[:from] + odd[rng.IntN(len(odd))] + text[to:]
			if rng.IntN(4) == 0 {
				text = text[:rng.IntN(len(text)+1)]
			}
		}
		path := write(t, "p.csv", text)
		p, err := Load(path, independent, LoadOptions{Noise: NoiseModel{Scales: []float64{1}}})
		if err != nil {
			var data *DataError
			if p != nil || !errors.As(err, &data) || !strings.HasPrefix(err.Error(), path) || leak.MatchString(err.Error()) {
				t.Errorf("%q: loaded %v, error %v", text, p, err)
			}
			continue
		}
		loaded++
		if p.N() == 0 || p.V() == 0 || len(p.TaskOf) != p.N() || p.Mean != nil && len(p.Mean) != p.N() {
			t.Errorf("%q: loaded %d arms of %d tasks with %d means", text, p.N(), p.V(), len(p.Mean))
		}
		for _, v := range p.Mean {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%q: mean %v", text, v)
			}
		}
	}
	if loaded == 0 || loaded == trials {
		t.Errorf("%d of %d tables loaded", loaded, trials)
	}
	t.Logf("%d of %d damaged tables loaded", loaded, trials)
}
