package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	process "github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/base/warden"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// roleVariable makes the test binary a kernel or a warden: the tests run the real
// thing, as processes.
const roleVariable = "GONB_COPE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "kernel":
		os.Exit(kernelMain())
	case "warden":
		_ = os.Unsetenv(roleVariable)
		status, _ := warden.Run(os.Args[1:], os.Stdin)
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func kernelMain() int {
	self, _ := os.Executable()
	interrupts, ends := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	signal.Notify(ends, syscall.SIGTERM)
	_ = os.Unsetenv(roleVariable)
	err := Run(Options{
		ConnectionFile: os.Args[1], Version: "test", Warden: []string{"env", roleVariable + "=warden", self},
		HistoryFile: os.Getenv("TEST_HISTORY"), Folder: os.Getenv("TEST_FOLDER"),
		Log: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
	}, interrupts, ends)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// front is a front end connected to its own kernel.
type front struct {
	t      testing.TB
	cmd    *exec.Cmd
	exited chan struct{}
	conn   jupyter.Connection
	client *jupyter.Client
	stderr *process.Tail

	mu     sync.Mutex
	seen   []*jupyter.Message // everything on iopub
	change chan struct{}
}

// needGo skips tests of Go cells where the tools of GoNB cannot be had.
func needGo(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("Go cells are compiled: left out with -short")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not on the path: Go cells are not tested")
	}
}

// start starts a kernel and connects to it.
func start(t testing.TB, env ...string) *front {
	t.Helper()
	dir := try.Of(os.MkdirTemp("", "k"))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	f := &front{t: t, conn: jupyter.LocalConnection(dir), exited: make(chan struct{}), stderr: newTail(), change: make(chan struct{})}
	path := filepath.Join(dir, "kernel-0a1b2c3d-0000-4000-8000-000000000000.json")
	try.To(f.conn.WriteFile(path))
	self, _ := os.Executable()
	f.cmd = exec.Command(self, path)
	if slices.Contains(env, "TEST_SHELL=1") { // a process between the test and the kernel
		f.cmd = exec.Command("sh", "-c", `"$0" "$1"; :`, self, path)
	}
	f.cmd.Env = append(os.Environ(), roleVariable+"=kernel", "TEST_HISTORY="+filepath.Join(dir, "history.jsonl"), "TEST_FOLDER="+dir)
	f.cmd.Env = append(f.cmd.Env, env...)
	f.cmd.Dir = dir
	f.cmd.Stderr, f.cmd.Stdout = io.MultiWriter(f.stderr, testLog{t}), testLog{t}
	try.To(f.cmd.Start())
	go func() {
		_ = f.cmd.Wait()
		close(f.exited)
	}()
	t.Cleanup(f.end)
	f.client = f.connect()
	go f.watch()
	f.join()
	return f
}

// join asks who the kernel is until what it publishes arrives: a subscription may come after the
// first answer, and what is published before it is lost.
func (f *front) join() {
	f.t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); {
		request := f.send(jupyter.ShellChannel, "kernel_info_request", struct{}{})
		f.reply(jupyter.ShellChannel, request)
		for again := time.Now().Add(time.Second); time.Now().Before(again); time.Sleep(2 * time.Millisecond) {
			if hasIdle(f.published(request)) {
				return
			}
		}
	}
	f.t.Fatalf("nothing that the kernel publishes arrives within %v", waitLimit)
}

// testLog shows what a kernel prints when GONB_COPE_TEST_LOG is set.
type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	if os.Getenv("GONB_COPE_TEST_LOG") != "" {
		_, _ = os.Stderr.Write(p)
	}
	return len(p), nil
}

func (f *front) connect() *jupyter.Client {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	c, err := jupyter.Dial(ctx, f.conn)
	if err != nil {
		f.t.Fatalf("%v; the kernel printed:\n%s", err, f.stderr)
	}
	return c
}

// end ends the kernel and fails the test if it does not end.
func (f *front) end() {
	if f.client != nil {
		_ = f.client.Close()
	}
	_ = f.cmd.Process.Signal(syscall.SIGTERM)
	f.awaitExit()
}

func (f *front) awaitExit() {
	f.t.Helper()
	select {
	case <-f.exited:
	case <-time.After(waitLimit):
		_ = f.cmd.Process.Kill()
		f.t.Errorf("the kernel did not end within %v", waitLimit)
	}
}

// watch collects what is published.
func (f *front) watch() {
	for m := range f.client.Messages(jupyter.IOPubChannel) {
		f.mu.Lock()
		f.seen = append(f.seen, m)
		close(f.change)
		f.change = make(chan struct{})
		f.mu.Unlock()
	}
}

// published returns the messages that belong to a request.
func (f *front) published(request *jupyter.Message) []*jupyter.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []*jupyter.Message
	for _, m := range f.seen {
		if m.Parent.ID == request.Header.ID {
			found = append(found, m)
		}
	}
	return found
}

// await waits until what was published for a request satisfies a condition.
func (f *front) await(request *jupyter.Message, what string, holds func([]*jupyter.Message) bool) []*jupyter.Message {
	f.t.Helper()
	timeout, exited := time.After(waitLimit), f.exited
	for {
		f.mu.Lock()
		change := f.change
		f.mu.Unlock()
		found := f.published(request)
		if holds(found) {
			return found
		}
		if hasIdle(found) {
			f.t.Fatalf("no %s before idle: %s", what, described(found))
		}
		select {
		case <-change:
		case <-exited: // what it sent may still be on its way
			timeout, exited = time.After(lastWords), nil
		case <-timeout:
			if exited == nil {
				f.t.Fatalf("the kernel ended while waiting for %s; it printed:\n%s", what, f.stderr)
			}
			f.t.Fatalf("no %s within %v; published: %s", what, waitLimit, described(found))
		}
	}
}

// waitLimit is far above what anything takes, also on a busy machine: a first Go cell
// may build its tools.
const waitLimit = 5 * time.Minute

// lastWords limits the wait for the last messages of a kernel that has ended.
const lastWords = 30 * time.Second

// waits reports whether something holds before the limit.
func waits(holds func() bool) bool {
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

// waitUntil fails the test unless something comes to hold.
func waitUntil(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !waits(holds) {
		t.Fatalf("no %s within %v", what, waitLimit)
	}
}

func isIdle(m *jupyter.Message) bool {
	return m.Header.Type == "status" && strings.Contains(string(m.Content), "idle")
}

func hasIdle(all []*jupyter.Message) bool { return slices.ContainsFunc(all, isIdle) }

// send sends a request without waiting.
func (f *front) send(ch jupyter.Channel, msgType string, content any) *jupyter.Message {
	m := f.client.Session().New(msgType, nil, content)
	f.client.Send(ch, m)
	return m
}

// reply waits for the reply to a request on a channel.
func (f *front) reply(ch jupyter.Channel, request *jupyter.Message) map[string]any {
	f.t.Helper()
	timeout, exited := time.After(waitLimit), f.exited
	for {
		select {
		case m, open := <-f.client.Messages(ch):
			if !open {
				f.t.Fatalf("the connection ended; the kernel printed:\n%s", f.stderr)
			}
			if m.Parent.ID != request.Header.ID {
				continue
			}
			if want := strings.TrimSuffix(request.Header.Type, "_request") + "_reply"; m.Header.Type != want {
				f.t.Fatalf("%s was answered by %s, want %s", request.Header.Type, m.Header.Type, want)
			}
			return contentOf(f.t, m)
		case <-exited: // what it sent may still be on its way
			timeout, exited = time.After(lastWords), nil
		case <-timeout:
			if exited == nil {
				f.t.Fatalf("the kernel ended; it printed:\n%s", f.stderr)
			}
			f.t.Fatalf("no reply to %s within %v", request.Header.Type, waitLimit)
		}
	}
}

// ask sends a request and waits for its reply and for idle.
func (f *front) ask(ch jupyter.Channel, msgType string, content any) map[string]any {
	f.t.Helper()
	m := f.send(ch, msgType, content)
	reply := f.reply(ch, m)
	f.await(m, "idle after "+msgType, hasIdle)
	return reply
}

// run is an execution with what it gave.
type run struct {
	request *jupyter.Message
	reply   map[string]any
	outputs []*jupyter.Message // without status and execute_input
}

// execute runs a cell.
func (f *front) execute(code string) run {
	f.t.Helper()
	return f.finish(f.submit(code))
}

func (f *front) submit(code string) *jupyter.Message {
	return f.send(jupyter.ShellChannel, "execute_request", executeContent(code))
}

func executeContent(code string) map[string]any {
	return map[string]any{"code": code, "silent": false, "store_history": true, "user_expressions": map[string]string{}, "allow_stdin": false, "stop_on_error": true}
}

func (f *front) finish(m *jupyter.Message) run {
	f.t.Helper()
	r := run{request: m, reply: f.reply(jupyter.ShellChannel, m)}
	for _, p := range f.await(m, "idle", hasIdle) {
		if p.Header.Type != "status" && p.Header.Type != "execute_input" {
			r.outputs = append(r.outputs, p)
		}
	}
	return r
}

// ok fails the test unless the execution went well.
func (r run) ok(t testing.TB) run {
	t.Helper()
	if r.reply["status"] != "ok" {
		t.Fatalf("status %v: %v", r.reply["status"], r.reply)
	}
	return r
}

// text joins a stream of the execution.
func (r run) text(t testing.TB, name string) string {
	var b strings.Builder
	for _, m := range r.outputs {
		if m.Header.Type == "stream" {
			if c := contentOf(t, m); c["name"] == name {
				b.WriteString(c["text"].(string))
			}
		}
	}
	return b.String()
}

// of returns the contents of the outputs of a type.
func (r run) of(t testing.TB, msgType string) []map[string]any {
	var found []map[string]any
	for _, m := range r.outputs {
		if m.Header.Type == msgType {
			found = append(found, contentOf(t, m))
		}
	}
	return found
}

// dataOf returns the bundle of a display.
func dataOf(content map[string]any) map[string]any {
	data, _ := content["data"].(map[string]any)
	return data
}

// ansi matches colours in a traceback.
var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

func contentOf(t testing.TB, m *jupyter.Message) map[string]any {
	t.Helper()
	var content map[string]any
	if err := json.Unmarshal(m.Content, &content); err != nil {
		t.Fatalf("content of %s: %v", m.Header.Type, err)
	}
	return content
}

func kinds(all []*jupyter.Message) []string {
	var list []string
	for _, m := range all {
		list = append(list, m.Header.Type)
	}
	return list
}

func described(all []*jupyter.Message) string {
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "\n\t%s %.500s", m.Header.Type, m.Content)
	}
	return b.String()
}
