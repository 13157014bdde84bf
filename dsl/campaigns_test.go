package dsl

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// yields is a table without means.
const yields = "task,arm,x_temperature\noak,cold,10\noak,warm,40\nash,cold,10\nash,warm,40\n"

// The kernel has no relations, so the answers follow from the rewards of each arm alone.
const daysScript = `k = identity()
p = problem("yields.csv", kernel=task(k) * arm(k), noise=2)
days = protocol(p, delta=0.1, epsilon=1, plate=8, capacity=8, seed=1, runs=4)
`

// posteriorScript is daysScript with an algorithm whose question can change.
var posteriorScript = strings.Replace(daysScript, "plate=8", `plate=8, algorithm="CoBayesFC"`, 1)

// notebookIn returns a session that binds names again, as a notebook's, in a folder with the table.
func notebookIn(t *testing.T) (*Session, string) {
	t.Helper()
	dir := t.TempDir()
	written(t, dir, "yields.csv", yields)
	return NewSession(Options{Folder: dir, Rebind: true, Campaigns: folder.Keeper(MakeProtocol)}), dir
}

// cell evaluates a cell and returns the last value that it displays.
func cell(t *testing.T, s *Session, text string) any {
	t.Helper()
	v, err := tryCell(t, s, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// tryCell is cell for a text that may be refused.
func tryCell(t *testing.T, s *Session, text string) (any, error) {
	t.Helper()
	script, errs := Parse("cell", text)
	if len(errs) > 0 {
		return nil, errs
	}
	displays, err := s.Eval(t.Context(), script)
	if err != nil || len(displays) == 0 {
		return nil, err
	}
	return displays[len(displays)-1].Value, nil
}

// A campaign goes from protocol to answers in cells that can each be run again; the data file may
// be gone by then, because the campaign has its copy.
func TestCampaignInCells(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	s, dir := notebookIn(t)
	// Each step is made twice, as when a user runs the cells again.
	cell(t, s, daysScript)
	first := cell(t, s, `c = start(days, "days")`+"\nc").(campaign.Status)
	if again := cell(t, s, `c = start(days, "days")`+"\nc").(campaign.Status); again.Hash != first.Hash {
		t.Error("the cell that starts the campaign changes it when it is run again")
	}
	if err := os.Remove(filepath.Join(dir, "yields.csv")); err != nil { // the campaign has its own copy
		t.Fatal(err)
	}
	for range 30 { // far more rounds than it takes
		list := cell(t, s, `ask(c, by="Ann")`).(campaign.List)
		if again := cell(t, s, `ask(c, by="Ann")`).(campaign.List); fmt.Sprint(again.Rows) != fmt.Sprint(list.Rows) {
			t.Fatal("asking again gives another list")
		}
		if len(list.Rows) == 0 {
			break
		}
		// The first telling takes every row, the second knows them all.
		fillIn(t, filepath.Join(dir, "results.csv"), list)
		if r := cell(t, s, `tell(c, "results.csv", by="Ann")`).(campaign.Receipt); r.Counts[campaign.RowNew] != len(list.Rows) {
			t.Fatalf("receipt %+v", r)
		}
		if r := cell(t, s, `tell(c, "results.csv", by="Ann")`).(campaign.Receipt); r.Counts[campaign.RowKnown] != len(list.Rows) || r.Taken {
			t.Fatalf("told again: %+v", r)
		}
	}
	end := cell(t, s, `resume("days")`).(campaign.Status)
	if !end.Done || end.Tasks[0].Arm != "warm" || end.Tasks[1].Arm != "warm" {
		t.Errorf("the end: %+v", end)
	}
	x := cell(t, s, `explain("days", task="oak")`).(engine.Explanation)
	if len(x.Tasks) != 1 || !x.Tasks[0].Progress.Decided {
		t.Errorf("explanation %+v", x)
	}
	cell(t, s, `c = resume("days")`+"\n"+`plot(c, x="day", y="open")`)
	cell(t, s, `save(c, "status.json")`)
	if n := cell(t, s, `c.samples`); n.(float64) != float64(end.Samples) {
		t.Errorf("c.samples is %v, want %d", n, end.Samples)
	}
}

// fillIn writes a list with rewards: warm is better.
func fillIn(t *testing.T, path string, list campaign.List) {
	t.Helper()
	f := try.Of(os.Create(path))
	defer f.Close()
	w := csv.NewWriter(f)
	w.Write([]string{"id", "reward"})
	// The noise is 0 to 2 and the lead of warm is 9.
	for i, r := range list.Rows {
		x := 10 + float64(i%3)
		if r.Arm == "warm" {
			x += 9
		}
		w.Write([]string{r.ID, fmt.Sprint(x)})
	}
	w.Flush()
}

// Definitions that a campaign cannot use are refused, with the place and the remedy.
func TestCampaignErrors(t *testing.T) {
	// A kernel of a Go cell cannot be made again from a folder.
	s, _ := notebookIn(t)
	s.Put("bent", func(x, y []float64) float64 { return 1 })
	cell(t, s, "k = identity()\n"+`p = problem("yields.csv", kernel=task(k) * arm(k), noise=2)`)
	cell(t, s, `q = problem("yields.csv", kernel=task(k) * arm(bent + k), noise=2)`)
	cell(t, s, `u = problem("yields.csv", kernel=task(k) * arm(k))`)
	cell(t, s, "days = protocol(p, runs=0)\ngo = protocol(q, runs=0)")
	cell(t, s, `c = start(days, "days")`)
	// Names for the sweeps below, which must not touch a campaign.
	cell(t, s, "where = \"days\"\nst = resume(where)\nr = fb(paper(case=2), budget=200 + st.samples, runs=2)")
	// What start, protocol, ask, tell and sweeps refuse, in this order.
	for text, want := range map[string]string{
		`start(protocol(p, runs=0), "x")`:                                        "the protocol has no name",
		`start(go, "x")`:                                                         "bent, a value of a Go cell",
		`protocol(p, algorithm="CoKernelFC", runs=0)`:                            "norm",
		`protocol(u, algorithm="CoKernelFC", norm=1, gap=1, runs=0)`:             "noise",
		`protocol(p, algorithm="CoBayesFB", runs=0)`:                             "needs budget",
		`protocol(p, algorithm="CoTestFC", budget=4, runs=0)`:                    "has no budget",
		`protocol(p, time_unit="moons")`:                                         "time_unit",
		`protocol(p, algorithm="Oracle", runs=0)`:                                "Oracle",
		`other = protocol(p, delta=0.2, runs=0)` + "\n" + `start(other, "days")`: "holds another campaign",
		`ask(c, task="elm")`:                                                     `no task is called "elm"`,
		`ask("nowhere")`:                                                         "holds no campaign",
		`tell(c, "none.csv")`:                                                    "cannot be read",
		`sweep(c, seed=[1, 2])`:                                                  "is a campaign",
		`sweep(ask(c), count=[1, 2])`:                                            "must be a result",
		`sweep(r, where=["days", "x"])`:                                          "a sweep cannot repeat",
	} {
		_, err := tryCell(t, s, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
}

// A protocol shows its forecast, and what is quicker.
func TestProtocolForecast(t *testing.T) {
	s, _ := notebookIn(t)
	cell(t, s, daysScript)
	p := cell(t, s, "days").(campaign.Protocol)
	// Two methods: the one that was chosen and one other.
	f := p.Forecast
	if f == nil || len(f.Rows) != 2 || !f.Rows[0].Chosen || f.Rows[0].Algorithm != "CoTestFC" || f.Runs != 4 || f.Rows[0].Time.Median < 1 {
		t.Fatalf("forecast %+v", f)
	}
	if !strings.Contains(f.Assumes.String(), "kernel as prior") {
		t.Errorf("assumes %q", f.Assumes)
	}
	if g := cell(t, s, "protocol(p, delta=0.1, epsilon=1, gaps=6, runs=4)").(campaign.Protocol); !strings.Contains(g.Forecast.Assumes.String(), "leads by 6") {
		t.Errorf("assumes %q", g.Forecast.Assumes)
	}
}

// Who has a list gets it again, and further pulls beside it only on request.
func TestAskMore(t *testing.T) {
	s, _ := notebookIn(t)
	cell(t, s, daysScript)
	cell(t, s, `c = start(days, "days")`)
	// The second request is answered by the list that is open, the third one by further pulls.
	first := cell(t, s, `ask(c, by="Ann", count=3)`).(campaign.List)
	again := cell(t, s, `ask(c, by="Ann", count=3)`).(campaign.List)
	more := cell(t, s, `ask(c, by="Ann", count=2, more=true)`).(campaign.List)
	if len(first.Rows) != 3 || !again.Again || again.Rows[0].ID != first.Rows[0].ID || len(more.Rows) != 2 || more.Again {
		t.Errorf("first %+v, again %+v, more %+v", first, again, more)
	}
	for _, r := range more.Rows {
		for _, f := range first.Rows {
			if r.ID == f.ID {
				t.Errorf("%s is handed out twice", r.ID)
			}
		}
	}
}

// Arms that were added to a campaign do not make another one of it: its cells can be run again, and what
// a table with text has is handed out as text.
func TestAddedArmsInCells(t *testing.T) {
	// The table has text with a comma, a column with a slash and a degree sign, and decimals.
	s, dir := notebookIn(t)
	table := "task,arm,x_solvent,x_T/°C\noak,1,DMF,20.1\noak,2,\"2-MeTHF, dry\",70.3\n"
	try.To(os.WriteFile(filepath.Join(dir, "odd.csv"), []byte(table), 0o666))
	script := "p = problem(\"odd.csv\", kernel=task(identity()) * arm(identity()), noise=2, standardize=1)\ndays = protocol(p, algorithm=\"CoBayesFC\", seed=1, runs=0)\n"
	cell(t, s, script)
	cell(t, s, `c = start(days, "days")`)
	// another program opens it, as the command would
	k, err := folder.Open(t.Context(), filepath.Join(dir, "days"), MakeProtocol, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	more := table + "oak,3,NMP,140.7\n" // the whole table, grown
	try.Of(k.Do(t.Context(), &campaign.Amend{Add: campaign.File{Path: "odd.csv", Content: []byte(more)}, Reason: "a new solvent", By: "Ann"}))
	again := cell(t, s, `c = start(days, "days")`+"\nc").(campaign.Status)
	if again.Events != 2 { // start and amend
		t.Errorf("%d events", again.Events)
	}
	cell(t, s, `first = ask(c, by="Ann")`)
	cell(t, s, `save(first, "list.csv")`)
	text, err := os.ReadFile(filepath.Join(dir, "list.csv"))
	if err != nil || !strings.Contains(string(text), `,"2-MeTHF, dry",70.3,`) || !strings.Contains(string(text), ",DMF,20.1,") {
		t.Errorf("%v:\n%s", err, text)
	}
}

// protocol(block=) makes blocks of a problem that has none; their size and control say nothing without them.
func TestProtocolInBlocks(t *testing.T) {
	s, _ := notebookIn(t)
	p := cell(t, s, `protocol(paper(case=2), block="day", block_size=4, runs=0)`).(campaign.Protocol)
	if b := p.Problem.Block; b == nil || b.Name != "day" || b.Size != 4 {
		t.Errorf("block %+v", b)
	}
	// A size or a control needs a block, the algorithm must compare within blocks, and a plate must hold a block.
	for text, want := range map[string]string{
		`protocol(paper(case=2), block_size=4, runs=0)`:                         "neither block= nor the problem names one",
		`protocol(paper(case=2), block="day", algorithm="CoKernelFC", runs=0)`:  "CoTestFC",
		`protocol(paper(case=2), block="day", control="nobody", runs=0)`:        "control",
		`protocol(paper(case=2), block="plate", plate=4, block_size=5, runs=0)`: "block_size=4",
	} {
		if _, err := tryCell(t, s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// The note that protocol(block=) compares arms within blocks appears once, if a table has blocks and no protocol does so.
func TestNoteOnBlocks(t *testing.T) {
	dir := t.TempDir()
	written(t, dir, "t.csv", "arm,day,y\na,1,1\nb,1,2\na,2,2\nb,2,3.5\na,3,0\nb,3,1.2\n")
	// With block= the arms are compared within the blocks, so the note would be wrong.
	for end, want := range map[string]bool{`runs=0)`: true, `block="day", runs=0)`: false} {
		var told []string
		s := NewSession(Options{Folder: dir, Noted: func(line string) { told = append(told, line) }})
		text := `p = problem("t.csv", arm="arm", reward="y", blocks="day")` + "\nq = protocol(p, " + end
		cell(t, s, text)
		if got := strings.Contains(strings.Join(told, "\n"), "share an effect"); got != want {
			t.Errorf("%s: noted %q", end, told)
		}
	}
}

// A budget without an algorithm is a protocol of the default of fixed budget.
func TestProtocolOfABudget(t *testing.T) {
	s, _ := notebookIn(t)
	for text, want := range map[string]string{"protocol(paper(case=2), budget=12, plate=24, runs=0)": "CoBayesFB", "protocol(paper(case=2), runs=0)": "CoTestFC"} {
		if p := cell(t, s, text).(campaign.Protocol); p.Algorithm != want {
			t.Errorf("%s: %s, want %s", text, p.Algorithm, want)
		}
	}
}
