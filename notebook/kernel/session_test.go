package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// Go cells read what %%cope cells bound, bind names themselves, and show values as
// %%cope cells do.
func TestGoCellsSeeTheSession(t *testing.T) {
	needGo(t)
	f := start(t)
	f.execute("%%cope\nwave(x, y) = exp(-abs(x[0] - y[0]))\njoint = task(constant(1)) * arm(wave)\np = paper(case=2, gap=0.4)\nr = fc(p, delta=0.05, algorithm=\"CoKernelFC\", schedule=\"tuned\", runs=3, seed=1)").ok(t)
	r := f.execute(`import (
	"github.com/gonb-cope/gonb-cope/session"
	"github.com/gonb-cope/gonb-cope/session/display"
)
%%
fmt.Println("before")
fmt.Println(session.Kernel("joint"), session.Problem("p").Tasks.Len(), session.Result("r").Runs)
session.Put("answer", 42)
display.Show(session.Result("r"))
fmt.Println("after")`).ok(t)
	if got := r.text(t, "stdout"); !strings.Contains(got, "arm(wave) 5 3\n") && !strings.Contains(got, " 5 3\n") {
		t.Errorf("stdout %q", got)
	}
	if got := fmt.Sprint(slices.Compact(kinds(r.outputs))); got != "[stream display_data stream]" {
		t.Errorf("outputs %v: what is shown stands where it was shown", got)
	}
	shown := r.of(t, "display_data")
	want := f.execute("%%cope\nr").ok(t).of(t, "execute_result")
	for _, media := range []string{"text/plain", "text/markdown", "text/latex", "application/vnd.gonb-cope+json"} {
		got, direct := dataOf(shown[0])[media], dataOf(want[0])[media]
		if media == "application/vnd.gonb-cope+json" { // the display of a bare value has no name
			got, direct = got.(map[string]any)["value"], direct.(map[string]any)["value"]
		}
		if media == "text/plain" {
			direct = strings.TrimPrefix(direct.(string), "r\n")
		}
		if fmt.Sprint(got) == "" || len(fmt.Sprint(got)) < len(fmt.Sprint(direct))/2 {
			t.Errorf("%s: %.200v\nwant %.200v", media, got, direct)
		}
	}
	if r := f.execute("%%cope\nanswer").ok(t); dataOf(r.of(t, "execute_result")[0])["text/plain"] != "answer = 42" {
		t.Errorf("%v", r.of(t, "execute_result"))
	}
	r = f.execute("import \"github.com/gonb-cope/gonb-cope/session\"\n%%\nfmt.Println(session.Problem(\"q\"))")
	if r.reply["ename"] != "Panic" || !strings.Contains(fmt.Sprint(r.reply["evalue"]), "q") {
		t.Errorf("an unknown name: %v", r.reply)
	}
}

// A Go func is a kernel in later %%cope cells; its mistakes are theirs, and the kernel
// goes on.
func TestGoFuncIsAKernel(t *testing.T) {
	needGo(t)
	f := start(t)
	f.execute(`import "github.com/gonb-cope/gonb-cope/session"
func wave(x, y []float64) float64 { return math.Exp(-math.Abs(x[0]-y[0])) }
func broken(x, y []float64) float64 { panic("no such point") }
%%
session.Put("wave", wave)
session.Put("broken", broken)`).ok(t)
	try.To(os.WriteFile(filepath.Join(f.cmd.Dir, "arms.csv"), []byte("task,arm,x_1,mean\na,1,0,0.5\na,2,1,0.7\na,3,2.5,0.1\nb,1,0,0.2\nb,2,1,0.3\n"), 0o600))
	value := func(code string) any {
		r := f.execute(code).ok(t)
		return dataOf(r.of(t, "execute_result")[0])["application/vnd.gonb-cope+json"].(map[string]any)["value"]
	}
	script := "%%%%cope\nformula(x, y) = exp(-abs(x[0] - y[0]))\np = problem(\"arms.csv\", kernel=task(identity()) * arm(%s), noise=1)\nspectrum(p)"
	if got, want := value(fmt.Sprintf(script, "wave")), value(fmt.Sprintf(script, "formula")); !reflect.DeepEqual(got, want) {
		t.Errorf("with the Go func: %v\nwith the formula: %v", got, want)
	}
	r := f.execute(fmt.Sprintf(script, "broken"))
	if traceback := fmt.Sprint(r.reply["traceback"]); r.reply["status"] != "error" || !strings.Contains(traceback, "no such point") {
		t.Errorf("a func that panics: %v %s", r.reply["status"], traceback)
	}
	value(fmt.Sprintf(script, "wave"))
}

// An algorithm of a Go cell runs in %%cope cells after its cell has ended. One that hangs is interrupted, and the message names it. The
// same cells have the same results in the store of another kernel, and a changed one has others.
func TestGoAlgorithm(t *testing.T) {
	needGo(t)
	const cell = `import (
	"context"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/session"
)
type uniform struct {
	m    *model.Model
	sets [][]int
	hang bool
}
func (a *uniform) Plan(context.Context) (engine.Plan, error) {
	if a.hang { select {} }
	return engine.PlanOfSets(a.m.Problem, a.sets, PULLS), nil
}
func (a *uniform) Done() bool { return len(a.sets[0]) == 1 }
func (a *uniform) State() engine.State { return engine.StateOfSets(a.m.Problem, a.sets, nil, 1) }
func (a *uniform) Learn(_ context.Context, b engine.Batch) error {
	for v, arms := range a.sets {
		a.sets[v] = []int{slices.MaxFunc(arms, func(i, j int) int { return cmp.Compare(b.Means[i], b.Means[j]) })}
	}
	return nil
}
%%
session.Put("mine", algorithms.Entry{New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
	return &uniform{m, m.Problem.Groups(), false}, nil
}})
session.Put("stuck", algorithms.Entry{New: func(m *model.Model, _ engine.Options) (engine.Algorithm, error) {
	return &uniform{m, m.Problem.Groups(), true}, nil
}})`
	store := filepath.Join(t.TempDir(), "own.jsonl")
	script := fmt.Sprintf("%%%%cope\nr = fc(paper(case=1, gap=0.4), algorithm=mine, runs=3)\ns = sweep(r, algorithm=[\"CoTestFC\", mine], store=%q)\n\"{s.stored}\"", store)
	for i, c := range []struct{ pulls, want string }{{"5", "0"}, {"5", "2"}, {"6", "1"}} {
		f := start(t)
		f.execute(strings.Replace(cell, "PULLS", c.pulls, 1)).ok(t)
		r := f.execute(script).ok(t)
		if got := fmt.Sprint(dataOf(r.of(t, "execute_result")[0])["text/plain"]); got != c.want {
			t.Errorf("%d: %s stored results, want %s", i, got, c.want)
		}
		if i > 0 {
			continue
		}
		m := f.submit("%%cope\nh = fc(paper(case=1, gap=0.4), algorithm=stuck, runs=3)")
		time.Sleep(time.Second)
		f.ask(jupyter.ControlChannel, "interrupt_request", struct{}{})
		if r := f.finish(m); r.reply["ename"] != "Interrupted" || !strings.Contains(fmt.Sprint(r.reply["traceback"]), "stuck was interrupted") {
			t.Errorf("%v", r.reply)
		}
		f.execute("%%cope\nfc(paper(case=1, gap=0.4), algorithm=mine)").ok(t)
	}
}

// A Go func draws the rewards of a run in a %%cope cell.
func TestGoFuncDrawsRewards(t *testing.T) {
	needGo(t)
	f := start(t)
	f.execute(`import (
	"math/rand/v2"
	"github.com/gonb-cope/gonb-cope/session"
)
%%
session.Put("measure", func(rng *rand.Rand, task, arm string) float64 {
	if arm == "{1,2}" { return 5 + rng.NormFloat64() }
	return rng.NormFloat64()
})`).ok(t)
	r := f.execute("%%cope\nr = fb(paper(case=1, gap=0.4), budget=600, algorithm=\"IndUniformFB\", rewards=measure, seed=3)\nr").ok(t)
	value := dataOf(r.of(t, "execute_result")[0])["application/vnd.gonb-cope+json"].(map[string]any)["value"].(map[string]any)
	if leader := value["answers"].([]any)[0].(map[string]any)["leader"]; leader != "{1,2}" {
		t.Errorf("the leader is %v, but the function pays for {1,2}", leader)
	}
}
