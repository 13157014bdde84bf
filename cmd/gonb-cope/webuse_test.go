package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// tabTo presses Tab until an element has the focus.
func (w *webPage) tabTo(selector string) {
	w.t.Helper()
	for range 80 {
		w.do("Tab", chromedp.KeyEvent(kb.Tab))
		if is, err := chromedp.Run(w.ctx, chromedp.Evaluate[bool](fmt.Sprintf("document.activeElement.matches(%q)", selector))); err == nil && is {
			return
		}
	}
	w.t.Fatalf("Tab does not reach %s", selector)
}

// TestWebKeyboard goes from an example to a saved plan with Tab, Enter, Space and arrow keys alone, and looks for names of all controls.
func TestWebKeyboard(t *testing.T) {
	w := openWebPage(t)
	w.do("open", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(w.server.URL))
	w.tabTo("[data-example=pilot]")
	w.do("Enter", chromedp.KeyEvent(kb.Enter))
	w.wait("example", webAnswered)
	w.tabTo("#columns select")
	w.tabTo("#epsilon")
	w.do("German number", chromedp.KeyEvent("2,5"))
	w.tabTo("summary")
	w.do("Space", chromedp.KeyEvent(" "))
	w.tabTo("#bounded")
	w.do("German limits", chromedp.Evaluate[chromedp.Void]("$('bounded').value = ''; undefined"), chromedp.KeyEvent("0,0; 100,0"))
	w.tabTo("#overall")
	w.do("Space", chromedp.KeyEvent(" "))
	w.tabTo("#form button[type=submit]")
	w.do("Enter", chromedp.KeyEvent(kb.Enter))
	w.wait("answer", webAnswered+" && reply.command.includes('--overall')")
	if command, _ := chromedp.Run(w.ctx, chromedp.Evaluate[string]("reply.command")); !strings.Contains(command, "--bounded 0,100 --epsilon 2.5 ") {
		t.Errorf("the command is %s", command)
	}
	w.tabTo("[data-save=xlsx]")
	w.do("Enter", chromedp.KeyEvent(kb.Enter))
	w.wait("plan", "document.querySelector('#status').innerText.startsWith('Saved')")
	nameless, err := chromedp.Run(w.ctx, chromedp.Evaluate[[]string](`[
		...[...document.querySelectorAll("input, select, textarea, progress")].filter(e => !e.labels?.length && !e.ariaLabel),
		...[...document.querySelectorAll("button, [role=tab], a")].filter(e => e.checkVisibility() && !e.innerText.trim() && !e.ariaLabel),
		...[...document.querySelectorAll("table")].filter(e => e.checkVisibility() && !e.caption?.innerText.trim()),
		...[...document.querySelectorAll("svg")].filter(e => !e.querySelector("title") && !e.ariaLabel && !e.ariaHidden),
		...[...document.querySelectorAll("th")].filter(e => e.checkVisibility() && !e.scope),
	].map(e => e.outerHTML.slice(0, 200))`))
	if err != nil || len(nameless) > 0 {
		t.Errorf("without a name, a caption or a scope: %q, %v", nameless, err)
	}
	for _, width := range []int64{320, 390, 600, 768, 1024, 1280, 1920} {
		w.do("width", chromedp.EmulateViewport(width, 900))
		w.wait(fmt.Sprint(width, " pixels"), fmt.Sprintf("document.documentElement.scrollWidth <= %d", width))
	}
	w.do("back to the tabs", chromedp.Evaluate[chromedp.Void]("document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0); undefined"))
	w.tabTo("#tab-table")
	w.do("arrow", chromedp.KeyEvent(kb.ArrowRight))
	w.tabTo("#script")
	w.do("script", chromedp.KeyEvent("print(6*7)"))
	w.tabTo("#run")
	w.do("Enter", chromedp.KeyEvent(kb.Enter))
	w.wait("result", "document.querySelector('#output').innerText.includes('42')")
}

// TestWebNumberFormats reads the same table in four formats of numbers.
func TestWebNumberFormats(t *testing.T) {
	w := openWebPage(t)
	w.do("open", chromedp.Navigate(w.server.URL))
	estimates := map[string]string{}
	for name, text := range map[string]string{
		"english.csv":           "option,cost\na,1234.5\na,1240.5\nb,1200\nb,1190.25\n",
		"german.csv":            "option;cost\na;1234,5\na;1240,5\nb;1200\nb;1190,25\n",
		"german-thousands.csv":  "option;cost\na;1.234,5\na;1.240,5\nb;1.200,0\nb;1.190,25\n",
		"english-thousands.tsv": "option\tcost\na\t1,234.5\na\t1,240.5\nb\t1,200.0\nb\t1,190.25\n",
	} {
		quoted, _ := json.Marshal(text)
		w.do("drop "+name, chromedp.Evaluate[chromedp.Void](fmt.Sprintf("dropped(new File([%s], %q)); undefined", quoted, name)))
		w.wait(name, webAnswered+fmt.Sprintf(" && $('columns').caption.textContent.startsWith(%q)", name))
		estimates[name] = w.text("#output table")
		if first := estimates["english.csv"]; first != "" && estimates[name] != first {
			t.Errorf("%s: %q, but in English %q", name, estimates[name], first)
		}
	}
	for text, want := range map[string]float64{"12,5": 12.5, "12.5": 12.5, "1.234,5": 1234.5, "1,234.5": 1234.5, "1.234.567": 1234567, "1e-3": 1e-3, "": 0} {
		got, err := chromedp.Run(w.ctx, chromedp.Evaluate[float64](fmt.Sprintf("numberOf(%q)", text)))
		if err != nil || got != want {
			t.Errorf("%q is read as %v, want %v (%v)", text, got, want, err)
		}
	}
}

// TestFaultWebInputs gives the scripts and tables of the fault tests to the page: the page stays usable, a stop is done in 0.3 s, and nothing
// is fetched or run.
func TestFaultWebInputs(t *testing.T) {
	w := openWebPage(t)
	w.do("open", chromedp.Navigate(w.server.URL))
	w.wait("loaded", "engine.ready.then(() => true)")
	rng := rand.New(rand.NewPCG(1, 62))
	packed := try.Of(os.ReadFile("testdata/parquet/polars-zstd.parquet"))
	attack := `"><img src=x onerror=hit=1><script>hit=1</script><svg onload=hit=1><a href=javascript:hit=1>`
	scripts := append(handMade(), "print("+`"`+strings.ReplaceAll(attack, `"`, "'")+`"`+")", "title = '"+attack+"'", "problem(\"https://example.org/a.csv\")")
	tables := []string{
		attack + ";b\n" + attack + ";1\n" + attack + ";2\nc;3\n", strings.Repeat("a,", 5000) + "b\n" + strings.Repeat("1,", 5000) + "2\n",
		"a,b\n" + strings.Repeat("x,1\ny,2\n", 100_000), "PK\x03\x04" + strings.Repeat("\x00", 1000), strings.Repeat("a", 5_000_000), "a,b\nx,1e999\ny,-1e308\nz,1e308\n",
		"", "\n\n\n", "a,b\n\"x,1\n", "PAR1" + strings.Repeat("\xff", 100) + "PAR1",
	}
	if every := len(scripts) / often(len(scripts)); every > 1 {
		scripts = slices.DeleteFunc(scripts, func(string) bool { return rng.IntN(every) > 0 })
	}
	for range often(200) {
		scripts = append(scripts, mutant(rng, mutable()[rng.IntN(4)]))
	}
	// The page answers a click on Stop, seen between two frames, while each input is worked on.
	w.do("judge", chromedp.Evaluate[chromedp.Void](`var slowest = 0, stopped = 0;
		const fromBase64 = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
		async function attempt(begin) {
			const done = begin();
			await Promise.race([done, new Promise(next => setTimeout(next, 2000))]);
			if (!$("working").hidden) {
				const clicked = performance.now();
				$("stop").click();
				while (!$("working").hidden) await new Promise(next => setTimeout(next, 5));
				slowest = Math.max(slowest, performance.now() - clicked);
				stopped++;
			}
			await done;
			return typeof hit === "undefined" && !$("output").querySelector("img, script, iframe, object, embed, [onload], [onerror], [href^=javascript]")
				&& performance.getEntriesByType("resource").every(e => new URL(e.name).origin === location.origin || e.name.startsWith("blob:"));
		}; undefined`))
	give := func(what, text, call string) {
		quoted, _ := json.Marshal(strings.ToValidUTF8(text, "\ufffd"))
		safe, err := chromedp.Run(w.ctx, chromedp.Evaluate[bool](fmt.Sprintf(call, quoted), chromedp.EvalAwaitPromise))
		if err != nil || !safe {
			t.Fatalf("%s %.200q: safe %v, %v", what, text, safe, err)
		}
	}
	w.do("script", chromedp.Click("#tab-script"))
	for _, s := range scripts {
		give("script", s, "script.value = %s, attempt(run)")
	}
	w.do("table", chromedp.Click("#tab-table"))
	for _, s := range tables {
		give("table", s, `attempt(() => dropped(new File([%s], "<b>x.csv")))`)
	}
	for range often(200) {
		hostile := bytes.Clone(packed)
		for range 1 + rng.IntN(8) {
			hostile[rng.IntN(len(hostile))] = byte(rng.IntN(256))
		}
		give("Parquet", base64.StdEncoding.EncodeToString(hostile), `attempt(() => dropped(new File([fromBase64(%s)], "x.parquet")))`)
	}
	slowest := try.Of(chromedp.Run(w.ctx, chromedp.Evaluate[float64]("slowest")))
	if slowest > 300 && os.Getenv("GONB_COPE_FAULTS") != "" { // other tests may take the processor
		t.Errorf("a stop took %.0f ms", slowest)
	}
	stopped, _ := chromedp.Run(w.ctx, chromedp.Evaluate[float64]("stopped"))
	t.Logf("%d scripts, %d tables and %d Parquet files; %.0f were stopped, in at most %.0f ms", len(scripts), len(tables), often(200), stopped, slowest)
	w.do("example", chromedp.Evaluate[chromedp.Void]("example('pilot'); undefined"))
	w.wait("the page still answers", webAnswered)
}
