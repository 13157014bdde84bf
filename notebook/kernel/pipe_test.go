//go:build unix

package kernel

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// An interrupt gives the prompt back if no code checks for it: while reading a pipe without a
// writer.
func TestInterruptWaiting(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	f := start(t)
	m := f.submit("%%cope\n1; 2\np = problem(\"" + pipe + "\", kernel=identity())")
	f.await(m, "the first display", func(all []*jupyter.Message) bool { return slices.Contains(kinds(all), "display_data") })
	f.ask(jupyter.ControlChannel, "interrupt_request", struct{}{})
	if r := f.finish(m); r.reply["ename"] != "Interrupted" {
		t.Errorf("%v", r.reply)
	}
	f.execute("%%cope\np = paper(case=1)\nfc(p)").ok(t)
}
