package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// asking returns the rewards that a Puller reports for a program that answers with these lines, and its error. It asks for two pulls of the
// first arm and one of the second.
func asking(t testing.TB, squares bool, answer string) (told []cluster.Reward, request cluster.Request, err error) {
	p := enginetest.Paper(t, 1, 0.2)
	a := cluster.Asking{Name: "the program", Ask: func(_ context.Context, b []byte, w io.Writer) error {
		if err := json.Unmarshal(b, &request); err != nil {
			t.Error(err)
		}
		for i := range len(answer) { // byte by byte, as a pipe may
			if _, err := w.Write([]byte{answer[i]}); err != nil {
				return err
			}
		}
		return nil
	}}
	// round 3, in which one pull of the first arm was recorded before
	pulls := cluster.Pulls{Run: "r", Task: "one", Algorithm: "CoTestFC", Problem: p, Plan: engine.Plan{Round: 3, WantSquares: squares}, Arms: []cluster.ArmPulls{{Arm: 0, Count: 2, Made: 1}, {Arm: 1, Count: 1}}}
	// a journal would refuse it
	err = a.Pull(context.Background(), pulls, func(all ...cluster.Reward) error {
		for _, r := range all {
			if !(r.Mean < 1e300) || r.Count < 1 {
				return fmt.Errorf("no such reward")
			}
		}
		told = append(told, all...)
		return nil
	})
	return told, request, err
}

// Output of programs is read line by line. An error names its line, and lines before it count.
func TestPrograms(t *testing.T) {
	names := enginetest.Paper(t, 1, 0.2).Arms.Names
	a, b := fmt.Sprintf("%q", names[0]), fmt.Sprintf("%q", names[1])
	good := `{"arm":` + a + `,"reward":0.5}` + "\n"
	told, request, err := asking(t, false, good+"\n"+`{"arm":`+b+`,"count":1,"mean":2}`+"\n"+`{"arm":`+a+`,"reward":-1e3}`)
	want := []cluster.Reward{{Arm: 0, Count: 1, Mean: 0.5}, {Arm: 1, Count: 1, Mean: 2}, {Arm: 0, Count: 1, Mean: -1000}}
	if err != nil || fmt.Sprint(told) != fmt.Sprint(want) {
		t.Errorf("told %v, error %v; want %v", told, err, want)
	}
	if request.Run != "r" || request.Round != 3 || request.Task != "one" || len(request.Arms) != 2 || request.Arms[0].Arm != names[0] || request.Arms[0].Count != 2 || request.Arms[0].Made != 1 || len(request.Arms[0].Settings) == 0 {
		t.Errorf("the request was %+v", request)
	}
	// by the words of the refusal: what the third line says
	for answer, want := range map[string]string{
		`oops`:                                     `want an object like {"arm": "a", "reward": 0.5}, got "oops"`,
		`{"arm":` + a + `,"rewrad":1}`:             "want an object like",
		`{"arm":` + a + `,"reward":1} 2`:           "want one object in a line",
		`{"arm":` + a + `,"reward":NaN}`:           "want an object like",
		`{"arm":"x","reward":1}`:                   `arm "x" was not asked for in this round of task "one"`,
		`{"arm":` + a + `}`:                        "want reward, or count (at least 1) and mean",
		`{"arm":` + a + `,"reward":1,"mean":1}`:    "want reward, or count",
		`{"arm":` + a + `,"count":0,"mean":1}`:     "want reward, or count",
		`{"arm":` + a + `,"count":2,"mean":1}`:     "CoTestFC estimates the noise. So 2 rewards need their mean and squares, the sum of (reward - mean)²",
		`{"arm":` + a + `,"reward":1e301}`:         "no such reward",
		`{"reward":1,"arm":` + a + `,"Reward":99}`: `the line has "reward" twice`,
		strings.Repeat("x", 70<<10):                "the line has more than 65536 bytes",
	} {
		// two good lines before it count, and the good one after it does not
		told, _, err := asking(t, true, good+good+answer+"\n"+good)
		if err == nil || !strings.Contains(err.Error(), "line 3 of the answer of the program: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: error %v; want %q", answer, err, want)
		}
		if len(told) != 2 {
			t.Errorf("%.40s: told %v", answer, told)
		}
	}
}

// Whatever a program prints is rewards of arms that were asked for, or an error with a line.
func FuzzPrograms(f *testing.F) {
	f.Add(`{"arm":"{1,2}","reward":1}`)
	f.Add(`{"arm":"{1,2}","count":3,"mean":1,"squares":2}` + "\n\n{}")
	f.Fuzz(func(t *testing.T, answer string) {
		told, _, err := asking(t, false, answer)
		if err != nil && !strings.Contains(err.Error(), " of the answer of the program: ") {
			t.Errorf("error without a place: %v", err)
		}
		for _, r := range told {
			if r.Arm > 1 || r.Count < 1 {
				t.Errorf("told %+v", r)
			}
		}
	})
}

// An agent that reads any bytes as a fact ends with a sentence, and never with a panic. The seeds have each kind of fact that an agent
// reads.
func FuzzFacts(f *testing.F) {
	q := questionOf(f)
	f.Add(1, "plan", []byte(`{"round":1,"author":0,"build":{},"counts":[1],"before":{"digest":"","leaders":null}}`))
	f.Add(0, "agent-0", []byte(`{"task":"task 1","instance":"x"}`))
	f.Add(1, "agent-1", []byte{1, 'M', 1, 1})
	f.Add(0, "run", []byte(`{"tasks":["a"],"arms":1}`))
	f.Add(0, "stop", []byte(`{"by":"x"}`))
	f.Fuzz(func(t *testing.T, round int, name string, body []byte) {
		if round < 0 || round > 1 {
			return
		}
		x := cluster.NewMemory()
		if name != "run" {
			opened(t, x, q, cluster.OpenOptions{})
		}
		x.Publish(t.Context(), cluster.Fact{Run: "r", Round: round, Name: name, Body: body})
		if _, err := cluster.StatusOf(t.Context(), x, "r"); err != nil && err.Error() == "" {
			t.Error("no sentence")
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		a := agentOf(t, x, q, 0)
		a.Notice = func(n cluster.Notice) {
			if n.Kind == cluster.NoticePulled {
				cancel()
			}
		}
		if name == "run" || name == "plan" || name == "agent-0" || name == "stop" {
			a.Take(ctx)
		}
	})
}

// A crash in the middle of a line leaves nothing of it; a line that was changed is refused with its
// number.
func TestJournal(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	a := agentOf(t, x, q, 0)
	// round 1 is pulled, and the agent ends
	ctx, cancel := context.WithCancel(t.Context())
	a.Notice = func(n cluster.Notice) {
		if n.Kind == cluster.NoticePulled {
			cancel()
		}
	}
	a.Take(ctx)
	path := filepath.Join(a.Folder, "rewards.jsonl")
	whole := must(os.ReadFile(path))
	if len(whole) == 0 {
		t.Fatal("no rewards")
	}
	a.Notice = nil
	var all []cluster.Agent
	for v := range q.Problem.V() {
		if v == 0 {
			all = append(all, a)
		} else {
			all = append(all, agentOf(t, x, q, v))
		}
	}
	// half a line at the end, as after a crash
	try.To(os.WriteFile(path, append(append([]byte{}, whole...), `{"round":1,"arm":0,"cou`...), 0o666))
	for v, got := range takeAll(t, all) {
		sameAs(t, fmt.Sprintf("agent-%d", v), got, inProcess(t, q))
	}
	if text := string(must(os.ReadFile(path))); !strings.HasPrefix(text, string(whole)) || strings.Contains(text, `"cou`+"\n") || strings.Contains(text, `"cou{`) {
		t.Errorf("the folder has %q", text)
	}
	// malformed lines that a crash cannot have caused
	for text, want := range map[string]string{
		`{"round":1,"arm":0,"count":1,"mean":x}` + "\n":                 "line 1 cannot be read. The file was changed",
		`{"round":1,"arm":0,"count":-1,"mean":1}` + "\n":                "line 1 cannot be read",
		`{"round":1,"arm":17,"count":1,"mean":1}` + "\n":                "has the arms 0 to 5",
		string(whole) + `{"round":0,"arm":0,"count":1,"mean":1}` + "\n": fmt.Sprintf("line %d cannot be read", strings.Count(string(whole), "\n")+1),
	} {
		try.To(os.WriteFile(path, []byte(text), 0o666))
		if _, err := a.Take(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v; want %q", text, err, want)
		}
	}
}

// An agent whose folder is older than its messages, or was changed, reports it, and goes on with what was recorded.
func TestFolderIsOlder(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	var all []cluster.Agent
	for v := range q.Problem.V() {
		all = append(all, agentOf(t, x, q, v))
	}
	takeAll(t, all)
	want := inProcess(t, q)
	a := all[1]
	path := filepath.Join(a.Folder, "rewards.jsonl")
	whole := must(os.ReadFile(path))
	lines := strings.SplitAfter(string(whole), "\n")
	// the folder unchanged, with its first line alone, and with another mean
	for text, word := range map[string]string{
		string(whole): "",
		lines[0]:      " lacks the rewards of ",
		strings.Replace(string(whole), `"mean":`, `"mean":1`, 1): "the rewards sent for task ",
	} {
		try.To(os.WriteFile(path, []byte(text), 0o666))
		said := &notices{}
		a.Notice = said.take
		got := try.Of(a.Take(t.Context()))
		if text := said.of(cluster.NoticeDiffers); (text == "") != (word == "") || !strings.Contains(text, word) {
			t.Errorf("noticed %q, want %q", text, word)
		}
		sameAs(t, "with another folder", got, want)
	}
}
