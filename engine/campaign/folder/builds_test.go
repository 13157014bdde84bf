package folder

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// continuing names the folder, the last round, and what to do about revisions, for another build of these
// tests that measures a campaign on.
const continuing = "CAMPAIGN_TEST_CONTINUES"

// couplingBuilds is the protocol that builds hand to each other.
func couplingBuilds(t testing.TB) (campaign.Protocol, [][]float64) {
	return coupling(t, engine.ModeFC, "CoTestFC", engine.Options{Epsilon: 10}, false)
}

// plansOf returns the recorded plans of a campaign, by round.
func plansOf(t *testing.T, c *Campaign) map[int]string {
	t.Helper()
	list := try.Of(events(t.Context(), c.db.db, 0))
	out := map[int]string{}
	for _, e := range list {
		var b campaign.PlanBody
		if e.Kind != campaign.KindPlan {
			continue
		}
		try.To(json.Unmarshal(e.Body, &b))
		if !b.Done {
			out[b.Round] = fmt.Sprint(b.Counts)
		}
	}
	return out
}

// measureTo measures a campaign until a round is over, or all is decided.
func measureTo(t *testing.T, c *Campaign, rewards [][]float64, last int) {
	t.Helper()
	for {
		l := try.Of(c.Ask(t.Context(), campaign.Request{By: "Ann", Count: 100_000}))
		if len(l.Rows) == 0 || l.Round > last {
			return
		}
		var rows []string
		for _, r := range l.Rows {
			arm, number := pullOf(t, c.dir, c.Protocol().Problem, r.ID)
			rows = append(rows, row(r.ID, reward(rewards, 11, r.Round, arm, number)))
		}
		told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
	}
}

// TestContinuesInAnotherBuild makes the part of another build, for TestBuilds.
func TestContinuesInAnotherBuild(t *testing.T) {
	// folder, last round, and the name of the build
	parts := strings.Split(os.Getenv(continuing), "|")
	if len(parts) != 3 {
		t.Skip("for builds that TestBuilds makes")
	}
	last := try.Of(strconv.Atoi(parts[1]))
	p, rewards := couplingBuilds(t)
	c := try.Of(Open(t.Context(), parts[0], again(p), Options{Build: parts[2]}))
	defer c.Close()
	if parts[2] == "changed" {
		// it takes the results of all pulls handed out, and then reports that it decides otherwise
		if _, err := c.Ask(t.Context(), campaign.Request{By: "Ann", Count: 100_000}); err == nil || !strings.Contains(err.Error(), "campaign upgrade") {
			t.Fatalf("a build with another constant goes on: %v", err)
		}
		changes, err := c.Upgrade(t.Context(), "Ann", false)
		if err != nil || changes == nil {
			t.Fatalf("%v: %v", err, changes)
		}
	}
	measureTo(t, c, rewards, last)
}

// built builds these tests otherwise, and returns a function that runs them on a campaign.
func built(t *testing.T, name string, env []string, args ...string) func(dir string, last int) {
	t.Helper()
	// the tests of this package, compiled with other flags or sources
	program := filepath.Join(t.TempDir(), name+".test")
	build := exec.Command("go", append(append([]string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", program}, args...), ".")...)
	build.Env = append(os.Environ(), env...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return func(dir string, last int) {
		t.Helper()
		c := exec.Command(program, "-test.run", "^TestContinuesInAnotherBuild$", "-test.v")
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d|%s", continuing, dir, last, name))
		out, err := c.CombinedOutput()
		if strings.Contains(string(out), "microarchitecture support") {
			t.Skip("this processor cannot run programs that are built with GOAMD64=v3, which is what the test compares")
		}
		if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
}

// overlay returns a file for go build -overlay in which texts of sources are replaced. Each text must be there once, so that a source which
// was changed since fails the test.
func overlay(t *testing.T, changes map[string][2]string) string {
	t.Helper()
	replace := map[string]string{}
	for path, change := range changes {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Count(string(text), change[0]) != 1 {
			t.Fatalf("%s: %v, or %q is not there once", path, err, change[0])
		}
		other := filepath.Join(t.TempDir(), filepath.Base(path))
		try.To(os.WriteFile(other, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o600))
		replace[path] = other
	}
	text := try.Of(json.Marshal(map[string]any{"Replace": replace}))
	file := filepath.Join(t.TempDir(), "overlay.json")
	try.To(os.WriteFile(file, text, 0o600))
	return file
}

// A campaign that one build begins is continued by one with another constant, which plans otherwise, and, where GONB_COPE_FAULTS is
// set, by one that adds in another order and by one for newer processors, which both round otherwise. This one goes on with what they
// made: rounds that were planned stay unchanged, no decision is another, and no answer is wrong.
func TestBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	p, rewards := couplingBuilds(t)
	// what this build does alone, to compare plans with
	whole := begin(t, p, Options{})
	measureTo(t, whole, rewards, 1000)
	own := plansOf(t, whole)
	for _, b := range []struct {
		name string
		env  []string
		args func(t *testing.T) []string
	}{
		{"v3", []string{"GOAMD64=v3"}, func(t *testing.T) []string {
			if runtime.GOARCH != "amd64" {
				t.Skip("GOAMD64 is of amd64 alone")
			}
			return nil
		}},
		// sums of products from the last to the first: equal except for rounding
		{"backwards", nil, func(t *testing.T) []string {
			return []string{"-overlay", overlay(t, map[string][2]string{"../../model/leastsquares.go": {
				"sum := 0.0\n\tfor k, v := range a {\n\t\tsum += v * b[k]\n\t}\n\treturn sum",
				"sum := 0.0\n\tfor k := len(a) - 1; k >= 0; k-- {\n\t\tsum += a[k] * b[k]\n\t}\n\treturn sum",
			}})}
		}},
		// another constant of the algorithm, with a revision of its own, as a developer who changes one has to raise it
		{"changed", nil, func(t *testing.T) []string {
			return []string{"-overlay", overlay(t, map[string][2]string{
				"../../internal/cotest/contest.go": {"optimism     = 1.5 ", "optimism     = 2.5 "},
				"../protocol.go":                   {fmt.Sprintf("const Revision = %d\n", campaign.Revision), fmt.Sprintf("const Revision = %d\n", campaign.Revision+1)},
			})}
		}},
	} {
		t.Run(b.name, func(t *testing.T) {
			if b.name != "changed" && os.Getenv("GONB_COPE_FAULTS") == "" {
				t.Skip("compiles most packages once more: GONB_COPE_FAULTS=1")
			}
			other := built(t, b.name, b.env, b.args(t)...)
			c := begin(t, p, Options{Build: "this"})
			// this build plans the first rounds, the other one some more, and this one the rest
			measureTo(t, c, rewards, 3)
			if b.name == "changed" { // it is refused once the open round is over
				l := asked(t, c, "Ann", 100_000)
				var rows []string
				for _, r := range l.Rows {
					arm, number := pullOf(t, c.dir, p.Problem, r.ID)
					rows = append(rows, row(r.ID, reward(rewards, 11, r.Round, arm, number)))
				}
				told(t, c, campaign.TellOptions{By: "Ann", Sure: true}, rows...)
			}
			before := plansOf(t, c)
			other(c.dir, 6)
			// the plans of both builds so far
			middle := plansOf(t, c)
			// the recorded plans remain, even if the other build would plan otherwise
			for round, counts := range before {
				if middle[round] != counts {
					t.Errorf("round %d was planned as %s and is %s now", round, counts, middle[round])
				}
			}
			if len(middle) <= len(before) {
				t.Fatalf("the other build planned nothing: %d rounds", len(middle))
			}
			// after an upgrade this program has to have the revision that the campaign uses
			end := Options{Build: "this"}
			if b.name == "changed" {
				end.Revision = campaign.Revision + 1
			}
			c, err := Open(t.Context(), c.dir, again(p), end)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			measureTo(t, c, rewards, 1000)
			st, err := c.Status(t.Context())
			if err != nil || !st.Done || len(st.Differs) > 0 {
				t.Fatalf("%v: done %v, differs %v", err, st.Done, st.Differs)
			}
			// by the means of the table
			if err := wrongAnswer(p.Problem, st, 10); err != nil {
				t.Error(err)
			}
			same, all := 0, plansOf(t, c)
			for round, counts := range all {
				if own[round] == counts {
					same++
				}
			}
			t.Logf("%d rounds and %d samples; this build alone plans %d rounds; %d are the same", len(all), st.Samples, len(own), same)
			if b.name == "changed" && same == len(all) {
				t.Error("the changed constant changes no plan, so that the test says nothing")
			}
			if _, err := Verify(t.Context(), c.dir, again(p), Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// wrongAnswer reports an answer that is worse than the best arm by more than epsilon.
func wrongAnswer(p *problem.Problem, st campaign.Status, epsilon float64) error {
	for v, task := range st.Tasks {
		lo, hi := p.ArmsOf(v)
		k := slices.Index(p.Arms.Names[lo:hi], task.Arm)
		if k < 0 || p.Mean[lo+k] < slices.Max(p.Mean[lo:hi])-epsilon {
			return fmt.Errorf("task %q has the answer %q, which is not within %g of its best arm", task.Task, task.Arm, epsilon)
		}
	}
	return nil
}
