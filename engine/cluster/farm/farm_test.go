package farm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/report"
)

// script is a sweep over data with 6 combinations of 40 runs.
const script = `p = problem("demo.csv", kernel=task(rbf(1)) * arm(rbf(0.5)) + 0.1*identity())
r = fc(p, delta=0.1, runs=40, max_samples=40000)
sweep(r, delta=[0.1, 0.2, 0.3], algorithm=["CoTestFC", "IndTestFC"])`

const csv = "task,arm,x_a,z_b,mean,sd\n" +
	"u,one,0.1,0,1.0,0.6\nu,two,0.7,0,0.2,0.6\nu,three,0.4,0,0.5,0.6\n" +
	"v,one,0.1,1,1.1,0.6\nv,two,0.7,1,0.1,0.6\nv,three,0.4,1,0.6,0.6\n"

// folder returns a folder with the data.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "demo.csv"), []byte(csv), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// evaluate returns the displays of a script as JSON and as values.
func evaluate(t testing.TB, ctx context.Context, text string, opt dsl.Options) (string, []report.Display, error) {
	t.Helper()
	parsed, errs := dsl.Parse("demo.cope", text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	displays, err := dsl.NewSession(opt).Eval(ctx, parsed)
	var b strings.Builder
	if err := report.JSON(&b, report.Document{Displays: displays}); err != nil {
		t.Fatal(err)
	}
	return b.String(), displays, err
}

// work starts a worker, whose error is sent when it ends.
func work(ctx context.Context, w *farm.Worker) <-chan error {
	ended := make(chan error, 1)
	if w.Make == nil {
		w.Make = dsl.Remake
	}
	if w.Build == (farm.Build{}) {
		w.Build = farm.BuildHere("")
	}
	if w.Slots == 0 {
		w.Slots = 1
	}
	go func() { ended <- w.Serve(ctx) }()
	return ended
}

func runner(ex cluster.Exchange) *farm.Runner {
	return &farm.Runner{Exchange: ex, Build: farm.BuildHere("")}
}

// fated is an exchange over which a worker is killed: from a moment on nothing of what it says
// arrives, and what it took is lost to it.
type fated struct {
	cluster.Exchange
	mu     sync.Mutex
	killed bool
	die    func(what string) bool // whether it is killed before this
	kill   context.CancelFunc
}

func (f *fated) dead(what string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.killed && f.die(what) {
		f.killed = true
		f.kill()
	}
	return f.killed
}

var errKilled = errors.New("killed")

func (f *fated) Publish(ctx context.Context, fact cluster.Fact) error {
	if f.dead("publish") {
		return errKilled
	}
	if err := f.Exchange.Publish(ctx, fact); err != nil {
		return err
	}
	if f.dead("published") {
		return errKilled
	}
	return nil
}

func (f *fated) Take(ctx context.Context, runs ...string) (cluster.Taken, error) {
	t, err := f.Exchange.Take(ctx, runs...)
	if err == nil && f.dead("taken") {
		return nil, errKilled
	}
	return &fatedWork{t, f}, err
}

type fatedWork struct {
	cluster.Taken
	f *fated
}

func (t *fatedWork) Done(ctx context.Context) error {
	if t.f.dead("done") {
		return errKilled
	}
	return t.Taken.Done(ctx)
}
func (t *fatedWork) Back(ctx context.Context) error {
	if t.f.dead("back") {
		return errKilled
	}
	return t.Taken.Back(ctx)
}
func (t *fatedWork) Alive(ctx context.Context) error {
	if t.f.dead("alive") {
		return errKilled
	}
	return t.Taken.Alive(ctx)
}

// 25 workers are killed at random moments, before and after they publish and acknowledge, and
// others take over: the displays are the same bytes.
func TestKilledWorkers(t *testing.T) {
	dir := folder(t)
	want, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	ex := cluster.NewMemory()
	ex.Patience = 200 * time.Millisecond
	rng := rand.New(rand.NewPCG(5, 6))
	kills := map[string]int{}
	var mu sync.Mutex
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	killed := 0
	for slot := range 3 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				life, kill := context.WithCancel(ctx)
				f := &fated{Exchange: ex, kill: kill}
				f.die = func(what string) bool {
					mu.Lock()
					defer mu.Unlock()
					if killed == 25 || rng.IntN(4) > 0 {
						return false
					}
					killed++
					kills[what]++
					return true
				}
				err := <-work(life, &farm.Worker{Exchange: f, Name: fmt.Sprintf("w-%d-%d", slot, n)})
				kill()
				if err != nil && !errors.Is(err, errKilled) {
					t.Error(err)
				}
			}
		})
	}
	got, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
	cancel()
	all.Wait()
	if err != nil || got != want {
		t.Errorf("other displays than without kills, error %v\n%.600s\n%.600s", err, want, got)
	}
	mu.Lock()
	defer mu.Unlock()
	if killed != 25 || kills["taken"] == 0 || kills["publish"] == 0 || kills["published"]+kills["done"] == 0 {
		t.Errorf("killed %d workers at %v, want 25 at all kinds of moments", killed, kills)
	}
}

// doubling hands every chunk out twice, to whoever takes it: the second one is made, too.
type doubling struct {
	cluster.Exchange
	mu    sync.Mutex
	again []cluster.Taken
	twice int
}

func (d *doubling) Take(ctx context.Context, runs ...string) (cluster.Taken, error) {
	d.mu.Lock()
	if n := len(d.again); n > 0 {
		t := d.again[n-1]
		d.again = d.again[:n-1]
		d.twice++
		d.mu.Unlock()
		return t, nil
	}
	d.mu.Unlock()
	t, err := d.Exchange.Take(ctx, runs...)
	if err == nil {
		d.mu.Lock()
		d.again = append(d.again, t)
		d.mu.Unlock()
	}
	return t, err
}

// Chunks that are made twice count once.
func TestDoubledChunks(t *testing.T) {
	dir := folder(t)
	want, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	ex := &doubling{Exchange: cluster.NewMemory()}
	ctx, cancel := context.WithCancel(t.Context())
	a, b := work(ctx, &farm.Worker{Exchange: ex, Name: "a"}), work(ctx, &farm.Worker{Exchange: ex, Name: "b"})
	got, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
	cancel()
	if err := errors.Join(<-a, <-b); err != nil {
		t.Error(err)
	}
	if err != nil || got != want {
		t.Errorf("other displays than here, error %v\n%.600s\n%.600s", err, want, got)
	}
	if ex.twice < 6 {
		t.Errorf("%d chunks were doubled", ex.twice)
	}
}

// other returns another build than this one.
func other() farm.Build {
	b := farm.BuildHere("")
	b.Level, b.Numbers = "v3", "0123456789ab"
	return b
}

// A worker of another build is refused with both builds, unless it is told to work for others: the
// result then names it. One of another revision of results is refused in any case.
func TestOtherBuilds(t *testing.T) {
	dir := folder(t)
	other := other()
	ex := cluster.NewMemory()
	soon, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	refused := work(soon, &farm.Worker{Exchange: ex, Name: "other", Build: other})
	finished := make(chan string, 1)
	go func() {
		got, _, err := evaluate(t, soon, script, dsl.Options{Folder: dir, Runner: runner(ex)})
		if err != nil {
			t.Error(err)
		}
		finished <- got
	}()
	err := <-refused
	if !errors.Is(err, farm.ErrBuild) || !strings.Contains(err.Error(), "this worker is "+other.String()) || !strings.Contains(err.Error(), "it is "+farm.BuildHere("").String()) {
		t.Errorf("error %v, want both builds", err)
	}
	ended := work(soon, &farm.Worker{Exchange: ex, Name: "other", Build: other, Mixed: true})
	got := <-finished
	if n := strings.Count(got, "runs were made by other builds of gonb-cope"); n != 6 || !strings.Contains(got, other.String()) {
		t.Errorf("%d of 6 results name the other build:\n%.9500s", n, got)
	}
	cancel()
	<-ended

	old := cluster.NewMemory()
	body, err := json.Marshal(farm.Chunk{Revision: sim.ResultsRevision - 1, Build: other})
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Offer(t.Context(), "sweep-old", cluster.Work{Run: "sweep-old", ID: "0-0-1", Body: body}); err != nil {
		t.Fatal(err)
	}
	err = <-work(t.Context(), &farm.Worker{Exchange: old, Name: "new", Mixed: true})
	if !errors.Is(err, farm.ErrBuild) || !strings.Contains(err.Error(), fmt.Sprintf("its results are of revision %d", sim.ResultsRevision-1)) {
		t.Errorf("error %v, want the revisions", err)
	}
	if _, err := old.Take(t.Context()); err != nil { // for somebody else
		t.Error(err)
	}
}

// tampering gives another content than was asked for.
type tampering struct {
	cluster.Exchange
	wrong string // in the content
}

func (x tampering) Fetch(ctx context.Context, run, hash string) ([]byte, error) {
	content, err := x.Exchange.Fetch(ctx, run, hash)
	return []byte(strings.Replace(string(content), x.wrong, "9", 1)), err
}

// Files are fetched by hash; content with another hash is refused, and the chunk fails.
func TestFilesByHash(t *testing.T) {
	dir := folder(t)
	for _, wrong := range []string{"0.6", "demo"} { // in the data, in the script
		ex := cluster.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		ended := work(ctx, &farm.Worker{Exchange: tampering{ex, wrong}, Name: "misled"})
		_, displays, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
		cancel()
		<-ended
		if err == nil || len(displays) != 0 || !strings.Contains(err.Error(), "given up after 3 failures, the last on worker misled") || !strings.Contains(err.Error(), "its content has the hash") {
			t.Errorf("%d displays, error %v; want the hashes", len(displays), err)
		}
	}
}

// A chunk that cannot be made is tried three times, by whoever takes it. Then its error is shown, and
// the sweep ends with what is finished.
func TestFailingChunk(t *testing.T) {
	const runs = `r = fc(paper(case=1, gap=0.6), runs=30)
sweep(r, gap=[0.6, 0.7, 0.8, 0.9])`
	ex := cluster.NewMemory()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	fails := func(ctx context.Context, r farm.Recipe, read func(string) ([]byte, error)) (farm.Source, error) {
		s, err := dsl.Remake(ctx, r, read)
		return failing{s}, err
	}
	// of another build, so that the key of the experiment, which has none here, is not compared
	a := work(ctx, &farm.Worker{Exchange: ex, Name: "a", Make: fails, Build: other(), Mixed: true})
	b := work(ctx, &farm.Worker{Exchange: ex, Name: "b", Make: fails, Build: other(), Mixed: true})
	_, displays, err := evaluate(t, t.Context(), runs, dsl.Options{Runner: runner(ex)})
	cancel()
	<-a
	<-b
	if err == nil || !strings.Contains(err.Error(), "given up after 3 failures, the last on worker ") || !strings.Contains(err.Error(), "the arm is broken") || !strings.Contains(err.Error(), "in the sweep with gap=0.8") {
		t.Errorf("error %v, want why runs fail", err)
	}
	if len(displays) == 1 {
		for _, row := range displays[0].Value.(sim.Sweep).Rows {
			if row.Result.Runs != 30 || row.Values[0] == 0.8 {
				t.Errorf("gap %v has %d runs", row.Values[0], row.Result.Runs)
			}
		}
	}
}

// failing is a source whose experiments of gap 0.8 fail after some runs.
type failing struct{ farm.Source }

func (s failing) Experiment(ctx context.Context, cell int) (sim.Experiment, error) {
	x, err := s.Source.Experiment(ctx, cell)
	if err != nil || cell != 2 {
		return x, err
	}
	draw, err := sim.DrawerOf(x.Problem)
	if err != nil {
		return x, err
	}
	x.Options.MaxRounds = 0
	draws := 0
	x.Draw = func(rng *rand.Rand, i, n int, squares bool) (sim.Draw, error) {
		if draws++; draws > 600 && i == 3 {
			return sim.Draw{}, errors.New("the arm is broken")
		}
		return draw(rng, i, n, squares)
	}
	return x, nil
}

// A worker that is there for one script ends with it, and an interrupted one gives its chunk back at once.
func TestWorkersEnd(t *testing.T) {
	dir := folder(t)
	ex := cluster.NewMemory()
	once := work(t.Context(), &farm.Worker{Exchange: ex, Name: "once", Once: true})
	asks := runner(ex)
	for range 2 { // it is there for both
		if _, _, err := evaluate(t, t.Context(), "r = fc(paper(case=1, gap=0.6), runs=3)\nsweep(r, seed=1..9)", dsl.Options{Folder: dir, Runner: asks}); err != nil {
			t.Fatal(err)
		}
	}
	if err := asks.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-once:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the worker goes on after its script")
	}

	began := make(chan struct{}, 100)
	slow := func(ctx context.Context, r farm.Recipe, read func(string) ([]byte, error)) (farm.Source, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := work(ctx, &farm.Worker{Exchange: ex, Name: "stopped", Make: slow})
	done := make(chan error, 1)
	go func() {
		_, _, err := evaluate(t, t.Context(), script, dsl.Options{Folder: dir, Runner: runner(ex)})
		done <- err
	}()
	<-began
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("an interrupted worker says %v", err)
	}
	// the patience of the exchange is 30 s: what was not given back would come late
	next, stop := context.WithCancel(t.Context())
	other := work(next, &farm.Worker{Exchange: ex, Name: "next"})
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the chunk was not given back")
	}
	stop()
	<-other
}

// Two workers of one build that make different results are a defect that is told.
func TestContradiction(t *testing.T) {
	ex := &doubling{Exchange: cluster.NewMemory()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wrong := func(ctx context.Context, r farm.Recipe, read func(string) ([]byte, error)) (farm.Source, error) {
		s, err := dsl.Remake(ctx, r, read)
		return drifting{s}, err
	}
	right := work(ctx, &farm.Worker{Exchange: ex, Name: "right", Build: other(), Mixed: true})
	go func() {
		_, _, _ = evaluate(t, ctx, "r = fc(paper(case=1, gap=0.6))\nsweep(r, seed=1..9)", dsl.Options{Runner: runner(ex)})
	}()
	var err error
	select {
	case err = <-work(ctx, &farm.Worker{Exchange: ex, Name: "wrong", Make: wrong, Build: other(), Mixed: true}):
	case err = <-right:
	}
	if err == nil || !strings.Contains(err.Error(), "of the same build, made different results of the same runs") {
		t.Errorf("error %v", err)
	}
}

// drifting draws other rewards.
type drifting struct{ farm.Source }

func (s drifting) Experiment(ctx context.Context, cell int) (sim.Experiment, error) {
	x, err := s.Source.Experiment(ctx, cell)
	if err == nil {
		var draw sim.Drawer
		draw, err = sim.DrawerOf(x.Problem)
		x.Draw = func(rng *rand.Rand, i, n int, squares bool) (sim.Draw, error) {
			d, err := draw(rng, i, n, squares)
			d.Mean += 0.01
			return d, err
		}
	}
	return x, err
}

// Parts that are longer than a fact arrive whole: here those with the estimates of 300 arms in
// many rounds.
func TestLongParts(t *testing.T) {
	var b strings.Builder
	b.WriteString("task,arm,x_a,mean,sd\n")
	for i := range 300 {
		fmt.Fprintf(&b, "u,arm%d,%g,%g,1\n", i, float64(i)/300, math.Sin(float64(i)/90))
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "arms.csv"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = `p = problem("arms.csv", kernel=task(identity()) * arm(rbf(0.3)))
r = fc(p, runs=2, algorithm="CoKernelFC", max_rounds=30, max_samples=100000000000)
r
plot(r, y="estimate")`
	want, _, err := evaluate(t, t.Context(), text, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	ex := &measuring{Exchange: cluster.NewMemory()}
	ctx, cancel := context.WithCancel(t.Context())
	ended := work(ctx, &farm.Worker{Exchange: ex, Name: "a"})
	got, _, err := evaluate(t, t.Context(), text, dsl.Options{Folder: dir, Runner: runner(ex)})
	cancel()
	<-ended
	if err != nil || got != want {
		t.Errorf("other displays, error %v", err)
	}
	if ex.pieces < 2 {
		t.Errorf("the largest fact has %d bytes, and there are %d pieces: nothing was tried", ex.largest, ex.pieces)
	}
}

// measuring counts what is published.
type measuring struct {
	cluster.Exchange
	mu              sync.Mutex
	pieces, largest int
}

func (m *measuring) Publish(ctx context.Context, f cluster.Fact) error {
	m.mu.Lock()
	m.largest = max(m.largest, len(f.Body))
	if strings.Contains(f.Name, "-piece-") {
		m.pieces++
	}
	m.mu.Unlock()
	return m.Exchange.Publish(ctx, f)
}
