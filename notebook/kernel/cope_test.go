package kernel

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

func TestCopeResult(t *testing.T) {
	f := start(t)
	r := f.execute("%%cope\nkx = linear() + 0.5*rbf(lengthscale=2)\nkx\nb = bounds(paper(case=1, gap=0.1), xi=1e-6)\nb").ok(t)
	if got := kinds(r.outputs); !slices.Equal(got, []string{"display_data", "execute_result"}) {
		t.Fatalf("outputs %v: the last display is the result, others come before it", got)
	}
	result := dataOf(r.of(t, "execute_result")[0])
	for _, media := range []string{"text/plain", "text/html", "text/markdown", "text/latex", "application/vnd.gonb-cope+json"} {
		if result[media] == nil {
			t.Errorf("the result has no %s", media)
		}
	}
	if v := result["application/vnd.gonb-cope+json"].(map[string]any); v["type"] != "bounds" || v["name"] != "b" {
		t.Errorf("JSON %v", v)
	}
	r = f.execute("%%cope\nplot(b)").ok(t)
	figure := dataOf(r.of(t, "execute_result")[0])
	if html, _ := figure["text/html"].(string); !strings.Contains(html, `src="data:image/png;base64,`) || figure["image/png"] == nil {
		t.Errorf("a figure has %.200s", figure["text/html"])
	}
}

func TestCopeErrors(t *testing.T) {
	f := start(t)
	r := f.execute("// first a comment\n\n%%cope\nk = rbf(0.5) * linaer()")
	if !slices.Equal(kinds(r.outputs), []string{"error"}) {
		t.Errorf("outputs %v, want one error", kinds(r.outputs))
	}
	if r.reply["ename"] != "CopeError" || r.reply["evalue"] != `cell 1:4:16: unknown function "linaer"` {
		t.Errorf("%v", r.reply)
	}
	plain := ansi.ReplaceAllString(fmt.Sprint(r.reply["traceback"]), "")
	if want := "\n 4 | k = rbf(0.5) * linaer()\n   |                ^^^^^^\n   = hint: did you mean \"linear\"?"; !strings.Contains(plain, want) {
		t.Errorf("traceback %s\nwant %s", plain, want)
	}
}

// A traceback has no colours: against the grounds that JupyterLab 4.6 gives errors, none of its own
// colours has a contrast of 4.5 in the light theme and in the dark one.
func TestTracebackEmphasis(t *testing.T) {
	grounds := []string{"#ffdddd", "#511f1b"} // pale, and rgba(244, 67, 54, 0.28) on #111111
	for name, colours := range map[string][]string{
		"red": {"#e75c58"}, "red, bold": {"#b22b31"}, "green": {"#00a250"}, "green, bold": {"#007427"}, "yellow": {"#ddb62b"}, "yellow, bold": {"#b27d12"},
		"blue": {"#208ffb"}, "blue, bold": {"#0065ca"}, "magenta": {"#d160c4"}, "magenta, bold": {"#a03196"}, "cyan": {"#60c6c8"}, "cyan, bold": {"#258f8f"},
	} {
		if contrast(t, colours[0], grounds[0]) >= 4.5 && contrast(t, colours[0], grounds[1]) >= 4.5 {
			t.Errorf("%s can be read in both themes: use it", name)
		}
	}
	for ink, ground := range map[string]string{"#212121": grounds[0], "#ffffff": grounds[1]} {
		if c := contrast(t, ink, ground); c < 4.5 {
			t.Errorf("plain text has contrast %.1f on %s", c, ground)
		}
	}
	text := emphasised("x.cope:1:2: wrong\n 1 | a\n   | ^\n   = hint: right")
	if left := strings.NewReplacer(bold, "", normal, "").Replace(text); strings.Contains(left, "\x1b") || strings.Count(text, bold) != 3 {
		t.Errorf("%q", text)
	}
}

// contrast returns the contrast of two colours #rrggbb [WCAG 2.1].
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(hex string) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n := try.Of(strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8))
			c := float64(n) / 255
			if c <= 0.03928 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// A cell that is run again binds its names again, and says what that made stale.
func TestRebindSaysWhatIsStale(t *testing.T) {
	f := start(t)
	f.execute("%%cope\nell = 1\nk = rbf(ell)\nkk = 2*k").ok(t)
	r := f.execute("%%cope\nell = 2").ok(t)
	shown := r.of(t, "display_data")
	if len(shown) != 1 || !strings.Contains(fmt.Sprint(dataOf(shown[0])["text/plain"]), "k, kk are stale") {
		t.Fatalf("%v", shown)
	}
	if r := f.execute("%%cope\nother = 3").ok(t); len(r.outputs) != 0 {
		t.Errorf("said again: %v", kinds(r.outputs))
	}
	if r := f.execute("%%cope\nk").ok(t); len(r.of(t, "display_data")) != 1 { // what is shown says that it is stale
		t.Errorf("shown without a word: %v", kinds(r.outputs))
	}
	// A value made of a stale one is stale for the same reason.
	r = f.execute("%%cope\nlate = 3*k").ok(t)
	if shown := r.of(t, "display_data"); len(shown) != 1 || !strings.Contains(fmt.Sprint(dataOf(shown[0])["text/plain"]), "k, kk, late are stale: made with what ell was before") {
		t.Errorf("%v", shown)
	}
	f.execute("%%cope\nlate = 1").ok(t)
	if r := f.execute("%%cope\nk = rbf(ell)\nkk = 2*k\nkk").ok(t); dataOf(r.of(t, "execute_result")[0])["text/plain"] == "" || len(r.of(t, "display_data")) != 0 {
		t.Errorf("after the cell was run again: %v", kinds(r.outputs))
	}
}

// An interrupt keeps what is finished, and the kernel goes on.
func TestInterruptCope(t *testing.T) {
	f := start(t)
	m := f.submit("%%cope\nr = fc(paper(case=1, gap=0.05), delta=0.005, algorithm=\"CoKernelFC\", schedule=\"tuned\", runs=100000, seed=1)")
	f.await(m, "a progress display", func(all []*jupyter.Message) bool { return slices.Contains(kinds(all), "update_display_data") })
	f.ask(jupyter.ControlChannel, "interrupt_request", struct{}{})
	r := f.finish(m)
	if r.reply["ename"] != "Interrupted" {
		t.Errorf("%v", r.reply)
	}
	meter := r.of(t, "update_display_data")
	text := fmt.Sprint(dataOf(meter[0])["text/plain"])
	if !strings.Contains(text, "of 100000, ") || !strings.Contains(text, " left") {
		t.Errorf("progress %q names no time left", text)
	}
	if last := fmt.Sprint(dataOf(meter[len(meter)-1])["text/plain"]); !strings.Contains(last, "stopped after") {
		t.Errorf("the last progress is %q", last)
	}
	after := f.execute("%%cope\nr").ok(t)
	if got := fmt.Sprint(dataOf(after.of(t, "execute_result")[0])["text/plain"]); !strings.Contains(got, "interrupted") || !strings.Contains(got, "times the lower bound") || strings.Contains(got, "context") {
		t.Errorf("r is %.900s", got)
	}
}

func TestCopeProgressIsOneDisplay(t *testing.T) {
	if testing.Short() {
		t.Skip("a cell of seconds is for the full run")
	}
	f := start(t)
	const slow = `r = fc(paper(case=1, gap=0.05), delta=0.005, algorithm="CoKernelFC", runs=20000, seed=1)`
	cells := map[string][]string{"%%cope\n1+1\n" + slow + "\n3": {"2", "3"}, "%%cope\n" + slow: nil}
	for cell, want := range cells {
		r := f.execute(cell).ok(t)
		ids := map[any]bool{}
		for _, c := range append(r.of(t, "display_data"), r.of(t, "update_display_data")...) {
			if transient, ok := c["transient"].(map[string]any); ok && transient["display_id"] != nil {
				ids[transient["display_id"]] = true
			}
		}
		if len(ids) != 1 || len(r.of(t, "update_display_data")) == 0 {
			t.Errorf("progress in %d displays, with %d updates", len(ids), len(r.of(t, "update_display_data")))
		}
		// Its text stays while it is of use, and the cell's output stays, in order: front ends that obey
		// clear_output have nothing else in the end.
		var kept []string
		for _, o := range r.outputs {
			if o.Header.Type == "clear_output" {
				kept = nil
			} else if o.Header.Type != "update_display_data" {
				kept = append(kept, fmt.Sprint(dataOf(contentOf(t, o))["text/plain"]))
			}
		}
		if len(r.of(t, "clear_output")) == 0 || !slices.Equal(kept, want) {
			t.Errorf("the outputs are %q after %v, want %q", kept, kinds(r.outputs), want)
		}
	}
	if quick := f.execute("%%cope\nfc(paper(case=1, gap=0.8), delta=0.1, runs=2, seed=1)").ok(t); len(quick.of(t, "display_data")) != 0 {
		t.Error("a quick cell shows progress")
	}
}

func TestCopeCompletion(t *testing.T) {
	f := start(t)
	try.To(os.WriteFile(filepath.Join(f.cmd.Dir, "arms.csv"), []byte("task,arm,x_size,x_heat,mean\na,1,0,1,0.5\na,2,1,0,0.7\n"), 0o600))
	f.execute("%%cope\nlonely = 3\np = problem(\"arms.csv\", kernel=task(identity()) * arm(linear()))").ok(t)
	for _, test := range []struct{ code, want string }{
		{"%%cope\nlon", "lonely"},
		{"%%cope\nbou", "bounds"},
		{"// é\n%%cope\nx = rbf(len", "lengthscale="},
		{"%%cope\nfc(p, algorithm=\"CoK", "CoKernelFC"},
		{"%%cope\nrbf(1, dims=[\"x_h", "x_heat"},
		{"%%cope\nproblem(\"ar", "arms.csv"},
	} {
		cursor := len([]rune(test.code))
		reply := f.ask(jupyter.ShellChannel, "complete_request", map[string]any{"code": test.code, "cursor_pos": cursor})
		matches, _ := reply["matches"].([]any)
		if !slices.Contains(matches, any(test.want)) {
			t.Errorf("%q completes to %v, want %s", test.code, matches, test.want)
			continue
		}
		from := int(reply["cursor_start"].(float64))
		if prefix := string([]rune(test.code)[from:cursor]); !strings.HasPrefix(test.want, prefix) || reply["cursor_end"] != float64(cursor) {
			t.Errorf("%q: replaces %q (%d to %v)", test.code, prefix, from, reply["cursor_end"])
		}
	}
}

func TestCopeInspection(t *testing.T) {
	f := start(t)
	reply := f.ask(jupyter.ShellChannel, "inspect_request", map[string]any{"code": "%%cope\nx = rbf(0.5)", "cursor_pos": 13, "detail_level": 0})
	data := dataOf(reply)
	for _, media := range []string{"text/plain", "text/markdown", "text/html"} {
		if text, _ := data[media].(string); !strings.Contains(text, "rbf") || !strings.Contains(text, "lengthscale") {
			t.Errorf("%s: %.200s", media, text)
		}
	}
	if reply["found"] != true {
		t.Errorf("%v", reply["found"])
	}
	if reply := f.ask(jupyter.ShellChannel, "inspect_request", map[string]any{"code": "%%cope\nqqq", "cursor_pos": 9, "detail_level": 0}); reply["found"] != false {
		t.Errorf("an unknown name is found: %v", reply)
	}
	r := f.execute("%%cope\nrbf?").ok(t)
	page := r.reply["payload"].([]any)[0].(map[string]any)
	if text := fmt.Sprint(dataOf(page)["text/plain"]); page["source"] != "page" || !strings.Contains(text, "lengthscale") {
		t.Errorf("%v", page)
	}
}

func TestClearOutput(t *testing.T) {
	f := start(t)
	r := f.execute("%%cope\n1\n2\nclear()\n3").ok(t)
	if got := kinds(r.outputs); !slices.Equal(got, []string{"display_data", "clear_output", "execute_result"}) {
		t.Errorf("outputs %v", got)
	}
}

// A thousand cells leave nothing behind in memory.
func TestThousandCells(t *testing.T) {
	f := start(t)
	run := func(n int) {
		for i := range n {
			f.execute(fmt.Sprintf("%%%%cope\nx = %d\nbounds(paper(case=1, gap=0.4), xi=1e-3)", i)).ok(t)
			f.mu.Lock()
			f.seen = nil
			f.mu.Unlock()
		}
	}
	warm, cells := 300, 1000
	if testing.Short() {
		warm, cells = 50, 100
	}
	run(warm) // heaps grow to their working size
	before := resident(t, f.cmd.Process.Pid)
	run(cells)
	if after := resident(t, f.cmd.Process.Pid); after > before+32<<20 {
		t.Errorf("memory grew from %d to %d MiB in %d cells", before>>20, after>>20, cells)
	}
}

// resident returns the memory of a process in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Skip("no /proc here: memory is not measured")
	}
	var size, pages int
	_, _ = fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize()
}
