package conformance

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/benchpage"
)

const (
	benchTable = "task,arm,x_T/°C,x_solvent,x_P_Cy\nKupplung Ä,run 1,20.5,DMF,0\nKupplung Ä,run 2,70,\"2-MeTHF, dry\",1\n"
	benchDays  = "p = problem(\"halides.csv\", kernel=task(identity()) * arm(identity()), noise=2)\ndays = protocol(p, delta=0.1, epsilon=1, plate=4, capacity=4, seed=1, runs=0)\n"
)

// Somebody with a phone, whose browser runs no scripts, follows a link, asks for a list, types a result
// with a decimal comma into a field, stores it, and sees it stored: on the page and in the campaign.
// GONB_COPE_PICTURES keeps pictures.
func TestBenchPageWithoutScripts(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "halides.csv"), []byte(benchTable), 0o600); err != nil {
		t.Fatal(err)
	}
	p, recipe, err := dsl.ReadProtocol(t.Context(), "days.cope", benchDays, dsl.Options{Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	c, err := folder.Start(t.Context(), filepath.Join(dir, "days"), recipe, p, dsl.MakeProtocol, folder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	secret, err := c.Invite(t.Context(), "Ann")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(benchpage.New(c, false))
	defer server.Close()

	ctx := browse(t, limit)
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	do := func(what string, steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	do("the link", chromedp.EmulateViewport(360, 740), chromedp.Navigate(server.URL+"/join/"+secret), chromedp.WaitVisible(`form[action="/join"] button`))
	do("go on", chromedp.Click(`form[action="/join"] button`), chromedp.WaitVisible(`form[action="/ask"] button`))
	do("ask", chromedp.Click(`form[action="/ask"] button`), chromedp.WaitVisible(`.pull input[type=text]`))
	list, _, err := c.Mine(t.Context(), "Ann")
	if err != nil || len(list.Rows) != 4 {
		t.Fatalf("%v: %+v", err, list)
	}
	first := list.Rows[0]
	text := benchText(ctx, t, "#"+first.ID)
	if want := map[string]string{"run 1": "T/°C 20.5 · solvent DMF", "run 2": "T/°C 70 · solvent 2-MeTHF, dry · P_Cy"}[first.Arm]; !strings.Contains(text, "Kupplung Ä · "+first.Arm) || !strings.Contains(text, want) {
		t.Errorf("the row shows %q, want its settings %q", text, want)
	}
	benchPicture(ctx, t, "list")
	do("type and store", chromedp.SendKeys("#"+first.ID+" input[type=text]", "12,5"), chromedp.Click("#"+first.ID+" button"), chromedp.WaitVisible("#"+first.ID+" .done"))
	if text := benchText(ctx, t, "#"+first.ID+" .done"); !strings.Contains(text, "12.5 stored, told by Ann") {
		t.Errorf("the row shows %q", text)
	}
	benchPicture(ctx, t, "stored")
	list, left, err := c.Mine(t.Context(), "Ann")
	if err != nil || list.Rows[0].Reward == nil || *list.Rows[0].Reward != 12.5 || list.Rows[1].Reward != nil || left == 0 {
		t.Errorf("%v: stored %+v", err, list.Rows)
	}
	// what is no number is refused beside its row, with what was typed
	second := "#" + list.Rows[1].ID
	do("a slip", chromedp.SendKeys(second+" input[type=text]", "12,5 mg"), chromedp.Click(second+" button"), chromedp.WaitVisible(second+" .wrong"))
	if text := benchText(ctx, t, second+" .wrong"); !strings.Contains(text, `"12,5 mg" is no number`) {
		t.Errorf("the slip is answered by %q", text)
	}
	// the page runs no scripts: it has none, and would not be let
	if html, err := chromedp.Run(ctx, chromedp.OuterHTML("html")); err != nil || strings.Contains(html, "<script") {
		t.Errorf("%v: the page has a script", err)
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
