package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

func TestGoCells(t *testing.T) {
	needGo(t)
	f := start(t)
	r := f.execute("func twice(x int) int { return 2 * x }\n\n%%\nfmt.Println(\"hello, world\", twice(21))").ok(t)
	if got := r.text(t, "stdout"); got != "hello, world 42\n" {
		t.Errorf("stdout %q", got)
	}
	for _, m := range f.published(r.request) {
		if m.Header.Session == r.request.Header.Session || m.Parent != r.request.Header {
			t.Errorf("%s: session %s, parent %+v", m.Header.Type, m.Header.Session, m.Parent)
		}
	}
	// declarations are kept, and imports found
	r = f.execute("%%\nfmt.Fprint(os.Stderr, \"careful\")").ok(t)
	if got := r.text(t, "stderr"); got != "careful" {
		t.Errorf("stderr %q", got)
	}
	// at the end of a program GoNB drops displays that it has not read
	r = f.execute("import \"github.com/janpfeifer/gonb/gonbui\"\n%%\ngonbui.DisplayHTML(\"<b>bold</b>\")\ngonbui.Sync()").ok(t)
	shown := append(r.of(t, "display_data"), r.of(t, "execute_result")...)
	if len(shown) != 1 || dataOf(shown[0])["text/html"] != "<b>bold</b>" {
		t.Errorf("gonbui showed %v", shown)
	}
	// One counter for both languages, and GoNB's own in step with it.
	f.execute("%%cope\n1").ok(t)
	f.execute("%%cope\n2").ok(t)
	r = f.execute("%%\nvar list []int\n_ = list[3]")
	if r.reply["execution_count"] != 6.0 || !strings.Contains(fmt.Sprint(r.reply["evalue"]), "cell 6, line 3") {
		t.Errorf("%v", r.reply)
	}
}

// With an empty build cache a first Go cell shows how many packages are left to compile, and nothing of it in the end.
func TestGoCellsSayThatTheyCompile(t *testing.T) {
	needGo(t)
	f := start(t, "GOCACHE="+t.TempDir())
	r := f.execute("%%\nfmt.Println(\"ready\")").ok(t)
	kept, said := "", ""
	for _, m := range f.published(r.request) {
		c := contentOf(t, m)
		switch m.Header.Type {
		case "display_data", "update_display_data":
			said = fmt.Sprint(dataOf(c)["text/plain"])
			kept += said
		case "clear_output":
			kept = ""
		case "stream":
			kept += fmt.Sprint(c["text"])
		}
	}
	if !strings.HasPrefix(said, "compiling packages for Go cells, once: ") || kept != "ready\n" {
		t.Errorf("said %q, kept %q", said, kept)
	}
}

// The library resolves without any set-up in a notebook, and without go get.
func TestGoCellsImportTheLibrary(t *testing.T) {
	needGo(t)
	t.Setenv("GOPROXY", "off")
	f := start(t)
	r := f.execute(`import (
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"gonum.org/v1/gonum/floats"
)
%%
p, err := problem.PaperCase(1, 0.1)
if err != nil { panic(err) }
fmt.Println(p.Tasks.Len(), floats.Sum([]float64{1, 2}))`)
	if got := r.ok(t).text(t, "stdout"); got != "5 3\n" {
		t.Errorf("stdout %q", got)
	}
	f.execute("%reset\n%reset go.mod").ok(t) // GoNB forgets its go.mod: it is prepared again
	f.execute("import \"github.com/gonb-cope/gonb-cope/kernels\"\n%%\nfmt.Println(kernels.Linear{})").ok(t)
}

func TestGoErrors(t *testing.T) {
	needGo(t)
	f := start(t)
	f.execute("func half(x int) int { return x / 2 }").ok(t)
	for _, test := range []struct{ code, name, value, traceback string }{
		{"%%\npanic(\"boo\")", "Panic", "panic: boo (cell 2, line 2)", "goroutine 1 [running]"},
		{"%%\n\t_ = half(\"a\")", "CompileError", `cell 3:2:11: cannot use "a"`, "\n 2 | \t_ = half(\"a\")\n   | \t         "},
		{"\nvar bb = 1 + \"x\"", "CompileError", "cell 4:2:10: ", "\n 2 | var bb = 1 + \"x\"\n   |          ^"},
		{"func f( {", "CompileError", "cell 5:1:9:", " 1 | func f( {"},
		{"%%\nos.Exit(3)", "ProgramError", "exit status 3", "exit status 3"},
		{"%%\nvar m map[string]int\nm[\"a\"] = 1", "Panic", "panic: assignment to entry in nil map (cell 7, line 3)", "main.main"},
	} {
		r := f.execute(test.code)
		errors := r.of(t, "error")
		if r.reply["status"] != "error" || len(errors) != 1 {
			t.Errorf("%q: status %v, %d error messages", test.code, r.reply["status"], len(errors))
			continue
		}
		traceback := ansi.ReplaceAllString(fmt.Sprint(errors[0]["traceback"]), "")
		if errors[0]["ename"] != test.name || !strings.HasPrefix(fmt.Sprint(errors[0]["evalue"]), test.value) || !strings.Contains(traceback, test.traceback) {
			t.Errorf("%q: %v: %v\n%s\nwant %s: %s … %q", test.code, errors[0]["ename"], errors[0]["evalue"], traceback, test.name, test.value, test.traceback)
		}
		if said := r.text(t, "stderr"); len(r.of(t, "display_data")) != 0 || said != "" {
			t.Errorf("%q: something is displayed besides the error: %q", test.code, said)
		}
	}
	f.execute("%%\nfmt.Println(half(4))").ok(t)
}

// Cells are linked without tables for debuggers, until the user names other flags.
func TestGoCellsAreLinkedQuickly(t *testing.T) {
	needGo(t)
	f := start(t)
	for _, c := range []struct{ code, want string }{
		{"%goflags", `%goflags=["-ldflags=-s"]`}, {"%goflags -race", `%goflags=["-race"]`},
		{"%reset", ""}, {"%goflags", `%goflags=["-race"]`},
	} {
		if said := f.execute(c.code).ok(t).text(t, "stdout"); !strings.Contains(said, c.want) {
			t.Errorf("%s says %q, want %q", c.code, said, c.want)
		}
	}
}

// A cell that imports this library says how its source is found when it is not.
func TestGoWithoutSource(t *testing.T) {
	needGo(t)
	t.Setenv("GONB_COPE_SOURCE", filepath.Join(t.TempDir(), "moved"))
	t.Setenv("GOPROXY", "off")
	f := start(t)
	r := f.execute("import \"github.com/gonb-cope/gonb-cope/session\"\n%%\nfmt.Println(session.Names())")
	if value := fmt.Sprint(r.reply["evalue"]); r.reply["ename"] != "SourceMissing" || !strings.HasPrefix(value, "GONB_COPE_SOURCE is ") {
		t.Errorf("%v: %v", r.reply["ename"], value)
	}
	if trace := fmt.Sprint(r.reply["traceback"]); !strings.Contains(trace, "is the folder of a checkout of this library") {
		t.Errorf("the traceback is %s", trace)
	}
	if r := f.execute("%%\nundefined()"); r.reply["ename"] != "CompileError" {
		t.Errorf("a cell without it: %v", r.reply)
	}
}

// An interrupt reaches what runs, what compiles and what a shell waits for. Each
// would take an hour. Declarations stay.
func TestInterruptGo(t *testing.T) {
	needGo(t)
	f := start(t)
	f.execute("func ten() int { return 10 }\n%%\nfmt.Println(ten())").ok(t)
	signalled := func() { _ = f.cmd.Process.Signal(os.Interrupt) }
	requested := func() { f.ask(jupyter.ControlChannel, "interrupt_request", struct{}{}) }
	for _, test := range []struct {
		what, code string
		interrupt  func()
	}{
		{"a program", "%%\nfmt.Println(\"begun\")\ntime.Sleep(time.Hour)", requested},
		{"a program, by signal", "%%\nfmt.Println(\"begun\")\nfor { time.Sleep(time.Second) }", signalled},
		{"a shell command", "!echo begun; sleep 3600; echo done", requested},
		{"a pipe", "!echo begun; sleep 3600 | cat", requested},
		{"a compilation", "!echo begun\n%%\nfmt.Println(12345)", requested},
	} {
		if strings.Contains(test.what, "compilation") {
			f.slowCompiler()
		}
		m := f.submit(test.code)
		f.await(m, "output of "+test.what, func(all []*jupyter.Message) bool {
			return strings.Contains(fmt.Sprint((run{outputs: all}).text(t, "stdout")), "begun")
		})
		test.interrupt()
		r := f.finish(m)
		// GoNB does not count a shell command's failure as one
		if strings.HasPrefix(test.code, "!echo begun; ") {
			continue
		}
		if said := r.text(t, "stderr"); r.reply["ename"] != "Interrupted" || said != "" {
			t.Errorf("%s: %v, and on stderr %q", test.what, r.reply, said)
		}
	}
	if got := f.execute("%%\nfmt.Println(ten())").ok(t).text(t, "stdout"); got != "10\n" {
		t.Errorf("after the interrupts: %q", got)
	}
}

// slowCompiler makes the next go build of this front's kernel wait: the cell's go
// command is a script that sleeps below it as a compiler would.
func (f *front) slowCompiler() {
	f.t.Helper()
	real := try.Of(exec.LookPath("go"))
	dir := f.t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = build ] && [ ! -e %[1]s/once ]; then : > %[1]s/once; sleep 3600; fi\nexec %[2]s \"$@\"\n", dir, real)
	try.To(os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700))
	path := strings.TrimSpace(f.execute("!echo $PATH").ok(f.t).text(f.t, "stdout"))
	f.execute("%env PATH " + dir + ":" + path).ok(f.t)
}

func TestStdin(t *testing.T) {
	needGo(t)
	f := start(t)
	content := executeContent("%with_inputs\n!read name; echo \"hello, $name\"")
	content["allow_stdin"] = true
	m := f.send(jupyter.ShellChannel, "execute_request", content)
	select {
	case ask := <-f.client.Messages(jupyter.StdinChannel):
		if ask.Header.Type != "input_request" || ask.Parent.ID != m.Header.ID {
			t.Fatalf("%s for %s", ask.Header.Type, ask.Parent.ID)
		}
		f.client.Send(jupyter.StdinChannel, f.client.Session().New("input_reply", ask, map[string]string{"status": "ok", "value": "Ada"}))
	case <-time.After(waitLimit):
		t.Fatal("nobody asked for input")
	}
	if got := f.finish(m).ok(t).text(t, "stdout"); !strings.Contains(got, "hello, Ada") {
		t.Errorf("stdout %q", got)
	}
}

// Streams are joined, and nothing of them is lost.
func TestBursts(t *testing.T) {
	needGo(t)
	f := start(t)
	r := f.execute("%%\nw := bufio.NewWriterSize(os.Stdout, 4096)\nfor i := range 200000 { fmt.Fprintln(w, i) }\nw.Flush()").ok(t)
	var want strings.Builder
	for i := range 200000 {
		fmt.Fprintln(&want, i)
	}
	if got := r.text(t, "stdout"); got != want.String() {
		t.Errorf("200,000 lines: %d bytes arrived, want %d", len(got), want.Len())
	}
	if n := len(r.outputs); n > 100 {
		t.Errorf("200,000 lines came in %d messages, want at most 100", n)
	}
	r = f.execute("%%\nfmt.Println(strings.Repeat(\"x\", 20<<20))").ok(t)
	if got := r.text(t, "stdout"); len(got) != 20<<20+1 {
		t.Errorf("a line of 20 MiB: %d bytes arrived", len(got))
	}
}

// A key that asks for completions must not hold up cells: GoNB itself blocks for 12 s.
func TestGoCompletionNeverBlocks(t *testing.T) {
	young := &goSide{tools: gonb.Tools{Gopls: "gopls"}, child: &child{started: time.Now(), exited: make(chan struct{})}}
	// It has no connection: asking it would panic.
	if reply := young.ask(t.Context(), &jupyter.Message{}); reply != nil {
		t.Errorf("a GoNB that has just started answers %v", reply)
	}
	needGo(t)
	f := start(t)
	f.execute("%%\nfmt.Println(1)").ok(t)
	for _, msgType := range []string{"complete_request", "inspect_request"} {
		reply := f.ask(jupyter.ShellChannel, msgType, map[string]any{"code": "%%\nfmt.Prin", "cursor_pos": 11, "detail_level": 0})
		if reply["status"] != "ok" {
			t.Errorf("%s: %v", msgType, reply)
		}
	}
	f.execute("%%\nfmt.Println(1)").ok(t)
}

// When GoNB dies, the cell fails with a reason, %%cope values are kept, and the next Go
// cell has a new GoNB.
func TestGoNBDies(t *testing.T) {
	needGo(t)
	f := start(t)
	f.execute("%%cope\nx = 5").ok(t)
	f.execute("func f() int { return 1 }\n%%\nfmt.Println(f())").ok(t)
	m := f.submit("%%\nfmt.Println(\"begun\")\ntime.Sleep(time.Hour)")
	f.await(m, "output", func(all []*jupyter.Message) bool {
		return strings.Contains((run{outputs: all}).text(t, "stdout"), "begun")
	})
	before := descendants(f.cmd.Process.Pid)
	for _, pid := range before {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.TrimSpace(string(name)) == "gonb" {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	r := f.finish(m)
	if r.reply["ename"] != "GoNBEnded" || !strings.Contains(fmt.Sprint(r.reply["evalue"]), "next Go cell starts it again") {
		t.Errorf("%v", r.reply)
	}
	for _, pid := range before {
		if alive(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	f.execute("%%cope\nx").ok(t)
	f.execute("%%\nfmt.Println(2)").ok(t)
}

// An interrupt is never lost, whichever stage of building and running it meets.
func TestInterruptAtAnyMoment(t *testing.T) {
	needGo(t)
	f := start(t)
	f.execute("%%\nfmt.Println(0)").ok(t)
	for i := range 24 {
		m := f.submit(fmt.Sprintf("%%%%\nfmt.Println(%d)\ntime.Sleep(time.Hour)", 1000+i))
		f.await(m, "busy", func(all []*jupyter.Message) bool { return len(all) > 0 })
		// any moment will do
		time.Sleep(time.Duration(i) * 12 * time.Millisecond)
		f.ask(jupyter.ControlChannel, "interrupt_request", struct{}{})
		r := f.finish(m)
		if r.reply["ename"] != "Interrupted" {
			t.Errorf("interrupted after %d ms: %v", 12*i, r.reply["ename"])
		}
		if r := f.execute("%%\nfmt.Println(\"next\")"); r.reply["status"] != "ok" {
			t.Errorf("the cell after an interrupt at %d ms: %v", 12*i, r.reply)
		}
	}
}
