package host_test

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

func sprint(v any) string { return fmt.Sprint(v) }

// value evaluates the kernel that a name is bound to on the points with numbers i, j.
func (n *notebook) value(name string, i, j int) float64 {
	n.Helper()
	v, _ := n.get(name)
	gram := try.Of(kernels.Gram(v.(kernels.Kernel), points()))
	return gram.At(i, j)
}

const coupling = `p = problem("data/cn_coupling.csv", kernel=task(identity())*arm(%s), noise="task")`

// TestFunction uses a Go func as a kernel in %%cope cells after its cell has ended.
func TestFunction(t *testing.T) {
	n := newNotebook(t)
	n.mustRun("decay")
	if got, want := n.value("decay", 0, 2), math.Exp(-2); got != want { // |0 - 2|
		t.Errorf("decay is %v, want %v", got, want)
	}
	n.mustCope(fmt.Sprintf(coupling, "(linear() + decay)") + "\nr = fc(p, delta=0.1, runs=2)\nk = linear() + 0.5*decay^2\nprint(k)")
	// x·y + e^(-2·2.5)/2
	if got, want := n.value("k", 1, 3), 0.5*3+-1*3+0.5*math.Exp(-5); math.Abs(got-want) > 1e-12 {
		t.Errorf("k is %v, want %v", got, want)
	}
	n.mustRun("decayIn")
	v, _ := n.get("k")
	if text := v.(fmt.Stringer).String(); text != "arm(linear() + inner)" {
		t.Errorf("a joint kernel with a function is %s", text)
	}
	if out := n.mustRun("two"); out != "once\n" {
		t.Errorf("the cell printed %q", out)
	}
	if one, two := n.value("one", 0, 2), n.value("two", 0, 2); one != math.Exp(-2) || two != math.Exp(-4) {
		t.Errorf("two functions of one cell are %v and %v", one, two)
	}
	n.mustCope("rate = 3")
	n.mustRun("changed")
	if rate, _ := n.get("rate"); rate != 4.0 {
		t.Errorf("rate is %v: the cell ran once for the session", rate)
	}
	if got := n.value("decay", 0, 2); got != math.Exp(-6) {
		t.Errorf("decay is %v: it has the rate that the cell read, 3", got)
	}
}

// TestNested lets a function evaluate a formula of the session.
func TestNested(t *testing.T) {
	n := newNotebook(t)
	n.mustCope("wave(x, y) = x[0]*y[0]")
	// A formula of a script is bound to columns when it meets its points; without points the cell
	// gets an error.
	n.mustRun("decayPlus")
	n.value("both", 1, 2)
	if fault := n.host.Fault(); fault == nil || !strings.Contains(fault.Error(), "must be bound") {
		t.Errorf("the fault is %v", fault)
	}
}

// TestRestart ends a function's process; it starts again with what it once read.
func TestRestart(t *testing.T) {
	n := newNotebook(t)
	n.mustCope("rate = 2")
	n.mustRun("decayOf")
	n.mustCope("rate = 5\nold = decay + constant(0)")
	n.mustRun("decayOf") // ends the process of the first
	if got := n.value("decay", 0, 2); got != math.Exp(-10) {
		t.Errorf("decay is %v, want e^-10", got)
	}
	if got := n.value("old", 0, 2); got != math.Exp(-4) {
		t.Errorf("what used the first is %v, want e^-4", got)
	}
}

// TestMany binds more functions than processes may run at once; all can be used.
func TestMany(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 17 processes")
	}
	n := newNotebook(t)
	n.mustRun("many")
	if running := children(t); len(running) < 10 || len(running) > 17 {
		t.Errorf("%d processes run", len(running))
	}
	for i := range 20 {
		if got, want := n.value("f"+sprint(i), 0, 2), math.Exp(-2*float64(i)); got != want {
			t.Errorf("f%d is %v, want %v", i, got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	n := newNotebook(t)
	check := func(cell string, parts ...string) {
		t.Helper()
		n.mustRun(cell)
		if cell == "hangsBad" {
			defer n.interruptAll()()
		}
		if err := n.cope(fmt.Sprintf(coupling, "bad")); !strings.Contains(err, "NaN") {
			t.Errorf("%s: the error is %q", cell, err)
		}
		fault := sprint(n.host.Fault())
		for _, part := range parts {
			if !strings.Contains(fault, part) {
				t.Errorf("%s: the fault is %q; it should say %q", cell, fault, part)
			}
		}
		if again := n.host.Fault(); again != nil {
			t.Errorf("%s: the fault is told twice: %v", cell, again)
		}
	}
	check("panics", "bad: a panic at the points ", " and ", "index out of range [7] with length ")
	check("dies", "bad: its process ended with exit status 9: goodbye")
	check("hangsBad", "interrupted")
	n.wantPanic("elsewhere", "cannot define bad", "exit status 4: took another way", "before it reached session.Put")
	n.mustCope("rate = 1")
	n.wantPanic("asksMore", "cannot define bad", `now requests "rate"`)
}

// TestReward draws from a function of a cell: the same numbers from the same source.
func TestReward(t *testing.T) {
	n := newNotebook(t)
	n.mustRun("reward")
	reward := func(name string) sim.RewardFunc {
		v, _, _ := n.session.Value(name)
		return v.(sim.RewardFunc)
	}
	measure := reward("measure")
	draw := func(seed uint64) float64 {
		return try.Of(measure(rand.New(rand.NewPCG(seed, 1)), "task", "arm", 10_000))
	}
	// 4 + 3 letters, sd 0.01
	if a, b, c := draw(1), draw(1), draw(2); a != b || a == c || math.Abs(a-7) > 0.06 {
		t.Errorf("drew %v, %v and %v", a, b, c)
	}
	if _, err := measure(rand.New(rand.NewPCG(1, 1)), "task", "broken", 1); err == nil || err.Error() != "measure: no such rig" {
		t.Errorf("the error is %v", err)
	}
	one := reward("one")
	// sd 0.29/√1000 = 0.009
	if v, err := one(rand.New(rand.NewPCG(1, 1)), "t", "a", 1000); err != nil || math.Abs(v-0.5) > 0.06 {
		t.Errorf("the mean of 1000 uniform numbers is %v, %v", v, err)
	}
}

// folder returns the folder in which the host keeps its socket and programs.
func (n *notebook) folder() string {
	return filepath.Dir(strings.TrimPrefix(n.host.Env()[0], bridge.EnvSocket+"="))
}

func (n *notebook) programs() []string {
	found, _ := filepath.Glob(filepath.Join(n.folder(), "function-*"))
	return found
}

// TestForgotten looks that the program of a function goes when nothing uses it.
func TestForgotten(t *testing.T) {
	n := newNotebook(t)
	n.mustRun("decay")
	if got := n.programs(); len(got) != 1 {
		t.Fatalf("the host keeps %v", got)
	}
	runtime.GC()
	if n.value("decay", 0, 0); len(n.programs()) != 1 {
		t.Error("the program of a function in use is gone")
	}
	n.bind("decay", 1)
	eventually(t, "the end of the programs of the host", func() bool {
		runtime.GC()
		return len(n.programs()) == 0
	})
}

// TestClose looks that nothing is left: no process, no folder.
func TestClose(t *testing.T) {
	n := newNotebook(t)
	n.mustRun("decay")
	c := n.command("slow")
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	var stderr strings.Builder
	c.Stderr = &stderr
	try.To(c.Start())
	try.Of(bufio.NewReader(out).ReadString('\n'))
	running := children(t)
	try.To(n.host.Close())
	if _, err := os.Stat(n.folder()); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	_, _ = in.Write([]byte("\n"))
	_ = c.Wait()
	if first, _, _ := strings.Cut(stderr.String(), "\n"); !strings.Contains(first, "session: the kernel does not answer") {
		t.Errorf("the cell says %q", first)
	}
	if left := children(t); len(running) != 2 || len(left) != 0 {
		t.Errorf("of the processes %v are left %v", running, left)
	}
}

// children returns the processes that this one has started and that have not ended.
func children(t *testing.T) []string {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 {
		t.Skip("there is no /proc to look for processes in")
	}
	var found []string
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 2 && fields[0] != "Z" && fields[1] == sprint(os.Getpid()) {
			found = append(found, strings.Fields(string(text))[0])
		}
	}
	return found
}
