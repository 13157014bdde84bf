package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// TestFaultLongTexts: ids, names, notes and columns of a sheet that are as long as a sheet may be take no time, and a receipt
// shows as much of them as fits; the lock of the folder is free for others within a second.
func TestFaultLongTexts(t *testing.T) {
	p := small(t)
	p.Capacity = 0
	c := begin(t, p, Options{})
	l := asked(t, c, "Ann", 18)
	long := strings.Repeat("A", 4<<20)
	id := l.Rows[0].ID
	for name, text := range map[string]string{
		"an id":               "id,reward\n" + long + ",1\n",
		"many ids":            "id,reward\n" + strings.Repeat(long[:4000]+",1\n", 1000),
		"a reward":            "id,reward\n" + id + ",1" + long + "\n",
		"a text for a reward": "id,reward\n" + id + "x," + long + "\n",
		"a task":              "id,task,reward\n" + id + "," + long + ",1\n",
		"a task by name":      "task,arm,reward\n" + long + ",a,1\n",
		"an arm by name":      "task,arm,reward\nnorth," + long + ",1\n",
		"many arms":           "task,arm,reward\n" + strings.Repeat("north,"+long[:4000]+",1\n", 1000),
		"a column":            "task,arm," + long + "\nnorth,a,1\n",
		"a count":             "task,arm,count,mean\nnorth,a,2" + long + ",1\n",
		"a chain":             "id,reward," + campaign.ChainColumn + "\n" + id + "x,1,c1" + long + "\n",
	} {
		began := time.Now()
		r, err := c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: "Ann", Sheet: name})
		took, shown := time.Since(began), len(fmt.Sprint(r.Lines))/max(1, len(r.Lines))
		if err != nil {
			shown = len(err.Error())
		}
		if err == nil && (r.Taken || !r.Refused()) || shown > 5000 || took > 5*time.Second {
			t.Errorf("%s: after %v %d bytes are shown: %v", name, took, shown, err != nil)
		}
	}
	// a note is a person's text, and is kept
	if r, err := c.Tell(t.Context(), []byte("id,reward,note\n"+id+",1,"+long[:1<<19]+"\n"), campaign.TellOptions{By: "Ann"}); err != nil || !r.Taken {
		t.Errorf("a long note: %v, %+v", err, r.Counts)
	}
	for _, err := range []error{correctBy(t.Context(), c, long, 1, "a reason", "Ann"), failBy(t.Context(), c, []string{long}, "a reason", "Ann")} {
		if err == nil || len(err.Error()) > 1000 {
			t.Error("an id of a command is shown as long as it is")
		}
	}
}

// TestFaultSpecialFiles: a link to a device, a pipe, or a file of holes instead of any file of a folder is refused, or named and not
// read, at once and without memory; nothing is left among temporary files.
func TestFaultSpecialFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such files here")
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	p := small(t)
	r := recipe
	r.Data = []campaign.File{{Path: "wells.csv", Content: []byte("task,arm\n")}}
	for _, name := range []string{DatabaseFile, DatabaseFile + "-wal", headFile, lockFile, invitesFile, cacheFile, "script.cope", "data/wells.csv"} {
		for kind, put := range map[string]func(path string) error{
			"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
			"a pipe":   makePipe,
			"holes":    func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 60<<30)) },
			"a folder": func(path string) error { return os.MkdirAll(path, 0o700) },
		} {
			dir := filepath.Join(t.TempDir(), "days")
			c, err := Start(t.Context(), dir, r, p, again(p), Options{})
			if err != nil {
				t.Fatal(err)
			}
			asked(t, c, "Ann", 3)
			if _, err := c.Status(t.Context()); err != nil { // makes the cache
				t.Fatal(err)
			}
			c.Close()
			path := filepath.Join(dir, name)
			os.Remove(path)
			if err := put(path); err != nil {
				t.Skipf("%s cannot be made here: %v", kind, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			notices := ""
			c, err = Open(ctx, dir, again(p), Options{Notice: func(s string) { notices += s }})
			said := fmt.Sprint(err)
			if err == nil {
				_, err = c.Status(ctx)
				said = notices
				c.Close()
			}
			if kept := strings.HasPrefix(name, "data/") || name == "script.cope"; kept && err != nil || !kept && err == nil || !strings.Contains(said, name) {
				t.Errorf("%s is %s: %v; says %q", name, kind, err, notices)
			}
			if ctx.Err() != nil {
				t.Errorf("%s is %s: it is waited for", name, kind)
			}
			_, verified := Verify(ctx, dir, again(p), Options{})
			if kept := strings.HasPrefix(name, "data/") || name == "script.cope"; !kept && verified == nil {
				t.Errorf("%s is %s: verify accepts it", name, kind)
			}
			cancel()
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		for _, f := range left {
			if strings.HasPrefix(f.Name(), "gonb-cope-campaign") {
				t.Errorf("%s is left", f.Name())
			}
		}
	}
}

// TestFaultFormulas: names that begin like formulas are accepted in the form that a list has for spreadsheets, by id, by
// name and by column.
func TestFaultFormulas(t *testing.T) {
	arms, err := kernels.NewPoints([]string{"x_1"}, []string{"=cmd|'/C calc'!A0", "@SUM(1)", "+1+1"}, [][]float64{{0}, {1}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	tasks := try.Of(kernels.NewPoints([]string{"z_1"}, []string{"-2+3"}, [][]float64{{0}}))
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	q := try.Of(problem.New("names", tasks, arms, []int{0, 0, 0}, k, []float64{1}, nil))
	c := begin(t, campaign.Protocol{Name: "names", Problem: q, Mode: engine.ModeFC, Algorithm: "CoTestFC",
		Options: engine.Options{Delta: 0.1, Epsilon: 0.5}, Seed: 3}, Options{})
	l := asked(t, c, "Ann", 100)
	text := "id,task,arm,reward\n"
	for _, r := range l.Rows[:3] {
		text += fmt.Sprintf("%s,'%s,'%s,1\n", r.ID, r.Task, r.Arm)
	}
	r, err := c.Tell(t.Context(), []byte(text), campaign.TellOptions{By: "Ann", Sheet: "a.csv"})
	if err != nil || r.Counts[campaign.RowNew] != 3 {
		t.Errorf("by id: %v, %+v", err, r)
	}
	byName := []byte("task,arm,reward\n'-2+3,'@SUM(1),1\n-2+3,+1+1,1\n")
	if r, err = attachBy(t.Context(), c, byName, campaign.TellOptions{By: "Ann", Sheet: "b.csv"}); err != nil || r.Counts[campaign.RowNew] != 2 {
		t.Errorf("by name: %v, %+v", err, r)
	}
}

// TestFaultLookAlikes: a name that reads like an invited person's is refused, and a person is the same however the name is typed.
func TestFaultLookAlikes(t *testing.T) {
	c := begin(t, small(t), Options{})
	try.Of(c.Invite(t.Context(), "", "Ann Lee"))
	for _, name := range []string{"ann lee", "Ann  Lee", " Ann Lee", "Ann\u200b Lee", "ANN LEE", "Ann Lee\u2060", "Ann\u00a0Lee"} {
		_, err := c.Invite(t.Context(), "", name)
		wants(t, err, "looks like")
	}
	for _, name := range []string{"", " ", "\u200b", "a\nb", strings.Repeat("x", 5000)} {
		if _, err := c.Invite(t.Context(), "", name); err == nil {
			t.Errorf("%.20q is invited", name)
		}
	}
	if _, err := c.Invite(t.Context(), "", "Ann Lee"); err != nil {
		t.Errorf("a new link of the same person: %v", err)
	}
	if _, err := c.Invite(t.Context(), "", "Anna Lee"); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	first := asked(t, c, "Ann Lee", 3)
	again := asked(t, c, "ann  lee", 3)
	if !again.Again || fmt.Sprint(first.Rows) != fmt.Sprint(again.Rows) {
		t.Errorf("typed otherwise: %+v", again)
	}
	if mine, _, err := c.Mine(t.Context(), "ANN LEE"); err != nil || len(mine.Rows) != 3 {
		t.Errorf("%v: %+v", err, mine)
	}
}

// TestExportOfTheOpenRound: an archive has all results, those of the open round with a kind of their own; a report has none of them.
func TestExportOfTheOpenRound(t *testing.T) {
	c := begin(t, small(t), Options{})
	l := asked(t, c, "Ann", 6)
	told(t, c, campaign.TellOptions{By: "Ann"}, row(l.Rows[0].ID, 1.25), row(l.Rows[1].ID, 2.5))
	dest := filepath.Join(t.TempDir(), "out")
	try.To(c.Export(t.Context(), dest))
	text, err := os.ReadFile(filepath.Join(dest, "measurements.csv"))
	if err != nil || strings.Count(string(text), "\n") != 3 || strings.Count(string(text), ",open,") != 2 || !strings.Contains(string(text), "1.25") {
		t.Errorf("%v: %s", err, text)
	}
	if h, err := c.History(t.Context()); err != nil || len(h.Measurements) != 0 {
		t.Errorf("shown of the open round: %v, %+v", err, h.Measurements)
	}
}

// TestStartFails: a start that cannot be recorded says why once, and leaves no folder.
func TestStartFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "days")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	p := small(t)
	if _, err := Start(ended, dir, recipe, p, again(p), Options{}); err == nil {
		t.Fatal("an ended context starts a campaign")
	}
	if left, err := os.ReadDir(dir); err == nil {
		t.Errorf("a folder is left: %v", left)
	}
}
