package folder

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

const smallTable = "task,arm,x_1,z_1\nnorth,a,0,0\nnorth,\"b, c\",1,0\nsouth,a,0,1\nsouth,\"b, c\",1,1\nnorth,d,2,0\n" // unsorted: d of the north comes behind the south

// tabled is the Maker of a recipe whose data is one table, under the identity of tasks times a kernel of arms. Rows that were added are put
// behind the table, as a script's Maker does it, and errors name the file that a row came from.
func tabled(p campaign.Protocol, k kernels.Kernel, load problem.LoadOptions) Maker {
	return func(ctx context.Context, r question.Recipe) (campaign.Protocol, error) {
		data, places := r.Data[0].Content, []*problem.Appended(nil)
		for _, f := range r.Added {
			a, err := problem.Append(ctx, r.Data[0].Path, data, f.Path, f.Content)
			if err != nil {
				return p, err
			}
			data, places = a.Data, append(places, a)
		}
		opt := load
		opt.Noise, opt.Read = problem.NoiseModel{Scales: []float64{1}}, func(string) ([]byte, error) { return data, nil }
		var err error
		p := p
		p.Problem, err = problem.Load(r.Data[0].Path, kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: k}}}, opt)
		for _, a := range places {
			err = a.Place(err)
		}
		return p, err
	}
}

// beginTable starts a campaign on a table. The Maker makes its protocol again, with added rows too.
func beginTable(t *testing.T, p campaign.Protocol, k kernels.Kernel, table string, load problem.LoadOptions) (*Campaign, Maker) {
	t.Helper()
	r := recipe
	r.Data = []campaign.File{{Path: "arms.csv", Content: []byte(table)}}
	maker := tabled(p, k, load)
	p = try.Of(maker(t.Context(), r))
	c := try.Of(Start(t.Context(), filepath.Join(t.TempDir(), "days"), r, p, maker, Options{}))
	t.Cleanup(func() { c.Close() })
	return c, maker
}

// added is the change that adds these rows.
func added(content string) campaign.AmendBody {
	return campaign.AmendBody{Add: &campaign.File{Path: "more.csv", Content: []byte(content)}, Reason: "a new ligand came"}
}

// measuredAs is the reward of a pull in these tests: by names, round and how many of the arm came before
// it in its round.
func measuredAs(task, arm string, round, number int) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, task, "|", arm, "|", round, "|", number)
	base := map[string]float64{"a": 0, "b, c": 0.6, "d": 1, "e": 4, "f": 0}[arm]
	return base + float64(h.Sum64()%1000)/1000 - 0.5
}

// Arms and a task that come while a round is open are measured from the next round on, in an arm's case
// between others of its task. The campaign is the run of the engine's steps that are extended at the
// same place, to the last bit, through programs that end after every act; one that was opened before
// sees them, too.
func TestAdded(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	for _, algorithm := range []string{"CoBayesFC"} {
		t.Run(algorithm, func(t *testing.T) {
			p := campaign.Protocol{Name: "days", Mode: engine.ModeFC, Algorithm: algorithm, Options: engine.Options{Delta: 0.1}, Plate: 6, Seed: 4}
			c, maker := beginTable(t, p, kernels.Identity{}, smallTable, problem.LoadOptions{})
			// a second program, which has the campaign open from before the addition
			before, err := Open(t.Context(), c.dir, maker, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer before.Close()
			// arms that were handed out, of whatever task
			seen := map[string]bool{}
			measure := func(c *Campaign, by string, most int) int {
				l := try.Of(c.Ask(t.Context(), campaign.Request{By: by, Count: most}))
				var rows []string
				for _, r := range l.Rows {
					_, number := pullOf(t, c.dir, c.Protocol().Problem, r.ID)
					rows = append(rows, row(r.ID, measuredAs(r.Task, r.Arm, r.Round, number)))
					// an added arm keeps its features and its task, whatever number it gets
					if r.Arm == "f" && (r.Task != "west" || r.X[0] != 5) || r.Arm == "e" && r.X[0] != 3 {
						t.Errorf("handed out %+v", r)
					}
					seen[r.Arm] = true
				}
				if len(rows) > 0 {
					told(t, c, campaign.TellOptions{By: by, Sure: true}, rows...)
				}
				return l.Round
			}
			measure(c, "Ann", 1000)
			// round 1 is over then, and round 2 is open with one result
			measure(c, "Ann", 1) // of round 2
			_, err = amendBy(t.Context(), c, added("arm,x_1,task,z_1\ne,3,north,\nf,5,west,7\n\"b, c\",1,west,7\n"), "Ann")
			if err == nil {
				t.Fatal("a task feature that is empty was taken")
			}
			// an arm of a task that is there, and a task of two arms, one named as an arm of the north
			b := try.Of(amendBy(t.Context(), c, added("task,arm,x_1,z_1\nnorth,e,3,0\nwest,f,5,7\nwest,\"b, c\",1,7\n"), "Ann"))
			if want := `3 arms are added by more.csv: task "north", arm "e"; task "west", arm "f"; task "west", arm "b, c"`; b.String() != want {
				t.Errorf("%q, want %q", b.String(), want)
			}
			// the open round goes on without them, and neither a status nor a sheet counts them as arms of it
			waiting, err := c.Status(t.Context())
			if err != nil || len(waiting.Tasks) != 3 || waiting.Tasks[2].Open != 2 || !strings.HasPrefix(fmt.Sprint(waiting.Notes), `[measured from the next round on: task "north", arm "e"; task "west", arm "f"`) {
				t.Errorf("%v: %+v, %q", err, waiting.Tasks, waiting.Notes)
			}
			r, err := c.Tell(t.Context(), []byte("task,arm,reward\nnorth,e,3\n"), campaign.TellOptions{By: "Ann", Extra: true})
			if err != nil || r.Taken || !strings.Contains(fmt.Sprint(r.Lines), "was added after round 2 began") {
				t.Errorf("%v: %+v", err, r)
			}
			if round := measure(before, "Ann", 1000); round != 2 || seen["e"] { // the other program, opened before
				t.Errorf("round %d, handed out %v", round, seen)
			}
			// two programs measure on by turns, one of them opened again each time, until neither finds anything to do
			for seq := int64(0); seq < now(c).Seq; {
				seq = now(c).Seq
				measure(before, "Bob", 1000)
				again := try.Of(Open(t.Context(), c.dir, maker, Options{}))
				measure(again, "Ann", 1000)
				again.Close()
			}
			if !seen["e"] || !seen["f"] {
				t.Errorf("handed out %v", seen)
			}
			st, err := c.Status(t.Context())
			if err != nil || !st.Done || len(st.Tasks) != 3 {
				t.Fatalf("%v: done %v, %+v", err, st.Done, st.Tasks)
			}
			var got []string
			for _, a := range st.Tasks {
				got = append(got, a.Arm)
			}
			if want := []string{"e", "b, c", "b, c"}; !slices.Equal(got, want) {
				t.Errorf("answers %q, want %q", got, want)
			}
			if len(st.Differs) > 0 || st.Standing == "" {
				t.Errorf("differs %v, standing %q", st.Differs, st.Standing)
			}
			s := try.Of(c.Moment(t.Context()))
			run := try.Of(s.Replay(t.Context(), nil))
			// answers, eliminations and rounds as of steps that know no campaign
			if got, want := found(t, run.Outcome), found(t, extended(t, c.Protocol())); got != want {
				t.Errorf("the campaign found\n%.1500s\nand the steps\n%.1500s", got, want)
			}
			// the added rows are a recorded file, with a copy beside the others
			v, err := Verify(t.Context(), c.dir, maker, Options{})
			if err != nil || v.Files[len(v.Files)-1].Path != "more.csv" {
				t.Errorf("%v: %+v", err, v.Files)
			}
			if text, err := os.ReadFile(filepath.Join(c.dir, "data", "more.csv")); err != nil || !strings.Contains(string(text), "north,e,3") {
				t.Errorf("the copy of the added rows: %v, %q", err, text)
			}
			out := filepath.Join(t.TempDir(), "out")
			try.To(c.Export(t.Context(), out))
			for name, want := range map[string]string{"log.csv": "3 arms are added by more.csv", "measurements.csv": "west,f", "answers.csv": "north,true,e", "data/more.csv": "west,f"} {
				if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(text), want) {
					t.Errorf("%s: %v has no %q:\n%.500s", name, err, want, text)
				}
			}
		})
	}
}

// extended drives the engine's steps as the campaign of TestAdded does, without any campaign: two rounds of the arms of before, then the
// algorithm is made again and takes over.
func extended(t *testing.T, p campaign.Protocol) engine.Outcome {
	t.Helper()
	e := try.Of(p.Entry())
	// begun is the algorithm at its beginning, on this problem
	begun := func(q *problem.Problem) engine.Algorithm {
		m := try.Of(model.New(q, 0))
		opt := p.Options
		opt.MaxRounds = 1 << 30
		return try.Of(e.New(m, opt))
	}
	// the problem of before the addition
	q := p.Earlier[0]
	s := try.Of(engine.Begin(begun(q), engine.Options{Delta: p.Options.Delta, MaxRounds: 1 << 30}))
	for {
		next, more := try.Two(s.Next(t.Context()))
		if !more {
			return s.Outcome()
		}
		// means are summed as a campaign sums them: in the order of the pulls
		b := engine.Batch{Counts: next.Counts, Means: make([]float64, len(next.Counts))}
		for i, n := range next.Counts {
			names, sum := q.NamesOf(i), 0.0
			var all []float64
			for k := range n {
				all = append(all, measuredAs(names[0], names[1], next.Round, k+1))
				sum += all[k]
			}
			if n > 0 {
				b.Means[i] = sum / float64(n)
			}
		}
		try.To(s.Learn(t.Context(), b))
		if next.Round == 2 {
			q = p.Problem
			// e of the north has the number 3, and moves both arms of the south
			try.To(s.Extend(begun(q), []int{0, 1, 2, 4, 5}))
		}
	}
}

// Rows that cannot be added are refused with their place, and change nothing.
func TestAddedErrors(t *testing.T) {
	p := campaign.Protocol{Name: "days", Mode: engine.ModeFC, Algorithm: "CoBayesFC", Options: engine.Options{Delta: 0.1}, Seed: 4}
	c, _ := beginTable(t, p, kernels.Identity{}, smallTable, problem.LoadOptions{})
	asked(t, c, "Ann", 2)
	for _, f := range []struct{ content, want string }{
		{"task,arm,x_1\nnorth,a,0\n", "all of its arms are in arms.csv already"},
		{"task,arm,x_1,solvent\nnorth,e,0,DMF\n", `more.csv:1: column "solvent" is not in arms.csv, which has the columns task, arm, x_1, z_1`},
		{"task,arm,x_1\nnorth,e,warm\n", `more.csv:2: column "x_1"`},
		{"task,arm,x_1,z_1\nnorth,e,3,5\n", `more.csv:2: column "z_1" is "5" here but "0" in line 2. It must be equal`},
		{"", "more.csv is empty"},
	} {
		wants(t, amend(t, c, added(f.content), "Ann"), f.want)
	}
	b := added("task,arm,x_1\nnorth,e,3\n")
	b.Reason = ""
	// nothing was recorded by any of these: start, plan and ask are all
	wants(t, amend(t, c, b, "Ann"), "the reason is missing")
	if st, err := c.Status(t.Context()); err != nil || st.Events != 3 || len(st.Tasks) != 2 {
		t.Errorf("%v: %d events, %d tasks", err, st.Events, len(st.Tasks))
	}
	// an algorithm that cannot is tried, also while a round is open
	// neighbours are alike, so that the algorithm may rely on the norm
	smooth := "task,arm,x_1,cost\n"
	for i := range 60 {
		smooth += fmt.Sprintf("north,%d,%g,%d\n", i, float64(i)/60, 1+i%2)
	}
	p.Algorithm, p.Options.Norm = "CoTestFC", 3
	c, _ = beginTable(t, p, kernels.RBF{Lengthscale: []float64{0.2}}, smooth, problem.LoadOptions{})
	asked(t, c, "Ann", 2)
	if st, err := c.Status(t.Context()); err != nil || !strings.Contains(fmt.Sprint(st.Warnings), "under norm= the column cost does not guide pulls") {
		t.Errorf("%v: warnings %q", err, st.Warnings)
	}
	err := amend(t, c, added("task,arm,x_1,cost\nnorth,e,3,1\n"), "Ann")
	wants(t, err, "cannot change its question")
	err = amend(t, c, campaign.AmendBody{Withdraw: [][2]string{{"north", "7"}}, Reason: "sold out"}, "Ann")
	wants(t, err, "cannot change its question")
}

// Features that were scaled keep their scale: an added arm beyond the range of before does not move the
// others.
func TestAddedBeyondTheScale(t *testing.T) {
	p := campaign.Protocol{Name: "days", Mode: engine.ModeFC, Algorithm: "CoBayesFC", Options: engine.Options{Delta: 0.1}, Seed: 4}
	c, maker := beginTable(t, p, kernels.Identity{}, "task,arm,x_temp,x_one\nA,cold,20,5\nA,warm,60,5\nA,hot,80,5\n", problem.LoadOptions{Standardize: true})
	try.To(amend(t, c, added("task,arm,x_temp,x_one\nA,boiling,140,6\n"), "Ann"))
	again := try.Of(Open(t.Context(), c.dir, maker, Options{}))
	defer again.Close()
	q := again.Protocol().Problem
	// 20 to 80 were scaled to 0 to 1, and so 140 is 2; a column of one value has no scale, and 5 and 6 are a range of its own
	if got := fmt.Sprint(q.Arms.X); got != "[[0 0.6666666666666666 1 2] [0 0 0 1]]" {
		t.Errorf("features %s", got)
	}
	l := asked(t, again, "Ann", 1000)
	at := slices.IndexFunc(l.Rows, func(r campaign.ListRow) bool { return r.Arm == "boiling" })
	if at < 0 || fmt.Sprint(l.Rows[at].X) != "[140 6]" {
		t.Errorf("the list shows %+v", l.Rows)
	}
}
