package rpc

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// A kernel of the program is asked for all its points at once, and one that fails is an error of the call.
func TestFunctions(t *testing.T) {
	p := start(t)
	asked := 0
	p.ask = func(m message) any {
		var q evaluateParams
		if err := json.Unmarshal(m.Params, &q); err != nil {
			t.Fatal(err)
		}
		if q.Kind == "rewards" {
			var means []float64
			for _, arm := range q.Arms {
				means = append(means, float64(len(arm)))
			}
			return evaluated{Means: means}
		}
		asked++
		dim := len(p.blocks[q.X]) / 8 / q.Rows
		xs, _ := floats(p.blocks[q.X], q.Rows*dim)
		ys, _ := floats(p.blocks[q.Y], q.Width*dim)
		var values []float64
		for i := range q.Rows {
			for j := range q.Width {
				d := 0.0
				for c := range dim {
					d += math.Abs(xs[i*dim+c] - ys[j*dim+c])
				}
				values = append(values, math.Exp(-d))
			}
		}
		p.block(100+asked, bytesOf(values))
		return evaluated{Block: 100 + asked}
	}
	fn := map[string]any{"function": 0, "label": "laplace"}
	k := result[described](p, "call", call("*", ref(result[described](p, "call", call("task", ref(result[described](p, "call", call("identity")))))), ref(result[described](p, "call", call("arm", fn)))))
	problem := result[described](p, "call", named("paper", map[string]any{"case": 2, "gap": 0.4}))
	own := result[described](p, "call", call("with_kernel", ref(problem), ref(k)))
	if asked != 1 {
		t.Errorf("the function was asked %d times for one list of points", asked)
	}
	result[ran](p, "run", map[string]any{"file": "f", "script": "laplace(x, y) = exp(-sum(abs(x - y)))\nboth = task(identity()) * arm(laplace)", "bind": map[string]any{}})
	theirs := result[described](p, "call", call("with_kernel", ref(problem), map[string]any{"name": "both"}))
	samples := func(d described) any {
		r := result[described](p, "call", named("fc", map[string]any{"runs": 2, "seed": 3}, ref(d)))
		return result[described](p, "call", call(".", ref(r), "samples")).Value
	}
	if a, b := samples(own), samples(theirs); a != b {
		t.Errorf("the function takes %v samples, the same formula %v", a, b)
	}
	r := result[described](p, "call", named("fb", map[string]any{"budget": 40, "rewards": map[string]any{"function": 1, "label": "rewards"}}, ref(problem)))
	if r.Type != "result" {
		t.Errorf("rewards of a function give %+v", r)
	}
	p.ask = func(message) any { return "no number" }
	m := p.request("call", call("with_kernel", ref(problem), ref(result[described](p, "call", call("arm", map[string]any{"function": 2, "label": "bad"})))))
	if m.Error == nil || m.Error.Data.Kind != "function" {
		t.Errorf("a function that fails is answered by %+v", m)
	}
}

// The catalogue that the Python package has is the language's.
func TestPackageCatalogue(t *testing.T) {
	own, err := os.ReadFile("../../../python/gonb_cope/catalogue.json")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := WriteCatalogue(&want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(own, want.Bytes()) {
		t.Error("python/gonb_cope/catalogue.json is out of date; run: make docs")
	}
}
