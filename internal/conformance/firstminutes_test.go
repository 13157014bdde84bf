package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The first ten minutes of a researcher in JupyterLab 4, with mouse and keyboard: a new notebook from the launcher, completion of the name
// of a function and its help, a mistake with its place, a figure that is saved, an interrupt, a Go cell.
func TestJupyterLabFirstMinutes(t *testing.T) {
	warm(t)
	folder := t.TempDir()
	address := jupyterLab(t, folder)
	w := window{front: lab, t: t, ctx: browse(t, 4*limit)}
	w.name = "first"
	try.To(chromedp.Do(w.ctx, chromedp.Navigate(address+"/lab?reset")))
	w.click(`.jp-LauncherCard[data-category="Notebook"][title*="Go + CoPE"]`)
	w.await("a notebook and its kernel", func() bool {
		return evaluate[bool](w, `!!window.jupyterapp`) && evaluate[bool](w, strings.Replace(lab.ready, "window.jupyterapp &&", "", 1))
	})
	w.picture("1-new")

	// Completion: the name of a function, from its first letters.
	w.keys("%%cope\rproble\t")
	w.await("the name of the function or a list of names", func() bool {
		return strings.Contains(w.source(0), "problem") || w.present(`.jp-Completer:not(.lm-mod-hidden) .jp-Completer-item`)
	})
	w.picture("2-completion")
	if !strings.Contains(w.source(0), "problem") {
		w.keys(kb.Enter)
	}
	w.await("the name of the function", func() bool { return strings.Contains(w.source(0), "problem") })
	w.keys(strings.Repeat(kb.Backspace, 7) + "fc(")
	w.keys(kb.Tab, chromedp.ModifierShift)
	w.await("the help of fc", func() bool { return w.present(".jp-Tooltip") })
	w.picture("3-help")
	w.keys(kb.Escape) // which also leaves the cell
	w.keys(kb.Enter)

	// A mistake.
	w.cell("%%cope\rp = paper(case=1, gap=0.1)\rfc(p, delta=0.05, runz=3)")
	w.keys(kb.Enter, chromedp.ModifierShift)
	w.await("the error", func() bool { return len(w.state()[0].errors()) == 1 })
	w.picture("4-mistake")
	if text := w.seen(0); !strings.Contains(text, "^^^^") || !strings.Contains(text, "runs") {
		t.Errorf("the error is shown as %q", text)
	}

	// A figure, saved.
	w.cell("%%cope\rr = fc(paper(case=1, gap=0.8), delta=0.05, runs=20, seed=1)\rfigure = plot(sweep(r, gap=[0.4, 0.8]))\rsave(figure, \"samples.pdf\")\rfigure")
	w.keys(kb.Enter, chromedp.ModifierShift)
	w.await("the figure", func() bool { return w.present(w.figure) })
	w.picture("5-figure")
	if _, err := os.Stat(filepath.Join(folder, "samples.pdf")); err != nil {
		t.Error(err)
	}

	// An interrupt, by its button.
	w.cell(strings.ReplaceAll(longCell, "\n", "\r"))
	w.keys(kb.Enter, chromedp.ModifierShift)
	w.await("a progress bar", func() bool { return w.present(w.bar) })
	w.picture("6-progress")
	w.click(`[data-jp-item-name="interrupt"]`)
	w.await("the interrupt", func() bool { return strings.Contains(fmt.Sprint(w.state()[2].errors()), "Interrupted") })
	w.picture("7-interrupted")

	// Go.
	w.cell("%%\rfmt.Println(\"hello\", session.Names())")
	w.keys(kb.Enter, chromedp.ModifierShift)
	w.await("the end of the Go cell", func() bool { return len(w.state()) > 3 && idle(w.state()) && w.state()[3].Count > 0 })
	w.picture("8-go")
	if text := w.seen(3); !strings.Contains(text, "hello [") {
		t.Errorf("the Go cell shows %q", text)
	}
}

// click clicks what a selector finds, when it is there.
func (w window) click(selector string) {
	w.t.Helper()
	quoted, _ := json.Marshal(selector)
	w.await(selector, func() bool { return w.present(selector) })
	at := evaluate[struct{ X, Y, Width, Height float64 }](w, fmt.Sprintf("document.querySelector(%s).getBoundingClientRect().toJSON()", quoted))
	try.Of(chromedp.Run(w.ctx, chromedp.MouseClickXY(at.X+at.Width/2, at.Y+at.Height/2)))
	time.Sleep(300 * time.Millisecond)
}

// keys types as on a keyboard.
func (w window) keys(text string, with ...chromedp.Modifier) {
	w.t.Helper()
	try.Of(chromedp.Run(w.ctx, chromedp.KeyEvent(text, chromedp.KeyModifiers(with...))))
	time.Sleep(300 * time.Millisecond)
}

// cell types the text of the cell in which the cursor is, instead of what is in it.
func (w window) cell(text string) {
	w.t.Helper()
	w.keys("a", chromedp.ModifierCtrl)
	w.keys(text)
}

// source returns the text of a cell of code.
func (w window) source(cell int) string {
	return evaluate[string](w, fmt.Sprintf(panel+`.content.widgets[%d].model.sharedModel.getSource()`, cell))
}

// seen returns the text of the outputs of a cell as the page shows it.
func (w window) seen(cell int) string {
	return evaluate[string](w, fmt.Sprintf(panel+`.content.widgets[%d].outputArea.node.innerText`, cell))
}
