package host_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
	"github.com/gonb-cope/gonb-cope/session"
	"github.com/gonb-cope/gonb-cope/session/display"
)

// decay returns the kernel of many cells here: exp(-rate |x₀ - y₀|).
func decay(rate float64) func(x, y []float64) float64 {
	return func(x, y []float64) float64 { return math.Exp(-rate * math.Abs(x[0]-y[0])) }
}

// points returns the points at which cells evaluate kernels.
func points() *kernels.Points {
	return try.Of(kernels.NewPoints([]string{"x_1", "x_2"}, []string{"a", "b", "c", "d"}, [][]float64{{0, 1}, {0.5, -1}, {2, 0.25}, {3, 3}}))
}

// cells returns the Go cells that the test binary plays.
func cells() map[string]func() {
	return map[string]func(){
		"copy": func() { // binds a copy of every value, as copy_NAME
			for _, e := range session.Names() {
				v := try.Of(session.Get(e.Name))
				session.Put("copy_"+e.Name, v)
			}
		},
		"names":   func() { fmt.Println(session.Names()) },
		"unknown": func() { session.Problem("nothing_like_it") },
		"kind":    func() { session.PointKernel("joint") },
		"readers": func() {
			fmt.Println(session.Kernel("joint"), session.PointKernel("kx"), session.Number("ell"), session.Text("word"), session.List("list"), session.Numbers("list"),
				session.Texts("words"), session.Problem("p").N(), session.Result("r").Runs, len(session.Sweep("s").Rows), session.Bounds("b").RankJoint,
				len(session.Plan("f").Rows), session.Design("d").Status, len(session.Hardness("h").Rows), len(session.Spectrum("e").Joint),
				len(session.Comparisons("cmp").Rows), session.Speedup("sp").Tasks)
		},
		"gram": func() {
			gram := try.Of(kernels.Gram(session.PointKernel("wave"), points()))
			fmt.Println(mat.Formatted(gram))
		},
		"badName": func() { session.Put("sum of", 1.0) },
		"badWord": func() { session.Put("rbf", 1.0) },
		"badType": func() { session.Put("c", make(chan int)) },
		"badList": func() { session.Put("c", []any{1, "a", math.NaN()}) },
		"show":    func() { display.Show(session.Problem("p"), session.Kernel("joint"), 42); display.Markdown("**bold**") },

		"show0":  func() { display.Show(42) },
		"kernel": kernelPart,

		"decay":   func() { session.Put("decay", decay(1)) },
		"decayOf": func() { session.Put("decay", decay(session.Number("rate"))) },
		"decayIn": func() {
			session.Put("k", kernels.LiftArm(kernels.Add(kernels.Linear{}, kernels.Func("inner", decay(2)))))
		},
		"decayPlus": func() {
			k := session.PointKernel("wave")
			session.Put("both", func(x, y []float64) float64 { return decay(1)(x, y) + k.Eval(kernels.Point{X: x}, kernels.Point{X: y}) })
		},
		"two": func() { fmt.Println("once"); session.Put("one", decay(1)); session.Put("two", decay(2)) },
		"many": func() {
			for i := range 20 {
				session.Put(fmt.Sprint("f", i), decay(float64(i)))
			}
		},
		"changed": func() { // reads what it then binds
			rate := session.Number("rate")
			session.Put("rate", rate+1)
			session.Put("decay", decay(rate))
		},
		"panics": func() {
			session.Put("bad", func(x, y []float64) float64 { return x[7] })
		},
		"dies": func() {
			session.Put("bad", func(x, y []float64) float64 { fmt.Fprintln(os.Stderr, "goodbye"); os.Exit(9); return 0 })
		},
		"hangsBad": func() { session.Put("bad", func(x, y []float64) float64 { time.Sleep(time.Hour); return 1 }) },
		"elsewhere": func() { // does not come to Put again
			if os.Getenv(bridge.EnvServe) != "" {
				fmt.Fprintln(os.Stderr, "took another way")
				os.Exit(4)
			}
			session.Put("bad", decay(1))
		},
		"asksMore": func() {
			if os.Getenv(bridge.EnvServe) != "" {
				session.Number("rate")
			}
			session.Put("bad", decay(1))
		},
		"reward": func() {
			session.Put("measure", func(rng *rand.Rand, task, arm string, n int) (float64, error) {
				if arm == "broken" {
					return 0, fmt.Errorf("no such rig")
				}
				return float64(len(task)+len(arm)) + rng.NormFloat64()/math.Sqrt(float64(n)), nil
			})
			session.Put("one", func(rng *rand.Rand, task, arm string) float64 { return rng.Float64() })
		},
		"slow": func() {
			session.Names()
			fmt.Println("connected")
			var wait [1]byte
			_, _ = os.Stdin.Read(wait[:])
			session.Names()
		},
	}
}
