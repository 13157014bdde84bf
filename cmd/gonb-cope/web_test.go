package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	window "github.com/gonb-cope/gonb-cope/internal/conformance/browser"
)

// webLimit is the longest time for all tests in one window.
const webLimit = 15 * time.Minute

// webPage is a window of a browser on the page, which make web has built.
type webPage struct {
	t        *testing.T
	ctx      context.Context // of Chromium
	server   *httptest.Server
	folder   string                                  // of downloads
	evaluate func(expression string) (string, error) // returns the text of a promise of the page
	navigate func(url string) error
}

// goTo opens a path of the page.
func (w *webPage) goTo(path string) {
	w.t.Helper()
	if err := w.navigate(w.server.URL + path); err != nil {
		w.t.Fatalf("%s: %v", path, err)
	}
}

// openWebPage opens the page in Chromium.
func openWebPage(t *testing.T) *webPage {
	if testing.Short() {
		t.Skip("short: no browser is started")
	}
	program := os.Getenv("CHROME_PATH")
	if program == "" {
		program, _ = exec.LookPath("chromium")
	}
	if program == "" {
		if os.Getenv("GONB_COPE_REQUIRE_ALL") == "1" {
			t.Fatal("chromium is missing (CHROME_PATH may name it)")
		}
		t.Skip("chromium is missing (CHROME_PATH may name it)")
	}
	w := serveWebPage(t)
	w.ctx = window.Open(t, program, webLimit)
	w.evaluate = func(expression string) (string, error) {
		return chromedp.Run(w.ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	}
	w.navigate = func(url string) error { return chromedp.Do(w.ctx, chromedp.Navigate(url)) }
	try.Of(chromedp.Call(w.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: w.folder}))
	return w
}

// testedPage is the folder of the page that the tests build.
const testedPage = "dist/web-tested"

// makeWeb builds the page once for all tests.
var makeWeb = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("make", "-C", "../..", "web", "web_dir="+testedPage).CombinedOutput()
})

// serveWebPage builds the page, and serves it as gonb-cope web does.
func serveWebPage(t *testing.T) *webPage {
	w := &webPage{t: t, folder: t.TempDir()}
	out, err := makeWeb()
	if err != nil {
		t.Fatalf("make web: %v\n%s", err, out)
	}
	size := regexp.MustCompile(`has (\d+) bytes`).FindStringSubmatch(string(out))
	if len(size) == 0 {
		t.Fatalf("make web prints no size: %s", out)
	}
	if bytes, err := strconv.Atoi(size[1]); err != nil || bytes > 8_000_000 {
		t.Errorf("cope.wasm has %s bytes, compressed, above 8,000,000", size[1])
	}
	w.server = httptest.NewServer(servedPage(filepath.Join("../..", testedPage)))
	t.Cleanup(w.server.Close)
	return w
}

// do performs steps in the window.
func (w *webPage) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, steps...); err != nil {
		w.t.Fatalf("%s: %v; the page has\n%s", what, err, w.text("main"))
	}
}

// text returns the visible text of an element.
func (w *webPage) text(selector string) string {
	text, _ := w.evaluate(fmt.Sprintf("Promise.resolve(document.querySelector(%q)?.innerText ?? '')", selector))
	return text
}

// eval evaluates an expression of the page, and returns its value as a text.
func (w *webPage) eval(expression string) string {
	w.t.Helper()
	text, err := w.evaluate("Promise.resolve(" + expression + ").then(String)")
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// wait waits until an expression of the page is true.
func (w *webPage) wait(what, expression string) {
	w.t.Helper()
	for end := time.Now().Add(webLimit / 4); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is, err := w.evaluate("Promise.resolve(" + expression + ").then(x => String(!!x))"); err == nil && is == "true" {
			return
		}
	}
	w.t.Fatalf("%s: waited in vain for %s; the page has\n%s", what, expression, w.text("main"))
}

// picture saves a picture of the whole page, if GONB_COPE_PICTURES names a folder.
func (w *webPage) picture(name string) {
	folder := os.Getenv("GONB_COPE_PICTURES")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(w.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644)
	}
	if err != nil {
		w.t.Error(err)
	}
}

const webFilesKept = "(async () => (await (await caches.open((await caches.keys())[0])).keys()).length > 8)()"

const webAnswered = "document.querySelector('#working').hidden && !document.querySelector('#after').hidden"

// TestWebPage goes the whole way in a browser: an example, a dropped table, a report, a script with a mistake, a stop, and the page without
// a network.
func TestWebPage(t *testing.T) {
	w := openWebPage(t)
	w.do("open", chromedp.EmulateViewport(1280, 900), chromedp.Navigate(w.server.URL+"/index.html?example=pilot"))
	w.wait("example", webAnswered)
	if out := w.text("#output"); !strings.Contains(out, "MTBD, tBuXPhos") || !strings.Contains(out, "Recommended") {
		t.Errorf("the example answers\n%s", out)
	}
	w.wait("drawing", "document.querySelector('#output svg') && !document.querySelector('canvas, img')")
	t.Logf("example: %s", w.text("#status"))
	w.picture("1280")
	w.do("narrow", chromedp.EmulateViewport(390, 844))
	w.wait("width", "document.documentElement.scrollWidth <= 390")
	w.picture("390")
	w.do("narrower", chromedp.EmulateViewport(320, 640))
	w.wait("width", "document.documentElement.scrollWidth <= 320")
	w.do("wide", chromedp.EmulateViewport(1280, 900))

	table, _ := filepath.Abs("../../notebooks/data/pilot-runs.csv")
	w.do("drop", chromedp.SetUploadFiles("#file", []string{table}))
	w.wait("answer", webAnswered+" && document.querySelector('#columns caption').innerText.includes('pilot-runs.csv')")
	if out := w.text("#doubt"); !strings.Contains(out, "Each combination of Halide, Base, Ligand, Additive was measured only once") {
		t.Errorf("the page doubts %q", out)
	}
	w.picture("dropped")
	for name, media := range map[string]emulation.SetEmulatedMediaParams{
		"dark": {Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}, "print": {Media: "print"},
	} {
		try.Of(chromedp.Call(w.ctx, emulation.SetEmulatedMedia, media))
		w.picture(name)
	}
	try.Of(chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}))
	w.do("drop of a workbook", chromedp.SetUploadFiles("#file", []string{workbookOf(t, table)}))
	w.wait("its answer", webAnswered+" && document.querySelector('#columns caption').innerText.includes('table.xlsx: 108 rows')")
	if out := w.text("#output"); !strings.Contains(out, "MTBD, tBuXPhos") {
		t.Errorf("the workbook is answered by\n%s", out)
	}
	w.do("drop of the table again", chromedp.SetUploadFiles("#file", []string{table}))
	w.wait("answer", webAnswered+" && document.querySelector('#columns caption').innerText.includes('pilot-runs.csv')")
	w.do("question", chromedp.SendKeys("#epsilon", "2,5"), chromedp.SendKeys("#next", "6"), chromedp.Click("#form button[type=submit]"))
	w.wait("answer", webAnswered+" && document.querySelector('#output').innerText.includes('What to measure next')")
	for _, format := range []string{"html", "csv", "xlsx"} {
		w.do(format, chromedp.Click("[data-save="+format+"]"))
		w.wait(format, "document.querySelector('#status').innerText.startsWith('Saved')")
		name := strings.TrimPrefix(w.text("#status"), "Saved ")
		var data []byte
		for end := time.Now().Add(20 * time.Second); len(data) == 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			data, _ = os.ReadFile(filepath.Join(w.folder, name))
		}
		if want := map[string]string{"html": "--epsilon 2.5 --next 6", "csv": "MTBD", "xlsx": "PK"}[format]; !strings.Contains(string(data), want) {
			t.Errorf("%s has %d bytes, without %s", name, len(data), want)
		}
	}

	w.do("drop of a hostile table", chromedp.Evaluate[chromedp.Void](`{ const data = new DataTransfer(); data.items.add(new File(
		["<img src=x onerror=hit=1>;<script>hit=1</script>\na;1,5\na;1,6\n<img src=x onerror=hit=1>;2,5\n<img src=x onerror=hit=1>;2,4\n"], "<b>x.csv"));
		document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})); }`))
	w.wait("its answer", webAnswered+" && document.querySelector('#output').innerText.includes('<img src=x')")
	w.wait("nothing run", "typeof hit === 'undefined' && !document.querySelector('main img, main script, main b')")

	w.do("script", chromedp.Click("#tab-script"), chromedp.SendKeys("#script", "a = 7\nb = fc(paper(case=1, gap=0.05), runs=100000, seed=1)\n"))
	w.do("run", chromedp.Click("#run"))
	w.wait("progress", "document.querySelector('#progress').value > 0 && bound.includes('a = 7')")
	begun := time.Now()
	w.do("stop", chromedp.Click("#stop"))
	w.wait("stopped", "document.querySelector('#status').innerText === 'Stopped.' && document.querySelector('#working').hidden")
	t.Logf("the stop took %v", time.Since(begun).Round(time.Millisecond))
	w.do("next script", chromedp.Evaluate[chromedp.Void]("script.value = 'print(a + 1)'; undefined"), chromedp.Click("#run"))
	w.wait("the earlier value", "document.querySelector('#output').innerText.includes('8')")
	w.do("mistake", chromedp.Evaluate[chromedp.Void]("script.value = 'print(rfb(2))'; script.oninput(); undefined"))
	w.wait("mark", "document.querySelector('#marks').innerText.includes('line 1')")
	w.picture("script")

	w.wait("kept", "navigator.serviceWorker.controller || navigator.serviceWorker.ready.then(() => true)")
	w.wait("files kept", webFilesKept)
	w.server.Close()
	w.do("offline", chromedp.Navigate(w.server.URL+"/index.html?example=pilot"))
	w.wait("offline answer", webAnswered)
	if out := w.text("#output"); !strings.Contains(out, "MTBD, tBuXPhos") {
		t.Errorf("without a network the page answers\n%s", out)
	}
}

// workbookOf writes a table as a workbook, and returns its path.
func workbookOf(t *testing.T, table string) string {
	t.Helper()
	f, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.Comma = ';'
	lines := try.Of(in.ReadAll())
	rows := lists.Map(lines[1:], func(line []string) []any {
		return lists.Map(line, func(text string) any {
			if x, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
				return x
			}
			return text
		})
	})
	var b bytes.Buffer
	path := filepath.Join(t.TempDir(), "table.xlsx")
	err = workbook.Write(&b, lines[0], rows, nil)
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWebNumbers compares the page with the command on all tables that ship: the same recommendations and plans, and all numbers within
// 1e-6 of the larger of them and of the width of their interval.
func TestWebNumbers(t *testing.T) {
	w := openWebPage(t)
	w.do("open", chromedp.Navigate(w.server.URL))
	data := "../../notebooks/data/"
	for _, c := range []struct {
		table string
		call  string // of the page
		args  []string
	}{
		{data + "pilot-runs.csv", `{columns: {task: ["Halide"], arm: ["Base", "Ligand"], reward: ["Yield (%)"]}, bounded: "0,100", epsilon: 5, next: 6}`,
			[]string{"--task", "Halide", "--arm", "Base", "--arm", "Ligand", "--reward", "Yield (%)", "--bounded", "0,100", "--epsilon", "5", "--next", "6"}},
		{data + "coupling-runs.csv", `{columns: {task: ["Halide"], arm: ["Base", "Ligand"], reward: ["Yield (%)"]}, next: 12}`,
			[]string{"--task", "Halide", "--arm", "Base", "--arm", "Ligand", "--reward", "Yield (%)", "--next", "12"}},
		{data + "cn_coupling_raw.csv", `{columns: {task: ["task"], arm: ["arm"], reward: ["reward"]}}`,
			[]string{"--task", "task", "--arm", "arm", "--reward", "reward"}},
		{data + "cn_coupling.csv", `{columns: {}}`, nil},
		{data + "stroke.csv", `{columns: {}}`, nil},
		{"../../web/page/examples/barley.csv", `{columns: {task: ["site"], arm: ["variety"], reward: ["yield"], blocks: ["year"]}, next: 12}`,
			[]string{"--task", "site", "--arm", "variety", "--reward", "yield", "--blocks", "year", "--next", "12"}},
		{"../../web/page/examples/tuning.csv", `{columns: {task: ["model"], arm: ["lr", "dropout"], reward: ["val_loss"],
			failed: ["status != 'ok'"]}, goal: "min"}`, []string{"--task", "model", "--arm", "lr", "--arm", "dropout", "--reward", "val_loss",
			"--goal", "min", "--failed", "status != 'ok'"}},
	} {
		name := filepath.Base(c.table)
		text, err := os.ReadFile(c.table)
		if err != nil {
			t.Fatal(err)
		}
		quoted, _ := json.Marshal(string(text))
		begun := time.Now()
		script := fmt.Sprintf(`(async () => { engine.put(%q, {data: new TextEncoder().encode(%s)});
			const r = await engine.call({do: "best", table: %[1]q, call: %[3]s});
			return r.error ?? new TextDecoder().decode((await engine.call({do: "save", format: "json"})).data); })()`, name, quoted, c.call)
		got, err := chromedp.Run(w.ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		took := time.Since(begun)
		begun = time.Now()
		want, err := exec.Command("gonb-cope", append([]string{"best", c.table, "--format", "json"}, c.args...)...).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%s: page %v, command %v", name, took.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
		compareAnswers(t, name, []byte(got), want)
	}
}

// compareAnswers compares the answers in JSON of the page and of the command, all fields with equal names.
func compareAnswers(t *testing.T, name string, got, want []byte) {
	t.Helper()
	var x, y struct {
		Displays []struct{ Value map[string]any }
	}
	if err := errors.Join(json.Unmarshal(got, &x), json.Unmarshal(want, &y)); err != nil {
		t.Fatalf("%s: %v in %.300s", name, err, got)
	}
	if len(x.Displays) == 0 || len(y.Displays) == 0 || y.Displays[0].Value["picks"] == nil {
		t.Fatalf("%s: no answer in %.300s or %.300s", name, got, want)
	}
	for _, difference := range differences("", x.Displays[0].Value, y.Displays[0].Value, 0) {
		t.Errorf("%s: %.300s", name, difference)
	}
}

// differences lists where two values in JSON differ. Browsers and processors round differently in the last digits: numbers may differ by 1e-6
// of the larger of them and of size, the width of the interval beside them.
func differences(place string, x, y any, size float64) (all []string) {
	const close = 1e-6
	switch y := y.(type) {
	case map[string]any:
		x, _ := x.(map[string]any)
		if ci, is := y["ci95"].([]any); is && len(ci) == 2 {
			lo, _ := ci[0].(float64)
			hi, _ := ci[1].(float64)
			size = hi - lo
		}
		if !slices.Equal(slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y))) {
			return []string{fmt.Sprintf("%s: the page has %v, the command %v", place, x, y)}
		}
		for key := range y {
			all = append(all, differences(place+"."+key, x[key], y[key], size)...)
		}
		return all
	case []any:
		x, _ := x.([]any)
		if len(x) != len(y) {
			return []string{fmt.Sprintf("%s: the page has %v, the command %v", place, x, y)}
		}
		for k := range y {
			all = append(all, differences(fmt.Sprintf("%s[%d]", place, k), x[k], y[k], size)...)
		}
		return all
	case float64:
		if x, is := x.(float64); is && math.Abs(x-y) <= close*max(size, math.Abs(y)) {
			return nil
		}
	}
	if x == y {
		return nil
	}
	return []string{fmt.Sprintf("%s: the page has %v, the command %v", place, x, y)}
}
