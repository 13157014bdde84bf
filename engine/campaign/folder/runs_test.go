package folder

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// found returns what a run found, to the last bit; the ways of its digests apart.
func found(t *testing.T, o engine.Outcome) string {
	t.Helper()
	for i := range o.Rounds {
		o.Rounds[i].Digest = ""
	}
	text := try.Of(json.Marshal(map[string]any{"answers": o.Answers, "eliminations": o.Eliminations, "rounds": o.Rounds, "samples": o.Samples}))
	return string(text)
}

// A campaign whose results come shuffled, doubled and in parts, from two people, through programs
// that end after every act, is the run of engine.Run to the last bit.
func TestCampaignIsTheRun(t *testing.T) {
	// options by family: a test, elimination under a norm, and a fixed budget
	scripted := engine.Options{Epsilon: 10}
	ridge := engine.Options{Epsilon: 10, Norm: 5, Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: 1e-6}}
	budget := ridge
	budget.Budget = 48
	budget.Epsilon = 0
	// three of the tasks
	few := []int{0, 4, 8}
	if testing.Short() {
		few = few[:1]
	}
	for _, c := range []struct {
		name, mode, algorithm string
		opt                   engine.Options
		unknown               bool
		tasks                 []int
		short                 bool // one of each family, made in short tests, too
	}{
		{"CoTestFC", engine.ModeFC, "CoTestFC", scripted, false, few, false},
		{"CoTestFC, noise unknown", engine.ModeFC, "CoTestFC", scripted, true, few, true},
		{"CoTestFC, all tasks", engine.ModeFC, "CoTestFC", scripted, true, nil, false},
		{"CoBayesFC", engine.ModeFC, "CoBayesFC", scripted, false, few, true},
		{"CoKernelFC", engine.ModeFC, "CoKernelFC", ridge, false, few, false},
		{"CoKernelFB", engine.ModeFB, "CoKernelFB", budget, false, few, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && !c.short {
				t.Skip("takes long")
			}
			// rewards follow from round, arm and number alone, so that both ways have the same
			p, rewards := coupling(t, c.mode, c.algorithm, c.opt, c.unknown, c.tasks...)
			want := inOneProcess(t, p, laboratory{rewards, 11})
			got := throughTheFolder(t, p, rewards, 11)
			if got := found(t, got); got != found(t, want) {
				t.Errorf("the campaign found\n%.2000s\nand the run\n%.2000s", got, found(t, want))
			}
			if want.Samples == 0 || len(want.Eliminations) == 0 {
				t.Error("the run eliminates nothing, so the comparison says nothing")
			}
			t.Logf("%d rounds, %d samples", len(want.Rounds), want.Samples)
		})
	}
}

// inOneProcess runs the algorithm on the problem without its means, as in a real campaign.
func inOneProcess(t *testing.T, p campaign.Protocol, env engine.Environment) engine.Outcome {
	t.Helper()
	q := *p.Problem
	q.Mean, q.Rewards, q.Reps, q.Noise.SD = nil, nil, nil, nil
	e := try.Of(p.Entry())
	m := try.Of(model.New(&q, 0))
	opt := p.Options
	// a campaign has no limit of rounds
	opt.MaxRounds = 1 << 30
	alg := try.Of(e.New(m, opt))
	return try.Of(engine.Run(t.Context(), alg, env, opt))
}

// throughTheFolder measures a campaign, opened again for every act. Lists are of random lengths and two people, rows come shuffled, a third
// of the sheets has half of the list, and some are recorded twice.
func throughTheFolder(t *testing.T, p campaign.Protocol, rewards [][]float64, seed uint64) engine.Outcome {
	t.Helper()
	c := begin(t, p, Options{})
	dir := c.dir
	c.Close()
	open := func() *Campaign {
		return try.Of(Open(t.Context(), dir, again(p), Options{}))
	}
	rng := rand.New(rand.NewPCG(5, 6))
	var told []string // rows so far, which a sheet repeats
	for act := 0; ; act++ {
		by := fmt.Sprintf("asker %d", act%2)
		c := open()
		list := try.Of(c.Ask(t.Context(), campaign.Request{By: by, Count: 1 + rng.IntN(1500)}))
		c.Close()
		if len(list.Rows) == 0 {
			if k := list.Note.Kind; k == campaign.NoteDecided || k == campaign.NoteEnded {
				break
			}
			continue // the other one has them
		}
		var rows []string
		for _, r := range list.Rows {
			arm, number := pullOf(t, dir, p.Problem, r.ID)
			rows = append(rows, row(r.ID, reward(rewards, seed, r.Round, arm, number)))
		}
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		told = rows
		if part := len(rows) / 2; rng.IntN(3) == 0 && part > 0 {
			told = rows[:part]
		}
		for range 1 + rng.IntN(2) { // some sheets twice
			c := open()
			r, err := c.Tell(t.Context(), sheet(told), campaign.TellOptions{By: by})
			if err != nil || r.Refused() {
				t.Fatalf("%v: %+v", err, r)
			}
			c.Close()
		}
	}
	c = open()
	defer c.Close()
	s := try.Of(c.Moment(t.Context()))
	run := try.Of(s.Replay(t.Context(), nil))
	if len(run.Differs) > 0 {
		t.Errorf("decisions differ from those recorded: %v", run.Differs)
	}
	return run.Outcome
}

// pullOf reads from the events which pull an id is of. Lists do not say it, and rewards of these tests follow from the pull.
func pullOf(t *testing.T, dir string, p *problem.Problem, id string) (arm, number int) {
	t.Helper()
	// read once for many ids: the events are read again only for an id that is new
	known := issued[dir]
	if known == nil {
		known = map[string]campaign.Item{}
		issued[dir] = known
	}
	if it, ok := known[id]; ok {
		return it.Arm, it.Number
	}
	db := try.Of(openDatabase(dir+"/"+DatabaseFile, false))
	defer db.Close()
	list := try.Of(events(t.Context(), db.db, 0))
	for _, e := range list {
		if e.Kind != campaign.KindAsk {
			continue
		}
		var b campaign.AskBody
		try.To(json.Unmarshal(e.Body, &b))
		for _, it := range b.Items {
			known[it.ID] = it
		}
	}
	it, ok := known[id]
	if !ok {
		t.Fatalf("id %s is in no event", id)
	}
	return it.Arm, it.Number
}

var issued = map[string]map[string]campaign.Item{} // by folder and id: the pulls handed out that were read so far
