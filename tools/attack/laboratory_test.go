//go:build unix

package attack

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // reads what was recorded, beside the program that is attacked

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// laboratory works on one campaign after the other, in a folder of its own.
type laboratory struct {
	command string
	folder  string // absolute
	rng     *rand.Rand
	number  int // of the act
	before  []campaign.Event
}

// campaignFolder is the folder of the campaign in the laboratory's.
const campaignFolder = "days"

func newLaboratory(command, folder string, seed, part uint64) (*laboratory, error) {
	l := &laboratory{command: command, folder: folder, rng: rand.New(rand.NewPCG(seed, part))}
	table := "task,arm,x_h\n"
	for task := range 2 {
		for arm := range 6 {
			table += fmt.Sprintf("t%d,a%d,%d\n", task, arm, arm)
		}
	}
	return l, errors.Join(os.Mkdir(folder, 0o700), l.write("wells.csv", table))
}

func (l *laboratory) write(name, text string) error {
	return os.WriteFile(filepath.Join(l.folder, name), []byte(text), 0o600)
}

func (l *laboratory) path(name string) string { return filepath.Join(l.folder, name) }

// start begins a campaign that goes on for long: nothing is near enough to the best.
func (l *laboratory) start(ctx context.Context) error {
	l.before = nil
	script := "p = problem(\"wells.csv\", kernel=identity(), noise=1)\nk = protocol(p, delta=0.1, epsilon=0.01, runs=0, " +
		"algorithm=\"CoTestFC\", plate=4, capacity=12, lease=3)\n"
	if err := errors.Join(os.RemoveAll(l.path(campaignFolder)), l.write("wells.cope", script)); err != nil {
		return err
	}
	_, err := l.must(ctx, "campaign", "start", campaignFolder, "wells.cope")
	return err
}

// do runs the command that is attacked.
func (l *laboratory) do(ctx context.Context, args ...string) (outcome, error) {
	return program(ctx, l.folder, 0, append([]string{l.command}, args...)...)
}

// must runs a command that fails only if this program has a mistake.
func (l *laboratory) must(ctx context.Context, args ...string) (string, error) {
	o, err := l.do(ctx, args...)
	if err == nil && (o.code != 0 || o.killed) {
		err = fmt.Errorf("%s: status %d: %s", strings.Join(args, " "), o.code, o.words())
	}
	return o.out, err
}

// events returns what is recorded, read by SQLite and not by the program that is attacked.
func (l *laboratory) events(ctx context.Context, folder string) ([]campaign.Event, error) {
	path := (&url.URL{Path: filepath.Join(l.folder, folder, "campaign.db")}).EscapedPath()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=rw")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT seq, kind, at, by, body, hash FROM event ORDER BY seq")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []campaign.Event
	for rows.Next() {
		var e campaign.Event
		var at, body string
		if err := rows.Scan(&e.Seq, &e.Kind, &at, &e.By, &body, &e.Hash); err != nil {
			return nil, err
		}
		if e.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
			return nil, err
		}
		e.Body = json.RawMessage(body)
		all = append(all, e)
	}
	return all, rows.Err()
}

// act is a command and what it is to record.
type act struct {
	kind  string
	args  []string
	sheet map[string]float64 // ids and rewards recorded, or the one corrected
	id    string             // given back
	text  string             // of a note, reason or sheet that no other act has
	list  string             // a file with a list
	by    string
}

// next draws an act that the campaign is ready for.
func (l *laboratory) next() (act, error) {
	l.number++
	unique := fmt.Sprintf("n%d", l.number)
	sum := ledgerOf(l.before)
	owed := sum.owed()
	a := act{kind: "ask", by: []string{"Ann", "Bob"}[l.rng.IntN(2)], text: unique}
	switch k := l.rng.IntN(24); {
	case k < 8 && len(owed) > 0:
		a.kind = "tell"
	case k < 10 && len(owed) > 0:
		a.kind = "fail"
	case k < 12 && len(sum.told) > 0:
		a.kind = "correct"
	case k >= 12 && k < 17:
		a.kind = []string{"close", "amend", "attach", "note", "list"}[k-12]
	case k == 17:
		a.kind = []string{"status", "report"}[l.rng.IntN(2)]
	}
	// of so many digits that none is another by chance: rows with recorded values are taken for copies
	reward := func() float64 { return float64(l.rng.IntN(2e9)-1e9) / 1e9 }
	campaign := func(args ...string) { a.args = append(append([]string{"campaign"}, args...), "--json") }
	switch a.kind {
	case "ask":
		campaign("ask", campaignFolder, "--by", a.by, "--count", strconv.Itoa(1+l.rng.IntN(8)))
		if l.rng.IntN(3) == 0 {
			a.args = append(a.args, "--more")
		}
	case "list":
		a.list = unique + "-list.csv"
		campaign("ask", campaignFolder, "--by", a.by, "-o", a.list)
	case "tell":
		l.rng.Shuffle(len(owed), func(i, j int) { owed[i], owed[j] = owed[j], owed[i] })
		a.sheet = map[string]float64{}
		text := "id,reward\n"
		for _, id := range owed[:1+l.rng.IntN(len(owed))] {
			a.sheet[id] = reward()
			text += fmt.Sprintf("%s,%g\n", id, a.sheet[id])
		}
		campaign("tell", campaignFolder, unique+".csv", "--by", a.by, "--sure")
		return a, l.write(unique+".csv", text)
	case "fail":
		a.id = owed[l.rng.IntN(len(owed))]
		campaign("fail", campaignFolder, a.id, "--reason", unique)
	case "correct":
		ids := sum.ids(func(id string) bool { return sum.told[id] > 0 })
		a.sheet = map[string]float64{ids[l.rng.IntN(len(ids))]: float64(l.number) + 0.5} // which it was not before
		for id, value := range a.sheet {
			campaign("correct", campaignFolder, id, fmt.Sprint(value), "--reason", unique)
		}
	case "close":
		campaign("close", campaignFolder, "--reason", unique)
	case "amend":
		campaign("amend", campaignFolder, "--capacity", fmt.Sprint(40+l.number), "--reason", unique)
	case "attach":
		campaign("attach", campaignFolder, unique+".csv", "--sure", "--by", a.by)
		return a, l.write(unique+".csv", fmt.Sprintf("task,arm,reward\nt0,a1,%g\nt1,a2,%g\n", reward(), reward()))
	case "note":
		campaign("note", campaignFolder, unique)
	case "status":
		campaign("status", campaignFolder)
	case "report":
		a.list = "report.html"
		a.args = []string{"campaign", "report", campaignFolder, "-o", a.list}
	}
	return a, nil
}

// judge checks the folder after an act, directly and by verify, and repeats the act if it was interrupted.
func (l *laboratory) judge(ctx context.Context, a act, o outcome) ([]finding, error) {
	found := o.badly()
	v, err := l.do(ctx, "campaign", "verify", campaignFolder)
	if err != nil {
		return nil, err
	}
	found = append(found, v.maligns()...)
	now, err := l.events(ctx, campaignFolder)
	if err != nil {
		return append(found, finding{lost, "the events cannot be read: " + err.Error()}), nil
	}
	if v.code != 0 {
		found = append(found, finding{unproven, v.words()})
	}
	found = append(found, compare(l.before, now, a, o)...)
	if a.list != "" {
		found = append(found, l.whole(a, now)...)
	}
	if a.kind == "tell" && (o.killed || o.code != 0) { // as anybody would
		again, err := l.do(ctx, a.args...)
		if err != nil {
			return nil, err
		}
		if again.code != 0 {
			found = append(found, finding{other, "told again: " + again.words()})
		}
		before := now
		if now, err = l.events(ctx, campaignFolder); err != nil {
			return nil, err
		}
		found = append(found, compare(before, now, a, again)...)
	}
	l.before = now
	return found, nil
}

// whole reports a list or a report that was written in part.
func (l *laboratory) whole(a act, now []campaign.Event) []finding {
	text, err := os.ReadFile(l.path(a.list))
	if err != nil {
		return nil // none was written; that it was said is found by its status
	}
	if a.kind == "report" {
		if !strings.HasSuffix(strings.TrimSpace(string(text)), "</html>") {
			return []finding{{half, "a part of a report"}}
		}
		return nil
	}
	sum := ledgerOf(now)
	if !strings.HasSuffix(string(text), "\n") || !strings.HasPrefix(string(text), "id,") {
		return []finding{{half, "a part of a list"}}
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if id, _, _ := strings.Cut(line, ","); id != "id" {
			if listed[id] = true; sum.issued[id] == 0 {
				return []finding{{untrue, "the list has an id that nobody was handed: " + id}}
			}
		}
	}
	for _, id := range sum.last[a.by] {
		if !listed[id] && sum.told[id] == 0 && sum.failed[id] == 0 {
			return []finding{{half, "the list lacks " + id}}
		}
	}
	return nil
}
