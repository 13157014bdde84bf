package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// kept is a command that is started again whenever it was killed, until it has ended by itself.
type kept struct {
	args []string
	dir  string

	mu      sync.Mutex
	process *os.Process
	done    chan struct{}
}

// keep starts a command.
func keep(t *testing.T, dir string, args ...string) *kept {
	k := &kept{args: args, dir: dir, done: make(chan struct{})}
	t.Cleanup(func() { k.kill(); <-k.done })
	go func() {
		defer close(k.done)
		for t.Context().Err() == nil {
			c := exec.Command("gonb-cope", k.args...)
			c.Dir = k.dir
			var said lastWords
			c.Stderr = &said
			if err := c.Start(); err != nil {
				t.Error(err)
				return
			}
			k.mu.Lock()
			k.process = c.Process
			k.mu.Unlock()
			if err := c.Wait(); err == nil {
				return
			} else if c.ProcessState.Exited() && t.Context().Err() == nil {
				t.Errorf("gonb-cope %v: %v: %s", k.args, err, said)
				return
			}
		}
	}()
	return k
}

// kill kills the command and reports whether it was running.
func (k *kept) kill() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.process != nil && k.process.Kill() == nil
}

// lastWords are the last that a command says.
type lastWords []byte

func (w *lastWords) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	*w = (*w)[max(0, len(*w)-1000):]
	return len(b), nil
}

// One agent asks people, one asks a service, and one draws: the agents are killed again and again, and the result has the
// bytes of an undisturbed run. People are asked for no pull twice and the run has the results that they reported.
func TestFaultAgentKills(t *testing.T) {
	if testing.Short() {
		t.Skip("kills are for the full run")
	}
	const script = `
p = problem("wells.csv", kernel=task(identity()) * arm(linear()) + arm(linear()), noise=1)
wells = protocol(p, delta=0.05, algorithm="CoTestFC", epsilon=0.05, seed=3, runs=0)
`
	table := "task,arm,x_heat,z_place,mean\n"
	for v, task := range []string{"oslo", "rome", "berne"} {
		for i := range 4 {
			table += fmt.Sprintf("%s,%c,%d,%d,%g\n", task, 'a'+i, i, v, float64(i*(v+1))/12)
		}
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q cluster.Request
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		for _, a := range q.Arms {
			for k := range a.Count {
				fmt.Fprintf(w, `{"arm":%q,"reward":%g}`+"\n", a.Arm, a.Settings["x_heat"].(float64)/6+float64((a.Made+k)%3-1)/2)
			}
		}
	}))
	defer service.Close()
	play := func(kills int) (shown string, killed int) {
		dir := t.TempDir()
		for name, text := range map[string]string{"wells.csv": table, "wells.cope": script} {
			try.To(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		url := serve(t, dir)
		attempt(t, dir, "cluster", "open", "wells.cope", "--run", "wells", "--server", url)
		agent := func(task string, more ...string) *kept {
			return keep(t, dir, append([]string{"agent", "--run", "wells", "--task", task, "--server", url, "--dir", filepath.Join(dir, task)}, more...)...)
		}
		lab := filepath.Join(dir, "lab")
		all := []*kept{agent("oslo", "--campaign", lab), agent("rome", "--http", service.URL), agent("berne", "--simulate")}
		ctx, stop := context.WithTimeout(t.Context(), limit)
		defer stop()
		rng, told := rand.New(rand.NewPCG(1, 9)), map[string]int{}
		for at := 0; at < len(all); {
			select {
			case <-all[at].done:
				at++
			case <-time.After(time.Duration(rng.IntN(300)) * time.Millisecond):
				if killed < kills && all[rng.IntN(len(all))].kill() {
					killed++
				}
				tellAll(t, ctx, lab, told)
			}
			if ctx.Err() != nil {
				t.Fatal("the run does not end")
			}
		}
		x, err := jetstream.Dial(ctx, url, jetstream.DialOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		f, rounds, _, err := cluster.Replay(ctx, x, "wells", makeQuestion)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]int{}
		for _, r := range rounds {
			for i, arm := range []string{"a", "b", "c", "d"} { // oslo is the first task
				if n := r.Counts[i]; n > 0 {
					of[arm] += n
				}
			}
		}
		if !maps.Equal(of, told) {
			t.Errorf("people told %v results, the run has %v", told, of)
		}
		return string(try.Of(json.Marshal(report.JSONValue(*f.Result)))), killed
	}
	want, _ := play(0)
	all := 0
	for kills := often(60); all < kills; {
		got, killed := play(kills - all)
		if all += killed; got != want || want == "" {
			t.Errorf("after %d kills another result:\n%.2000s\nundisturbed:\n%.2000s", killed, got, want)
		}
	}
	t.Logf("%d kills", all)
}

// tellAll asks for a list of pulls and records their results, which depend on the arm and on the number of its
// results already recorded.
func tellAll(t *testing.T, ctx context.Context, dir string, told map[string]int) {
	if _, err := os.Stat(filepath.Join(dir, folder.DatabaseFile)); err != nil {
		return
	}
	k := open(t, ctx, dir)
	defer k.Close()
	list, err := k.Ask(ctx, campaign.Request{By: "Ann"})
	if err != nil || len(list.Rows) == 0 {
		return
	}
	sheet := "id,reward\n"
	for _, r := range list.Rows {
		sheet += fmt.Sprintf("%s,%g\n", r.ID, r.X[0]/12+float64(told[r.Arm]%3-1)/2)
		told[r.Arm]++
	}
	if receipt, err := k.Tell(ctx, []byte(sheet), campaign.TellOptions{By: "Ann", Sure: true}); err != nil || !receipt.Taken {
		t.Errorf("telling: %+v, error %v", receipt, err)
	}
}

// serve starts the server of a folder and returns its address.
func serve(t *testing.T, folder string) string {
	t.Helper()
	c := exec.Command("gonb-cope", "cluster", "serve", filepath.Join(folder, "server"), "--listen", "127.0.0.1:0", "--json")
	out := try.Of(c.StdoutPipe())
	try.To(c.Start())
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	})
	var where struct{ URL string }
	try.To(json.NewDecoder(out).Decode(&where))
	return where.URL
}
