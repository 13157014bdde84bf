//go:build unix

package display_test

import (
	"encoding/gob"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/session/display"
)

// envCell makes the test binary a Go cell, so that it has an environment from its start.
const envCell = "GONB_COPE_TEST_CELL"

func TestMain(m *testing.M) {
	if os.Getenv(envCell) == "" {
		os.Exit(m.Run())
	}
	display.Show([]float64{1, 2.5}, report.Figure{Title: "line", Series: []report.Series{{Name: "s", X: []float64{1, 2}, Y: []float64{1, 4}}}})
	display.Markdown("**bold**")
}

func cell(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	exe := try.Of(os.Executable())
	c := exec.Command(exe)
	c.Env = append(append(os.Environ(), envCell+"=1", "GONB_COPE_SOCK=", protocol.GONB_PIPE_ENV+"="), env...)
	return c
}

func TestOutsideNotebook(t *testing.T) {
	out, err := cell(t).CombinedOutput()
	lines := strings.Split(string(out), "\n")
	if err != nil || lines[0] != "[1, 2.5]" || lines[len(lines)-2] != "**bold**" || !strings.Contains(string(out), "line") {
		t.Errorf("a program prints %q, %v", out, err)
	}
}

// TestPlainGoNB plays GoNB: a pipe that reads the displays, and one that confirms to the cell that
// they were read.
func TestPlainGoNB(t *testing.T) {
	folder := t.TempDir()
	in, back := filepath.Join(folder, "in"), filepath.Join(folder, "back")
	for _, path := range []string{in, back} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skipf("no named pipes here: %v", err)
		}
	}
	c := cell(t, protocol.GONB_PIPE_ENV+"="+in, protocol.GONB_PIPE_BACK_ENV+"="+back)
	try.To(c.Start())
	stop := time.AfterFunc(5*time.Minute, func() { _ = c.Process.Kill() })
	defer stop.Stop()
	shown := play(t, in, back)
	try.To(c.Wait())
	if len(shown) != 3 {
		t.Fatalf("%d displays", len(shown))
	}
	if png, _ := shown[1][protocol.MIMEImagePNG].([]byte); !strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("the figure has no PNG: %.20q", png)
	}
	for i, want := range []map[protocol.MIMEType]string{
		{protocol.MIMETextPlain: "[1, 2.5]", protocol.MIMETextHTML: "2.5", "text/latex": "2.5"},
		{protocol.MIMETextHTML: `src="data:image/png;base64,`},
		{protocol.MIMETextMarkdown: "**bold**"},
	} {
		for kind, part := range want {
			if text, _ := shown[i][kind].(string); !strings.Contains(text, part) {
				t.Errorf("display %d has %.40q as %s", i, text, kind)
			}
		}
	}
}

// play reads displays as GoNB does until the cell ends, and answers when asked to.
func play(t *testing.T, in, back string) []map[protocol.MIMEType]any {
	t.Helper()
	for _, v := range []any{map[string]any{}, []string{}, []any{}} { // what GoNB registers
		gob.Register(v)
	}
	from := try.Of(os.Open(in))
	defer from.Close()
	to := try.Of(os.OpenFile(back, os.O_WRONLY, 0))
	defer to.Close()
	var shown []map[protocol.MIMEType]any
	decoder, encoder := gob.NewDecoder(from), gob.NewEncoder(to)
	for {
		var d protocol.DisplayData
		if decoder.Decode(&d) != nil {
			return shown
		}
		if sync, ok := d.Data[protocol.MIMECommValue].(protocol.CommValue); ok {
			if err := encoder.Encode(&protocol.CommValue{Address: protocol.GonbuiSyncAckAddress, Value: sync.Value}); err != nil {
				t.Error(err)
			}
			continue
		}
		shown = append(shown, d.Data)
	}
}
