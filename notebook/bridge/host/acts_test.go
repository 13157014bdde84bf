package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/bridge/host"
	"github.com/gonb-cope/gonb-cope/session"
)

// actCells are Go cells that act on the campaign of newCampaign.
func actCells() map[string]func() {
	return map[string]func(){
		"acts": func() {
			st := session.Start("days", "days")
			list := session.Ask("days", campaign.Request{By: "Ann", Count: 4})
			a, b, folder := list.Rows[0].ID, list.Rows[1].ID, st.Folder
			must(os.WriteFile(filepath.Join(folder, "..", "results.csv"), []byte("id,reward\n"+a+",0\n"), 0o666))
			r := session.Tell("days", "results.csv", campaign.TellOptions{By: "Ann"})
			fmt.Println("told", r.Taken, r.Counts["new"])
			epsilon, capacity := 0.5, 0
			session.Amend("days", session.Change{Epsilon: &epsilon, Capacity: &capacity, Withdraw: []string{"ash/cold"}, Reason: "sold out", By: "Ann"})
			session.Attach("days", "pilot.csv", campaign.TellOptions{By: "Ann"})
			session.Fail("days", []string{b}, "the vial broke", "Ann")
			session.Correct("days", a, -1.5, "misread", "Ann")
			done := session.CloseRound("days", 1, "the freezer failed", "Ann")
			fmt.Println(done.Rounds, done.Failed, done.Corrected, done.Attached)
			session.Put("ids", []string{a, b})
		},
		"actsAgain": func() {
			ids := session.Texts("ids")
			before := session.Resume("days").Hash
			epsilon, capacity := 0.5, 0
			session.Tell("days", "results.csv", campaign.TellOptions{By: "Ann", TakeGood: true})
			session.Amend("days", session.Change{Epsilon: &epsilon, Capacity: &capacity, Withdraw: []string{"ash/cold"}, Reason: "sold out", By: "Ann"})
			session.Attach("days", "pilot.csv", campaign.TellOptions{By: "Ann"})
			session.Fail("days", ids[1:], "the vial broke", "Ann")
			session.Correct("days", ids[0], -1.5, "misread", "Ann")
			session.CloseRound("days", 1, "the freezer failed", "Ann")
			fmt.Println(session.Resume("days").Hash == before)
		},
		"actsThenPuts": func() {
			fmt.Println(session.Ask("days", campaign.Request{By: "Bob", Count: 1, More: true}).Rows[0].ID)
			session.Put("decay", decay(1))
		},
		"protocolOf": func() {
			p := session.Protocol("days")
			fmt.Println(p.Algorithm, p.Problem.N(), p.Problem.Kernel)
		},
		"refusedID":     func() { session.Fail("days", []string{"ZZZZZZ"}, "x", "") },
		"refusedReason": func() { session.CloseRound("days", 1, "", "") },
		"refusedFolder": func() { session.Resume("nowhere") },
		"refusedCall": func() {
			try.Of(session.Act("fc", nil))
		},
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// newCampaign returns a notebook in a folder of its own, with a protocol.
func newCampaign(t *testing.T) *notebook {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"yields.csv": "task,arm,x_t\noak,cold,10\noak,warm,40\nash,cold,10\nash,warm,40\n",
		"pilot.csv":  "task,arm,reward\noak,cold,10\noak,warm,19\n",
	} {
		try.To(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	n := &notebook{T: t, session: dsl.NewSession(dsl.Options{Rebind: true, Workers: 2, Folder: dir, Campaigns: folder.Keeper(dsl.MakeProtocol)})}
	n.host = try.Of(host.Listen(&host.Session{Lock: &n.mu, Session: n.session}, ""))
	t.Cleanup(func() { n.host.Close() })
	n.mustCope("p = problem(\"yields.csv\", kernel=task(identity()) * arm(rbf(20)), noise=2)\ndays = protocol(p, algorithm=\"CoBayesFC\", delta=0.1, epsilon=1, capacity=8, seed=1, runs=0)")
	return n
}

// TestActs makes a campaign from Go cells alone, makes every act, and makes each once more, which changes nothing.
func TestActs(t *testing.T) {
	n := newCampaign(t)
	out := n.mustRun("protocolOf")
	if out != "CoBayesFC 4 task(identity()) * arm(rbf(lengthscale=20))\n" {
		t.Errorf("the protocol is %q", out)
	}
	if out = n.mustRun("acts"); out != "told true 1\n1 1 1 2\n" {
		t.Errorf("the cell printed %q", out)
	}
	out, said := n.run("actsAgain")
	if out != "true\n" || !strings.Contains(said, "already recorded") {
		t.Errorf("the same acts change the campaign: %q, %q", out, said)
	}
	n.mustCope(`c = resume("days")`)
	st, _ := n.get("c")
	before := st.(campaign.Status).Events
	id := strings.TrimSpace(n.mustRun("actsThenPuts"))
	n.mustCope(`c = resume("days")`)
	st, _ = n.get("c")
	if after := st.(campaign.Status); after.Events != before+1 || len(id) != 6 {
		t.Errorf("%d events were recorded for the one list of a cell that binds a function", after.Events-before)
	}
}

// TestActsRefused looks that what is refused says why, in the words of a script.
func TestActsRefused(t *testing.T) {
	n := newCampaign(t)
	n.mustCope(`c = start(days, "days")`)
	n.wantPanic("refusedID", `session: fail: nothing was recorded: "ZZZZZZ" is mistyped`)
	n.wantPanic("refusedReason", "session: close: ")
	n.wantPanic("refusedFolder", "session: resume: the campaign cannot be opened", "nowhere holds no campaign")
	n.wantPanic("refusedCall", "session: fc is not a function that records something in a campaign; there are start, resume, ask, tell")
}
