package campaign

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// plateRun runs CoTestFC on tied arms whose rewards share an error on every plate of 24, effect standard
// deviations of a reward, and reports whether it took one of them for worse.
func plateRun(t testing.TB, p Protocol, memory *model.Memory, effect float64, byArm bool, seed uint64) bool {
	asked := try.Of(p.question().Begin(t.Context(), memory))
	alg, opt := asked.Algorithm(), asked.Options()
	opt.MaxRounds = 6
	steps := try.Of(engine.Begin(alg, opt))
	rng := rand.New(rand.NewPCG(seed, 24))
	for {
		next, more := try.Two(steps.Next(t.Context()))
		if !more {
			return len(steps.Outcome().Eliminations) > 0
		}
		// as a campaign hands it out, or arm by arm, as people measure it who do not follow the list
		list := worklist(next.Counts, p.Problem.TaskOf, 24, seed<<8+uint64(next.Round))
		if byArm {
			list = list[:0]
			for i, n := range next.Counts {
				for k := range n {
					list = append(list, Slot{Arm: i, Number: k + 1, Plate: len(list)/24 + 1})
				}
			}
		}
		n := len(next.Counts)
		b := engine.Batch{Counts: next.Counts, Means: make([]float64, n)}
		if next.WantSquares {
			b.Squares = make([]float64, n)
		}
		// the plate that is measured, and the error that all its rewards have in common
		plate, common := 0, 0.0
		var squares = make([]float64, n)
		for _, s := range list {
			if s.Plate != plate {
				plate, common = s.Plate, effect*rng.NormFloat64()
			}
			x := common + rng.NormFloat64()
			b.Means[s.Arm] += x
			squares[s.Arm] += x * x
		}
		for i, c := range next.Counts {
			if c == 0 {
				continue
			}
			b.Means[i] /= float64(c)
			if next.WantSquares {
				b.Squares[i] = math.Max(0, squares[i]-float64(c)*b.Means[i]*b.Means[i])
			}
		}
		try.To(steps.Learn(t.Context(), b))
	}
}

// On balanced plates an error that a plate has in common leaves the errors of a test within what is
// stated, known noise or unknown; on lists arm by arm it does not, so that the test can fail. RUNS=10000
// makes the numbers of docs/explanation/robustness.md.
func TestErrorsOnPlates(t *testing.T) {
	runs := 300
	if n, err := strconv.Atoi(os.Getenv("RUNS")); err == nil {
		runs = n
	} else if testing.Short() {
		runs = 25
	}
	for _, unknown := range []bool{false, true} {
		base := enginetest.Small(t, enginetest.Identity, []float64{0, 0})
		if unknown {
			q := *base
			q.Noise.UnknownBy = problem.UnknownProblem
			base = &q
		}
		p := Protocol{Problem: base, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.1}}
		memory := new(model.Memory)
		// standard deviations of a reward
		for _, effect := range []float64{0, 0.3, 1} {
			for _, byArm := range []bool{false, true} {
				if byArm && effect == 0 {
					continue
				}
				wrong := 0
				for seed := range uint64(runs) {
					wrong += indices.Indicator(plateRun(t, p, memory, effect, byArm, seed))
				}
				rate := float64(wrong) / float64(runs)
				order := map[bool]string{false: "balanced", true: "arm by arm"}[byArm]
				t.Logf("noise unknown %v, plates of %.1f sd, %s: %.4f ± %.4f wrong", unknown, effect, order, rate, 2*math.Sqrt(rate*(1-rate)/float64(runs)))
				// three standard errors of a share of 0.1
				slack := 3 * math.Sqrt(0.1*0.9/float64(runs))
				if !byArm && rate > 0.1+slack {
					t.Errorf("%s, %g: %.4f wrong at delta = 0.1", order, effect, rate)
				}
				if byArm && effect == 1 && rate < 0.1+slack {
					t.Errorf("%s, %g: %.4f wrong: lists arm by arm should do harm, or the test says nothing", order, effect, rate)
				}
			}
		}
	}
}
