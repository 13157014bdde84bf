package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// evaluated returns what a script displays.
func evaluated(t *testing.T, text string, opt dsl.Options) []report.Display {
	t.Helper()
	script, errs := dsl.Parse("test.cope", text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return try.Of(dsl.NewSession(opt).Eval(t.Context(), script))
}

// facts starts a server on a free port of loopback and joins it, for the time of a test.
func facts(t *testing.T) cluster.Exchange {
	t.Helper()
	s := try.Of(jetstream.Serve(t.Context(), t.TempDir(), jetstream.ServeOptions{Listen: "127.0.0.1:0"}))
	t.Cleanup(func() { s.Close() })
	x := try.Of(jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{}))
	t.Cleanup(func() { x.Close() })
	return x
}

// serveRuns lets agents that draw their rewards take part in every run of an exchange.
func serveRuns(t *testing.T, x cluster.Facts) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() { cancel(); all.Wait() })
	known := map[string]bool{}
	all.Go(func() {
		for ctx.Err() == nil {
			runs, _ := x.Runs(ctx)
			for _, run := range runs {
				b, err := cluster.Opened(ctx, x, run)
				if known[run] || err != nil {
					continue
				}
				known[run] = true
				for _, task := range b.Tasks {
					o := agentOptions{run: run, task: task, simulate: true}
					a := cluster.Agent{Facts: x, Run: run, Task: task, Folder: t.TempDir(), Make: o.make, Build: cluster.BuildHere(), Puller: o.puller(ctx)}
					all.Go(func() {
						if _, err := a.Take(ctx); err != nil && ctx.Err() == nil {
							t.Errorf("run %s, task %s: %v", run, task, err)
						}
					})
				}
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
}

// The measurements of separate agents give the value of fc and fb. Everything in it that needs no
// simulation equals a run within one process whose rewards are drawn from the same seed: answers,
// rounds, samples, digests, eliminations, messages, bytes, truth and lower bound, and the estimates of
// every round that figures show.
func TestRunByAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("runs of agents by a script are for the full run")
	}
	const script = `
level = 0.05
k = task(identity()) * arm(linear()) + arm(linear())
p = problem("wells.csv", kernel=k, noise=1)
q = problem("wells.csv", kernel=k, noise="unknown")
first = fc(p, delta=level, seed=3)
first
fc(p, 2*level, algorithm="CoKernelFC", norm=20, gap=4, seed=4)
fc(q, seed=6)
fc(p, algorithm="CoBayesFC", seed=7, level=10)
fb(p, 40, seed=8, runs=1)
fc(q, epsilon=1)
first.samples_per_agent
fc(p, runs=3, seed=3)
`
	folder := t.TempDir()
	table := "task,arm,x_heat,z_place,mean\n"
	for v, task := range []string{"oslo", "rome", "new york"} {
		for i := range 6 {
			table += fmt.Sprintf("%s,%c,%d,%d,%g\n", task, 'a'+i, i, v, float64(i*(v+1))/2)
		}
	}
	try.To(os.WriteFile(folder+"/wells.csv", []byte(table), 0o666))
	want := evaluated(t, script, dsl.Options{Folder: folder})
	x := facts(t)
	serveRuns(t, x)
	var mu sync.Mutex
	var said []string
	say := func(line string) { mu.Lock(); said = append(said, line); mu.Unlock() }
	o := &agentRuns{facts: x, agentRunOptions: &agentRunOptions{run: "wells", patience: time.Minute}, say: say, again: "again"}
	got := evaluated(t, script, dsl.Options{Folder: folder, Agents: o})
	if len(got) != len(want) || o.runs != 6 {
		t.Fatalf("%d displays, %d runs; want %d and 6\n%s", len(got), o.runs, len(want), strings.Join(said, "\n"))
	}
	runs := 0
	for i, d := range got {
		r, is := d.Value.(engine.Result)
		if !is || r.Asked > 1 {
			if diff := cmp.Diff(asJSON(t, want[i].Value), asJSON(t, d.Value)); diff != "" {
				t.Errorf("display %d: %s", i+1, diff)
			}
			continue
		}
		runs++
		name := "wells"
		if runs > 1 {
			name = fmt.Sprintf("wells-%d", runs)
		}
		w := want[i].Value.(engine.Result)
		if !slices.Contains(r.Stated, engine.Setting{Name: engine.SettingAgents, Value: name}) || r.Guarantee == w.Guarantee && r.Algorithm != "CoBayesFC" || r.Seed != 0 {
			t.Errorf("display %d: stated %v, guarantee %q, seed %d", i+1, r.Stated, r.Guarantee, r.Seed)
		}
		// what is measured is not said to be drawn
		r.Stated = r.Stated[:len(r.Stated)-1]
		w.Guarantee, w.Standing, w.Seed = r.Guarantee, r.Standing, 0
		if w.Messages == 0 { // separate agents send each other their measurements, even if each tests alone
			w.Messages, w.Bytes, w.BytesRaw, w.BytesTheta = r.Messages, r.Bytes, r.BytesRaw, r.BytesTheta
		}
		w.Stated = append([]engine.Setting{}, w.Stated...)
		w.Warnings = slices.DeleteFunc(w.Warnings, func(x engine.Warning) bool {
			return slices.Contains([]engine.WarningKind{engine.WarnNoiseGuessed, engine.WarnNormWould, engine.WarnNormWouldNot}, x.Kind)
		})
		if len(w.Warnings) == 0 {
			w.Warnings = nil
		}
		if diff := cmp.Diff(w, r); diff != "" {
			t.Errorf("display %d, %s: %s", i+1, r.Algorithm, diff)
		}
	}
	// a second evaluation of the script finds the same without any agent
	again := evaluated(t, script, dsl.Options{Folder: folder, Agents: &agentRuns{facts: x, agentRunOptions: &agentRunOptions{run: "wells", patience: time.Minute}, say: say}})
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("evaluated again: %s", diff)
	}
}

// asJSON returns a value as reports write it.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	text := try.Of(json.Marshal(report.JSONValue(v)))
	return string(text)
}

// A call that agents cannot make by themselves is refused, with its place and the reason.
func TestRunByAgentsRefused(t *testing.T) {
	const base = "p = paper(case=2)\n"
	for text, want := range map[string]string{
		base + "r = fc(p, runs=2, delta=0.2)\nfc(p, delta=r.delta)": "it depends on r, the result of other runs, which agents would have to repeat",
		base + `fc(p, algorithm="Oracle")`:                          "Oracle",
		base + "fc(p, algorithm=\"CoKernelFC\")":                    `agents receive a protocol, which has no expected rewards: test.cope:2:9: protocol failed`,
	} {
		script, errs := dsl.Parse("test.cope", text)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		x := facts(t)
		o := &agentRuns{facts: x, agentRunOptions: &agentRunOptions{run: "r", patience: time.Minute}, say: func(string) {}}
		_, err := dsl.NewSession(dsl.Options{Agents: o}).Eval(t.Context(), script)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "test.cope:") {
			t.Errorf("%s: error %v; want %q", text, err, want)
		}
		if runs, _ := x.Runs(t.Context()); len(runs) > 0 {
			t.Errorf("%s: runs %v were opened", text, runs)
		}
	}
}
