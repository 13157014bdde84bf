package client

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// document makes a notebook of code cells. A source that begins with # is Markdown;
// "[tag] " in front gives the cell a tag. Each code cell has an old output.
func document(sources ...string) *notebook.Notebook {
	nb := &notebook.Notebook{Metadata: map[string]any{}}
	for _, s := range sources {
		c := notebook.Cell{Type: notebook.Code, ID: nb.FreshID("cell"), Source: s, Metadata: map[string]any{}}
		if tag, rest, ok := strings.Cut(s, "] "); ok && s[0] == '[' {
			c.Source = rest
			c.AddTag(tag[1:])
		}
		if strings.HasPrefix(s, "#") {
			c.Type = notebook.Markdown
		} else {
			c.Outputs = []notebook.Output{streamed("stdout", "old")}
		}
		nb.Cells = append(nb.Cells, c)
	}
	return nb
}

// texts returns the outputs of each cell in short.
func texts(nb *notebook.Notebook) []string {
	all := make([]string, len(nb.Cells))
	for i, c := range nb.Cells {
		var parts []string
		for _, o := range c.Outputs {
			switch o.Type {
			case notebook.Stream:
				parts = append(parts, o.Text)
			case notebook.Error:
				parts = append(parts, "!"+o.ErrorName+": "+o.ErrorValue)
			default:
				parts = append(parts, o.Data["text/plain"].(string))
			}
		}
		all[i] = strings.Join(parts, "|")
	}
	return all
}

func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		sources []string
		opt     RunOptions
		want    []string
		err     *CellError // without Err, which errs checks
		errs    func(error) bool
	}{
		"everything": {
			sources: []string{"# Title", "print a", "  ", "[skip-execution] print b", "result 42\nprint c", "display p 0 %", "update p 50 %\nprint d"},
			want:    []string{"", "a\n", "", "old", "42|c\n", "50 %", "d\n"},
		},
		"an error ends the run": {
			sources: []string{"# Title", "print a", "print b\nerror NameError no x\nprint c", "print d"},
			want:    []string{"", "a\n", "b\n|!NameError: no x", ""},
			err:     &CellError{Cell: 3, CodeCell: 2, Name: "NameError", Value: "no x", Traceback: []string{"NameError: no x"}},
		},
		"an error only in the reply is shown": {
			sources: []string{"quiet-error E v", "print d"},
			want:    []string{"!E: v", ""},
			err:     &CellError{Cell: 1, CodeCell: 1, Name: "E", Value: "v", Traceback: []string{"E: v"}},
		},
		"errors are allowed": {
			sources: []string{"error E v", "print d"}, opt: RunOptions{AllowErrors: true},
			want: []string{"!E: v", "d\n"},
		},
		"an error is expected": {
			sources: []string{"[raises-exception] error E v", "error F w", "print d"},
			want:    []string{"!E: v", "!F: w", ""},
			err:     &CellError{Cell: 2, CodeCell: 2, Name: "F", Value: "w", Traceback: []string{"F: w"}},
		},
		"too slow": {
			sources: []string{"print a\nsleep 1h", "print d"}, opt: RunOptions{Timeout: 200 * time.Millisecond, Grace: waitLimit},
			want: []string{"a\n|!Interrupt: ", ""},
			err:  &CellError{Cell: 1, CodeCell: 1},
			errs: func(err error) bool { late := new(TimeoutError); return errors.As(err, &late) },
		},
		"too slow, allowed": {
			// for the second cell, too
			sources: []string{"sleep 1h", "print d"}, opt: RunOptions{Timeout: 10 * time.Second, Grace: waitLimit, AllowErrors: true},
			want: []string{"!Interrupt: ", "d\n"},
		},
		"never ends": {
			sources: []string{"hang", "print d"}, opt: RunOptions{Timeout: 200 * time.Millisecond, Grace: 200 * time.Millisecond, AllowErrors: true},
			want: []string{"!Stopped: took longer than 200ms and was interrupted; the kernel still did not answer 200ms later", ""},
			err:  &CellError{Cell: 1, CodeCell: 1},
			errs: func(err error) bool { stuck := new(UnresponsiveError); return errors.As(err, &stuck) },
		},
		"an output that is no output": {
			sources: []string{"malformed\nprint a", "print d"},
			want:    []string{"a\n|!Stopped: message stream from the kernel cannot be decoded: name cannot be a number", ""},
			err:     &CellError{Cell: 1, CodeCell: 1},
			errs:    func(err error) bool { return strings.Contains(err.Error(), "message stream") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nb := document(c.sources...)
			var err error
			ends(t, func() { err = Run(t.Context(), nb, startFake(t, fakeSpec("plain"), StartOptions{}), c.opt) })
			if diff := cmp.Diff(c.want, texts(nb)); diff != "" {
				t.Error(diff)
			}
			var got *CellError
			errors.As(err, &got)
			if c.errs != nil {
				if !c.errs(err) {
					t.Errorf("error %v", err)
				}
				got.Err = nil
			}
			if diff := cmp.Diff(c.err, got); diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestRunDeath(t *testing.T) {
	nb := document("print a", "die", "print c")
	err := Run(t.Context(), nb, startFake(t, fakeSpec("plain"), StartOptions{}), RunOptions{AllowErrors: true})
	contains(t, err, "cell 2 (code cell 2): the kernel died: exit status 9", "segmentation fault")
	got := texts(nb)
	if got[0] != "a\n" || !strings.HasPrefix(got[1], "last words\n|!Stopped: the kernel died") || got[2] != "" {
		t.Errorf("outputs %q", got)
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	here := filepath.Join(t.TempDir(), "here")
	nb := document("print a", "print b\ncreate "+here+"\nsleep 1h", "print c")
	saved := 0
	k := startFake(t, fakeSpec("plain"), StartOptions{})
	go func() {
		eventually(t, "the second cell", func() bool {
			_, err := os.Stat(here)
			return err == nil
		})
		cancel()
	}()
	ends(t, func() {
		err := Run(ctx, nb, k, RunOptions{Saved: func(*notebook.Notebook) error { saved++; return nil }, Grace: waitLimit})
		contains(t, err, "cell 2 (code cell 2): context canceled")
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	if want := []string{"a\n", "b\n|!Interrupt: ", ""}; !slices.Equal(texts(nb), want) || saved != 2 {
		t.Errorf("outputs %q, saved %d times", texts(nb), saved)
	}
}

func TestRunCallbacks(t *testing.T) {
	k := startFake(t, fakeSpec("plain"), StartOptions{})
	nb := document("# Title", "print a", "", "print b", "print c")
	var seen []string
	full := errors.New("disk is full")
	err := Run(t.Context(), nb, k, RunOptions{
		RecordTiming: true,
		Progress: func(done, cells int, _ time.Duration) {
			seen = append(seen, "progress "+string(rune('0'+done))+"/"+string(rune('0'+cells)))
		},
		Saved: func(n *notebook.Notebook) error {
			seen = append(seen, "saved "+strings.Join(texts(n), ","))
			if len(texts(n)[3]) > 0 {
				return full
			}
			return nil
		},
	})
	want := []string{"progress 0/3", "saved ,a\n,,,", "progress 1/3", "saved ,a\n,,b\n,"}
	if !errors.Is(err, full) || !slices.Equal(seen, want) {
		t.Errorf("%v; seen %q, want %q", err, seen, want)
	}
	times, _ := nb.Cells[1].Metadata["execution"].(map[string]any)
	order := []string{"iopub.status.busy", "iopub.execute_input", "shell.execute_reply"}
	for i, event := range order {
		at, err := time.Parse(time.RFC3339Nano, times[event].(string))
		if err != nil || time.Since(at) > time.Hour || time.Since(at) < 0 {
			t.Errorf("%s at %v: %v", event, times[event], err)
		}
		if i == 1 && times[event].(string) < times[order[0]].(string) {
			t.Errorf("input at %v before busy at %v", times[event], times[order[0]])
		}
	}
	if nb.Cells[1].ExecutionCount != 1 || nb.Cells[3].ExecutionCount != 2 || nb.Cells[4].ExecutionCount != 0 {
		t.Errorf("counts %d %d %d", nb.Cells[1].ExecutionCount, nb.Cells[3].ExecutionCount, nb.Cells[4].ExecutionCount)
	}
	wantMeta := map[string]any{
		"kernelspec":    map[string]any{"name": "fake", "display_name": "Fake", "language": "fake"},
		"language_info": map[string]any{"name": "fake", "version": "1"},
	}
	if diff := cmp.Diff(wantMeta, nb.Metadata); diff != "" {
		t.Error(diff)
	}
}

// need skips a test, or fails where everything is required, when a command fails.
func need(t *testing.T, what, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("GONB_COPE_REQUIRE_ALL") == "1":
		t.Fatalf("%s is missing: %v %s", what, err, out)
	default:
		t.Skipf("%s is missing", what)
	}
}

const python = "/usr/bin/python3"

// ipykernel, the kernel that the protocol is modelled on, over both transports; what
// comes out is judged by nbformat.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	need(t, "ipykernel (Debian: python3-ipykernel)", python, "-c", "import ipykernel")
	spec := Spec{
		Name: "python3", DisplayName: "Python 3", Language: "python",
		Argv: []string{python, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--HistoryManager.hist_file=:memory:"},
	}
	for _, transport := range []string{"ipc", "tcp"} {
		t.Run(transport, func(t *testing.T) {
			spec.Metadata = map[string]any{"transport": transport}
			k := startFake(t, spec, StartOptions{Dir: t.TempDir()})
			nb := document(
				"import sys, time\nfor i in range(3):\n  print('line', i)\nprint('oops', file=sys.stderr)",
				"from IPython.display import display\nhandle = display('0 %', display_id='bar')\nprint('working')",
				"handle.update('100 %')\n6*7",
				"from IPython.display import clear_output, SVG\nprint('gone')\nclear_output(wait=True)\ndisplay(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))",
				"[raises-exception] 1/0",
				"input('name?')",
				"print('never')",
			)
			err := Run(t.Context(), nb, k, RunOptions{Timeout: waitLimit, RecordTiming: true})
			var failed *CellError
			if !errors.As(err, &failed) || failed.Cell != 6 || failed.Name != "StdinNotImplementedError" {
				t.Errorf("error %v", err)
			}
			got := texts(nb)
			want := []string{"line 0\nline 1\nline 2\n|oops\n", "'100 %'|working\n", "42", "<IPython.core.display.SVG object>", "!ZeroDivisionError: division by zero"}
			if diff := cmp.Diff(want, got[:5]); diff != "" || got[6] != "" {
				t.Errorf("%s\nlast %q", diff, got[6])
			}
			validate(t, nb)
			ends(t, func() { interruptPython(t, k) })
		})
	}
}

func interruptPython(t *testing.T, k *Kernel) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reply, err := k.Execute(ctx, "print('here')\ntime.sleep(3600)", ExecuteOptions{Grace: waitLimit, Output: func(m *jupyter.Message) {
		if m.Header.Type == "stream" { // what it prints comes while it sleeps
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || reply.ErrorName != "KeyboardInterrupt" {
		t.Errorf("reply %+v, %v", reply, err)
	}
	printed, _, err := execute(t.Context(), k, "print(input('name?'))", ExecuteOptions{Input: func(string, bool) (string, error) { return "Ada", nil }})
	if err != nil || printed != "Ada\n" {
		t.Errorf("printed %q, %v", printed, err)
	}
	_, _, err = execute(t.Context(), k, "import os; os._exit(4)", ExecuteOptions{})
	contains(t, err, "the kernel died: exit status 4")
}

// validate has nbformat read the notebook, if it is installed.
func validate(t *testing.T, nb *notebook.Notebook) {
	t.Helper()
	need(t, "nbformat (Debian: python3-nbformat)", python, "-c", "import nbformat")
	var file bytes.Buffer
	try.To(notebook.Write(&file, nb))
	judge := exec.Command(python, "-c", "import nbformat, sys; n = nbformat.reads(sys.stdin.read(), 4); nbformat.validate(n); print(n.cells[2].outputs[0].data['text/plain'])")
	judge.Stdin = &file
	out, err := judge.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "42" {
		t.Errorf("nbformat: %v\n%s", err, out)
	}
}
