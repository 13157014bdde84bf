package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/bridge/host"
)

// envPart makes the test binary play a part: a Go cell of cells, or a kernel.
const envPart = "GONB_COPE_TEST_PART"

func TestMain(m *testing.M) {
	part := os.Getenv(envPart)
	play := cells()[part]
	if play == nil {
		play = actCells()[part]
	}
	if play == nil {
		play = ownCells()[part]
	}
	if play != nil {
		play()
		os.Exit(0)
	}
	if part != "" {
		fmt.Fprintln(os.Stderr, "no such part:", part)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// notebook is a kernel of the tests: a session, its host, and what was displayed.
type notebook struct {
	*testing.T
	session *dsl.Session
	host    *host.Host
	shown   []map[string]any
	mu      sync.Mutex
}

func newNotebook(t *testing.T) *notebook { return newNotebookIn(t, "../../../notebooks") }

func newNotebookIn(t *testing.T, folder string) *notebook {
	n := &notebook{T: t, session: dsl.NewSession(dsl.Options{Rebind: true, Workers: 2, Folder: folder})}
	h := try.Of(host.Listen(&host.Session{Lock: &n.mu, Session: n.session, Display: func(b map[string]any) error {
		n.shown = append(n.shown, b)
		return nil
	}}, ""))
	n.host = h
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// cope evaluates a %%cope cell and returns its error as text.
func (n *notebook) cope(src string) string {
	n.Helper()
	script, errs := dsl.Parse("cell", src)
	if len(errs) > 0 {
		n.Fatal(errs)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, err := n.session.Eval(n.Context(), script); err != nil {
		return err.Error()
	}
	return ""
}

func (n *notebook) mustCope(src string) {
	n.Helper()
	if err := n.cope(src); err != "" {
		n.Fatalf("%s\n%v", err, n.host.Fault())
	}
}

// command returns a process that plays a Go cell.
func (n *notebook) command(part string, env ...string) *exec.Cmd {
	exe := try.Of(os.Executable())
	c := exec.Command(exe)
	c.Env = append(append(os.Environ(), n.host.Env()...), append(env, envPart+"="+part)...)
	c.WaitDelay = time.Second
	return c
}

// run plays a Go cell and returns what it printed, and its panic or "".
func (n *notebook) run(part string, env ...string) (stdout, panicked string) {
	n.Helper()
	var out, errors strings.Builder
	c := n.command(part, env...)
	c.Stdout, c.Stderr = &out, &errors
	err := c.Run()
	first, _, _ := strings.Cut(errors.String(), "\n")
	if (err != nil) != strings.HasPrefix(first, "panic: ") {
		n.Fatalf("%s: %v: %s", part, err, errors.String())
	}
	return out.String(), strings.TrimPrefix(first, "panic: ")
}

func (n *notebook) mustRun(part string, env ...string) string {
	n.Helper()
	out, panicked := n.run(part, env...)
	if panicked != "" {
		n.Fatalf("%s: %s", part, panicked)
	}
	return out
}

// wantPanic plays a cell that must fail, with a message that has all of the parts.
func (n *notebook) wantPanic(part string, parts ...string) {
	n.Helper()
	_, panicked := n.run(part)
	for _, p := range parts {
		if !strings.Contains(panicked, p) {
			n.Errorf("%s panicked with %q; it should say %q", part, panicked, p)
		}
	}
}

// get returns a value of the session.
func (n *notebook) get(name string) (any, dsl.Type) {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, kind, _ := n.session.Value(name)
	return v, kind
}

func (n *notebook) names() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.session.Names()
}

// bind binds a name as a Go cell does.
func (n *notebook) bind(name string, v any) {
	n.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	try.To(n.session.Put(name, v))
}

// waitLimit is far above what anything takes, also on a busy machine.
const waitLimit = 3 * time.Minute

// eventually fails unless something comes to hold.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Errorf("%s did not come within %v", what, waitLimit)
}

// interruptAll interrupts what the functions of Go cells evaluate, now and then, until
// what it returns is called.
func (n *notebook) interruptAll() (stop func()) {
	stopped := make(chan struct{})
	go func() {
		for tick := time.NewTicker(300 * time.Millisecond); ; {
			select {
			case <-tick.C:
				n.host.Interrupt()
			case <-stopped:
				tick.Stop()
				return
			}
		}
	}()
	return func() { close(stopped) }
}
