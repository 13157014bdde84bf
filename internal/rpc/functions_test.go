package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A kernel of the program is asked for all its points at once, and one that fails is an error of the call.
func TestFunctions(t *testing.T) {
	p := start(t)
	asked := 0
	p.ask = func(m message) any {
		var q evaluateParams
		try.To(json.Unmarshal(m.Params, &q))
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

// Requests that the program sends before it answers are handled at once, also inside each other. Their values can be used afterwards.
func TestRequestInsideFunction(t *testing.T) {
	p := start(t)
	problem := result[described](p, "call", named("paper", map[string]any{"case": 2, "gap": 0.4}))
	rewards := func(number int) map[string]any {
		return named("fb", map[string]any{"budget": 40, "rewards": map[string]any{"function": number, "label": "f"}}, ref(problem))
	}
	inner := map[int]described{}
	p.ask = func(m message) any {
		var q evaluateParams
		try.To(json.Unmarshal(m.Params, &q))
		if _, made := inner[q.Function]; !made && q.Function < 2 {
			inner[q.Function] = described{}
			result[bool](p, "folder", map[string]any{"path": "."})
			inner[q.Function] = result[described](p, "call", rewards(q.Function+1))
		}
		return evaluated{Means: make([]float64, len(q.Arms))}
	}
	outer := result[described](p, "call", rewards(0))
	for _, d := range []described{outer, inner[0], inner[1]} {
		if rows := result[[]any](p, "value", map[string]any{"name": d.Name, "form": "table"}); len(rows) == 0 {
			t.Errorf("%+v has no table", d)
		}
	}
	kernel := result[described](p, "call", call("arm", map[string]any{"function": 7, "label": "own"}))
	p.ask = func(m message) any {
		again := p.request("call", call("with_kernel", ref(problem), ref(kernel)))
		if again.Error == nil || !strings.Contains(again.Error.Message, "own calls gonb_cope with a value that is made with own") {
			t.Errorf("a kernel function that needs itself: %+v", again)
		}
		return "no number"
	}
	if m := p.request("call", call("with_kernel", ref(problem), ref(kernel))); m.Error == nil || m.Error.Data.Kind != "function" {
		t.Errorf("the call that asks it is answered by %+v", m)
	}
}

// An answer that is not JSON, such as NaN, ends the call that waits for it.
func TestUnreadableAnswer(t *testing.T) {
	p := start(t)
	problem := result[described](p, "call", named("paper", map[string]any{"case": 2, "gap": 0.4}))
	p.send(map[string]any{"id": "long", "method": "call", "params": named("fb",
		map[string]any{"budget": 40, "rewards": map[string]any{"function": 0, "label": "f"}}, ref(problem))})
	for {
		switch m := p.next(); {
		case m.Method == "evaluate":
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"means":[NaN]}}`, m.ID)
			fmt.Fprintf(p.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
		case string(m.ID) == `"long"`:
			if m.Error == nil || m.Error.Data.Kind != "function" || !strings.Contains(m.Error.Message, "NaN and infinity are not JSON") {
				t.Errorf("the call is answered by %+v", m.Error)
			}
			if d := result[described](p, "call", call("mean", []any{1})); d.Value != 1.0 {
				t.Errorf("after it a mean is %+v", d)
			}
			return
		}
	}
}

// A function is forgotten with the last value that is defined by it.
func TestForgetFunctions(t *testing.T) {
	p := start(t)
	p.ask = func(m message) any {
		var q evaluateParams
		try.To(json.Unmarshal(m.Params, &q))
		return evaluated{Means: make([]float64, len(q.Arms))}
	}
	problem := result[described](p, "call", named("paper", map[string]any{"case": 2, "gap": 0.4}))
	run := func(number int) described {
		return result[described](p, "call", named("fb",
			map[string]any{"budget": 40, "rewards": map[string]any{"function": number, "label": "f"}}, ref(problem)))
	}
	kept, dropped := run(0), run(1)
	gone := result[released](p, "release", map[string]any{"names": []string{dropped.Name}})
	if !slices.Equal(gone.Functions, []int{1}) {
		t.Errorf("forgotten are %v", gone.Functions)
	}
	result[described](p, "call", named("sweep", map[string]any{"budget": []any{40, 60}}, ref(kept))) // which asks it again
}

// The catalogue that the Python package has is the language's.
func TestPackageCatalogue(t *testing.T) {
	own := try.Of(os.ReadFile("../../python/gonb_cope/catalogue.json"))
	var want bytes.Buffer
	try.To(WriteCatalogue(&want))
	if !bytes.Equal(own, want.Bytes()) {
		t.Error("python/gonb_cope/catalogue.json is out of date; run: make docs")
	}
}
