package conformance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/benchpage"
)

const (
	benchTable = "task,arm,x_T/°C,x_solvent,x_P_Cy\nKupplung Ä,run 1,20.5,DMF,0\nKupplung Ä,run 2,70,\"2-MeTHF, dry\",1\n"
	benchDays  = "p = problem(\"halides.csv\", kernel=task(identity()) * arm(identity()), noise=2)\ndays = protocol(p, delta=0.1, epsilon=1, plate=4, capacity=4, seed=1, runs=0)\n"
)

// benchCampaign returns a campaign with its page, and the link of a person who may use it.
func benchCampaign(t *testing.T) (*folder.Campaign, *httptest.Server, string) {
	t.Helper()
	dir := t.TempDir()
	try.To(os.WriteFile(filepath.Join(dir, "halides.csv"), []byte(benchTable), 0o600))
	p, recipe := try.Two(dsl.ReadProtocol(t.Context(), "days.cope", benchDays, dsl.Options{Folder: dir}))
	c := try.Of(folder.Start(t.Context(), filepath.Join(dir, "days"), recipe, p, dsl.MakeProtocol, folder.Options{}))
	secret := try.Of(c.Invite(t.Context(), "", "Ann"))
	server := httptest.NewServer(benchpage.New(c, false))
	t.Cleanup(func() { server.Close(); c.Close() })
	return c, server, server.URL + "/join/" + secret
}

// benchSteps returns what a test does in a browser: steps that must work, under a name.
func benchSteps(ctx context.Context, t *testing.T) func(what string, steps ...chromedp.Action[chromedp.Void]) {
	return func(what string, steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

const (
	benchJoin = `form[action="/join"] button`
	benchAsk  = `button[formaction="ask"]`
	benchAll  = `.bar button[name=store]`
)

// Somebody with a phone, whose browser runs no scripts, follows a link, asks for a list, types results
// with a decimal comma, and sees them stored: on the page and in the campaign. Enter stores and goes to the next field,
// storing one row keeps what was typed into others, and a pull is given back with its reason.
// GONB_COPE_PICTURES keeps pictures.
func TestBenchPageWithoutScripts(t *testing.T) {
	c, _, link := benchCampaign(t)
	ctx := browse(t, limit)
	try.Of(chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	do := benchSteps(ctx, t)
	do("the link", chromedp.EmulateViewport(320, 640), chromedp.Navigate(link), chromedp.WaitVisible(benchJoin))
	do("go on", chromedp.Click(benchJoin), chromedp.WaitVisible(benchAsk))
	do("ask", chromedp.Click(benchAsk), chromedp.WaitVisible(`.entry input`))
	mine := func() []campaign.ListRow {
		t.Helper()
		list, _, err := c.Mine(t.Context(), "Ann")
		if err != nil || len(list.Rows) == 0 {
			t.Fatalf("%v: %+v", err, list)
		}
		return list.Rows
	}
	rows := mine()
	field := func(k int) string { return "#" + rows[k].ID + " .entry input" }
	typed := func(k int) string {
		t.Helper()
		return try.Of(chromedp.Run(ctx, chromedp.Value(field(k))))
	}
	first := rows[0]
	text := benchText(ctx, t, "#"+first.ID)
	if want := map[string]string{"run 1": "T/°C 20.5 · solvent DMF", "run 2": "T/°C 70 · solvent 2-MeTHF, dry · P_Cy"}[first.Arm]; !strings.Contains(text, "Kupplung Ä · "+first.Arm) || !strings.Contains(text, want) {
		t.Errorf("the row shows %q, want its settings %q", text, want)
	}
	benchPicture(ctx, t, "list-320")
	done := func(k int) chromedp.Action[chromedp.Void] { return benchThere("#" + rows[k].ID + " .done") }
	do("Enter in the first field", chromedp.SendKeys(field(0), "12,5\r"), done(0))
	if text := benchText(ctx, t, "#"+first.ID+" .done"); !strings.Contains(text, "12.5 stored, told by Ann") {
		t.Errorf("the row shows %q", text)
	}
	// the next field has the focus: keys go there
	do("type on", chromedp.KeyEvent("13"), chromedp.SendKeys(field(2), "14"), chromedp.Click("#"+rows[2].ID+" button[name=store]"), done(2))
	if typed(1) != "13" {
		t.Errorf("the next field has %q after another row was stored", typed(1))
	}
	benchPicture(ctx, t, "stored-320")
	do("a slip", chromedp.SendKeys(field(3), "12,5 mg"), chromedp.Click(benchAll), done(1), benchThere("#"+rows[3].ID+" .wrong"))
	if text := benchText(ctx, t, "#"+rows[3].ID); !strings.Contains(text, `"12,5 mg" is not a number`) || strings.Contains(text, "I am sure") || typed(3) != "12,5 mg" {
		t.Errorf("the slip is answered by %q", text)
	}
	benchPicture(ctx, t, "slip-320")
	for k, want := range map[int]float64{0: 12.5, 1: 13, 2: 14} {
		if got := mine()[k].Reward; got == nil || *got != want {
			t.Errorf("row %d: %v", k, got)
		}
	}
	do("failed", chromedp.Click("#"+rows[3].ID+" summary"), chromedp.WaitVisible("#"+rows[3].ID+" details input"))
	benchPicture(ctx, t, "failed-320")
	do("given back", chromedp.SendKeys("#"+rows[3].ID+" details input", "the vial broke"), chromedp.Click("#"+rows[3].ID+" button[name=fail]"), benchThere(".said"))
	if text := benchText(ctx, t, ".said"); !strings.Contains(text, rows[3].ID+": given back, because: the vial broke") {
		t.Errorf("it says %q", text)
	}
	if html, err := chromedp.Run(ctx, chromedp.OuterHTML("html")); err != nil || strings.Count(html, "<script") != strings.Count(html, `<script src="/page.js" defer=""></script>`) {
		t.Errorf("%v: the page has a script beside its file", err)
	}
}

// With scripts Enter goes to the next field without sending anything, and what was typed is there again after the page was
// left. The page is as wide as the phone, light and dark, and another program of the same host gets no cookie.
func TestBenchPageWithScripts(t *testing.T) {
	c, server, link := benchCampaign(t)
	ctx := browse(t, limit)
	do := benchSteps(ctx, t)
	do("the link", chromedp.EmulateViewport(390, 780), chromedp.Navigate(link), chromedp.WaitVisible(benchJoin), chromedp.Click(benchJoin), chromedp.WaitVisible(benchAsk))
	do("ask", chromedp.Click(benchAsk), chromedp.WaitVisible(`.entry input`))
	list, _, err := c.Mine(t.Context(), "Ann")
	if err != nil || len(list.Rows) != 4 {
		t.Fatalf("%v: %+v", err, list)
	}
	field := func(k int) string { return "#" + list.Rows[k].ID + " .entry input" }
	evaluated := func(script string) string {
		t.Helper()
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](script))
		if err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		return text
	}
	const values = `[...document.querySelectorAll(".entry input")].map(f => f.value).join("|")`
	do("Enter", chromedp.SendKeys(field(0), "1,5\r"), chromedp.KeyEvent("2\r"), chromedp.KeyEvent("abc"))
	if got := evaluated(values); got != "1,5|2|abc|" {
		t.Errorf("the fields have %q", got)
	}
	do("away and back", chromedp.Click(`nav a[href=tasks]`), chromedp.WaitVisible(".task"))
	tasks := benchText(ctx, t, "main")
	if strings.Contains(tasks, "NaN") {
		t.Errorf("tasks: %s", tasks)
	}
	benchPicture(ctx, t, "tasks-390")
	do("back", chromedp.Click(`nav a`), chromedp.WaitVisible(field(2)))
	if got := evaluated(values); got != "1,5|2|abc|" {
		t.Errorf("after the page was left the fields have %q", got)
	}
	do("all", chromedp.Click(benchAll), benchThere("#"+list.Rows[2].ID+" .wrong"), benchThere("#"+list.Rows[1].ID+" .done"))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 390} {
			media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
			try.Of(chromedp.Call(ctx, emulation.SetEmulatedMedia, media))
			do("viewport", chromedp.EmulateViewport(width, 780))
			if wide := evaluated(`String(document.documentElement.scrollWidth > innerWidth)`); wide != "false" {
				t.Errorf("%d pixels, %s: the page is wider than the window", width, scheme)
			}
			benchPicture(ctx, t, fmt.Sprintf("%s-%d", scheme, width))
		}
	}
	// a sheet with a row that is known, one that is wrong and one that is new
	sheet := filepath.Join(t.TempDir(), "monday.csv")
	try.To(os.WriteFile(sheet, []byte("id,reward\n"+list.Rows[0].ID+",1.5\n"+list.Rows[3].ID+",3\n"+list.Rows[3].ID[:5]+"?,3\n"), 0o600))
	do("upload", chromedp.EmulateViewport(320, 640), chromedp.Click(`nav a[href=upload]`), chromedp.WaitVisible(`input[type=file]`), chromedp.SetUploadFiles(`input[type=file]`, []string{sheet}), chromedp.Click("main button"), benchThere("table"))
	if text := benchText(ctx, t, "main"); !strings.Contains(text, "Nothing is stored yet. In order: 1 new, 1 already recorded. Not in order: 1 with an unknown id.") || !strings.Contains(text, "the nearest is "+list.Rows[3].ID) {
		t.Errorf("the preview says %q", text)
	}
	if wide := evaluated(`String(document.documentElement.scrollWidth > innerWidth)`); wide != "false" {
		t.Error("the preview is wider than the window")
	}
	benchPicture(ctx, t, "upload-320")
	do("take the good rows", chromedp.Click(`input[name=good]`), chromedp.Click("main button"), benchThere("main:not(:has(form)) table"))
	at := evaluated("location.pathname")
	// a program of another party at another port of the same host, which does not know the place of a person, and one that does
	cookies := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookies <- r.URL.Path + " " + r.Header.Get("Cookie")
		io.WriteString(w, `<p id="other">other</p><img src="/p/x/tell"><form method="post" action="`+server.URL+strings.Replace(at, "confirm", "tell", 1)+`"><input name="r.`+list.Rows[2].ID+`" value="99"><button name="store" value="all">go</button></form>`)
	}))
	defer other.Close()
	do("another program", chromedp.Navigate(other.URL+"/"), chromedp.WaitVisible("#other"))
	for range 2 {
		if got := <-cookies; strings.Contains(got, "campaign=") {
			t.Errorf("another program of the host gets the cookie: %s", got)
		}
	}
	do("a form of another program", chromedp.Click("button"), chromedp.WaitNotPresent("#other"))
	list, _, err = c.Mine(t.Context(), "Ann")
	if err != nil || list.Rows[2].Reward != nil || list.Rows[3].Reward == nil {
		t.Errorf("%v: a form of another program, or the sheet: %+v", err, list.Rows)
	}
}

// benchThere waits until an element is on the page, also where a key, not a click, asked for that page.
func benchThere(selector string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
		for ctx.Err() == nil {
			there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf("document.readyState === 'complete' && !!document.querySelector(%q)", selector)))
			if err == nil && there {
				return none, nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		return none, ctx.Err()
	}
}

// benchText returns the text of an element, its white space made even.
func benchText(ctx context.Context, t *testing.T, at string) string {
	t.Helper()
	text, err := chromedp.Run(ctx, chromedp.Text(at))
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return strings.Join(strings.Fields(text), " ")
}

// benchPicture keeps a picture of the page.
func benchPicture(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	into := os.Getenv("GONB_COPE_PICTURES")
	if into == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(into, "benchpage-"+name+".png"), png, 0o644)
	}
	if err != nil {
		t.Errorf("picture %s: %v", name, err)
	}
}
