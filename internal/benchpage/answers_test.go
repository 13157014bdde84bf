package benchpage

import (
	"bytes"
	"math"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// spoken matches the page's messages.
var spoken = regexp.MustCompile(`role="(?:alert|status)">(.*)</p>`)

// idsOf returns the ids of the fields of a page.
func idsOf(text string) []string {
	var out []string
	for _, m := range idField.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// Every refusal is said, beside its row or above the list, and so is a result that came late.
func TestAnswersAreSaid(t *testing.T) {
	c, s := started(t)
	ann, bob := joined(t, c, s, "Ann"), joined(t, c, s, "Bob")
	_, text := ann.post("/ask", nil)
	ids := idsOf(text)
	says := func(what string, v visitor, form url.Values, status int, want string) string {
		t.Helper()
		got, text := v.post("/tell", form)
		said := spoken.FindAllStringSubmatch(text, -1)
		if got != status || len(said) != 1 || !strings.Contains(said[0][1], want) {
			t.Errorf("%s: status %d, says %q", what, got, said)
		}
		return text
	}
	if status, _ := bob.post("/tell", url.Values{"store": {ids[0]}, "r." + ids[0]: {"4"}}); status != 200 {
		t.Errorf("a colleague's pull: status %d", status)
	}
	says("another value than a colleague's", ann, url.Values{"store": {ids[0]}, "r." + ids[0]: {"3"}}, 422, "4 is recorded by Bob, but the row says 3")
	says("an id that there is not", bob, url.Values{"store": {"B00000"}, "r.B00000": {"3"}}, 422, "B00000")
	says("what is no id", bob, url.Values{"store": {"x"}, "r.x": {"3"}}, 422, "is not an id")
	says("no number, for a row of another", bob, url.Values{"store": {ids[1]}, "r." + ids[1]: {"much"}}, 422, "is not a number")
	says("thousands", ann, url.Values{"store": {ids[1]}, "r." + ids[1]: {"1,234"}}, 422, "may mean 1.2340 or 1234")
	says("a huge number", ann, url.Values{"store": {ids[1]}, "r." + ids[1]: {"1e308"}, "sure." + ids[1]: {"1"}}, 422, "from -1e100 to 1e100")
	try.Of(c.Do(t.Context(), &campaign.Close{Reason: "the freezer broke", By: "Ann"}))
	try.Of(c.Ask(t.Context(), campaign.Request{By: "Cy"}))
	text = says("a row of a page of before", ann, url.Values{"store": {ids[1]}, "r." + ids[1]: {"7"}, "r." + ids[2]: {"8"}}, 200, "stored as late: its round, 1, is over")
	if strings.Contains(text, "autofocus") {
		t.Error("a field of a round that is over")
	}
	says("and again", ann, url.Values{"store": {ids[1]}, "r." + ids[1]: {"9"}}, 422, "7 is recorded by Ann")
}

// The input of other rows stays when one row is stored or refused, or more pulls are asked for; all can be stored
// at once, and the next field without a value comes next.
func TestTypedStays(t *testing.T) {
	c, s := started(t)
	ann := joined(t, c, s, "Ann")
	_, text := ann.post("/ask", nil)
	ids := idsOf(text)
	field := func(k int, typed string) string {
		return `name="r.` + ids[k] + `" value="` + typed + `" aria-label="Result of ` + ids[k] + `"`
	}
	form := url.Values{"r." + ids[0]: {"1.5"}, "r." + ids[1]: {"2,5"}, "why." + ids[2]: {"spilt"}, "store": {ids[0]}}
	_, text = ann.post("/tell", form)
	if !strings.Contains(text, "✓ 1.5") || !strings.Contains(text, field(1, "2,5")) || !strings.Contains(text, `value="spilt"`) {
		t.Errorf("after one was stored: %s", text)
	}
	form.Set("store", ids[2])
	form.Set("r."+ids[2], "x")
	if status, text := ann.post("/tell", form); status != 422 || !strings.Contains(text, field(1, "2,5")) || !strings.Contains(text, field(2, "x")+" autofocus") || strings.Count(text, "autofocus") != 1 {
		t.Errorf("after one was refused: %s", text)
	}
	if _, text := ann.post("/ask", form); !strings.Contains(text, field(1, "2,5")) {
		t.Errorf("after asking: %s", text)
	}
	// Enter is the first button of the form
	if first := regexp.MustCompile(`<button [^>]*>`).FindString(text); !strings.Contains(first, `name="store" value="all"`) {
		t.Errorf("the first button is %s", first)
	}
	form = url.Values{"store": {"all"}, "r." + ids[1]: {"2,5"}, "r." + ids[2]: {"3"}, "r." + ids[3]: {""}}
	status, text := ann.post("/tell", form)
	if status != 200 || strings.Count(text, "✓") != 3 || !strings.Contains(text, field(3, "")+" autofocus") || strings.Contains(text, `role="alert"`) {
		t.Errorf("all: status %d: %s", status, text)
	}
	form = url.Values{"store": {"all"}, "r." + ids[3]: {"much"}, "r." + ids[4]: {"4"}}
	if status, text := ann.post("/tell", form); status != 422 || strings.Count(text, "✓") != 4 || !strings.Contains(text, field(3, "much")+" autofocus") {
		t.Errorf("all but one: status %d: %s", status, text)
	}
}

// A value that may be a slip can be confirmed, also the first where the table has others.
func TestDoubtedValue(t *testing.T) {
	c, s := startedWith(t, func(p *problem.Problem) { p.Rewards = [][]float64{{8, 8.1}, {8.2}, {8, 8.3}, {7.9}, {8.1}, {8}} })
	ann := joined(t, c, s, "Ann")
	_, text := ann.post("/ask", nil)
	id := idsOf(text)[0]
	form := url.Values{"store": {id}, "r." + id: {"83,1"}}
	if status, text := ann.post("/tell", form); status != 422 || !strings.Contains(text, "far from all other rewards") || strings.Contains(text, "--sure") || strings.Count(text, "I am sure of this value") != 1 {
		t.Errorf("status %d: %s", status, text)
	}
	form.Set("sure."+id, "1")
	if status, text := ann.post("/tell", form); status != 200 || !strings.Contains(text, "✓ 83.1") {
		t.Errorf("status %d: %s", status, text)
	}
}

// The person who has an unmeasured pull gives it back with a reason. A failed pull is a result, whose value follows
// the goal.
func TestFailedPulls(t *testing.T) {
	c, s := started(t)
	ann, bob := joined(t, c, s, "Ann"), joined(t, c, s, "Bob")
	_, text := ann.post("/ask", nil)
	ids := idsOf(text)
	if !strings.Contains(text, "A reaction that ran and gave nothing is a result: record the reward 0.") || !strings.Contains(text, `name="worst" value="`+ids[0]+`">It failed: store 0<`) {
		t.Errorf("the rule: %s", text)
	}
	if status, text := ann.post("/tell", url.Values{"fail": {ids[0]}, "why." + ids[0]: {" "}, "r." + ids[1]: {"5"}}); status != 422 || !strings.Contains(text, "write the reason") || !strings.Contains(text, "<details open>") || !strings.Contains(text, `value="5"`) {
		t.Errorf("no reason: status %d: %s", status, text)
	}
	if status, text := bob.post("/tell", url.Values{"fail": {ids[0]}, "why." + ids[0]: {"no"}}); status != 422 || !strings.Contains(text, "not on your list") {
		t.Errorf("the pull of another: status %d: %s", status, text)
	}
	if status, text := ann.post("/tell", url.Values{"fail": {ids[0]}, "why." + ids[0]: {"the vial broke"}}); status != 200 || !strings.Contains(text, "given back, because: the vial broke") || strings.Contains(text, `name="r.`+ids[0]) {
		t.Errorf("status %d: %s", status, text)
	}
	if status, text := ann.post("/tell", url.Values{"worst": {ids[1]}, "r." + ids[2]: {"4"}}); status != 200 || !strings.Contains(text, "✓ 0 ") || !strings.Contains(text, `value="4"`) {
		t.Errorf("what failed: status %d: %s", status, text)
	}
	h, err := c.History(t.Context())
	if err != nil || len(h.Log) < 1 || h.Log[0].Reason != "the vial broke" {
		t.Errorf("%v: %+v", err, h.Log)
	}
	for _, r := range []struct {
		change func(*problem.Problem)
		says   string
		button bool
	}{
		{func(p *problem.Problem) { p.Goal = problem.GoalMin }, "the largest possible reward (0 would be among the best)", false},
		{func(p *problem.Problem) {
			p.Goal, p.Noise, p.Mean = problem.GoalMin, problem.NoiseModel{Scales: []float64{2, 2, 2, 2, 2, 2}, Bounds: &[2]float64{-4, 0}}, nil
		}, "record the reward 4.", true},
		{func(p *problem.Problem) { p.Mean = []float64{-1, 0, 1, 1, 1, 1} }, "the lowest possible reward", false},
	} {
		c, s := startedWith(t, r.change)
		_, text := joined(t, c, s, "Ann").post("/ask", nil)
		if !strings.Contains(text, r.says) || strings.Contains(text, `name="worst"`) != r.button {
			t.Errorf("want %q: %s", r.says, text)
		}
	}
}

// counted counts what is read of a body that never ends.
type counted struct{ n int }

func (c *counted) Read(b []byte) (int, error) {
	c.n += len(b)
	for i := range b {
		b[i] = 'a'
	}
	return len(b), nil
}

func (c *counted) Close() error { return nil }

// Next to nothing of strangers' requests is read, and they see no name.
func TestStrangersAreNotRead(t *testing.T) {
	c, _ := started(t)
	for path, most := range map[string]int{"/join": 64 << 10, "/p/0123456789abcdef/tell": 0, "/p/0123456789abcdef/upload": 0, "/p/0123456789abcdef/confirm": 0} {
		body := &counted{}
		r := httptest.NewRequest("POST", path, nil)
		r.Body, r.ContentLength = body, 8<<20
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		New(c, false).ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || body.n > most || strings.Contains(w.Body.String(), "days") {
			t.Errorf("%s: status %d, %d bytes read: %s", path, w.Code, body.n, w.Body)
		}
	}
}

// The cookie of a person is sent to no other program of the host, and lets in at their own place alone.
func TestPlaceOfCookie(t *testing.T) {
	c, s := started(t)
	ann, bob := joined(t, c, s, "Ann"), joined(t, c, s, "Bob")
	seen := 0
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen += len(r.Cookies()) }))
	defer other.Close()
	for _, path := range []string{"/", "/page.css", "/p/", "/join"} {
		if r, err := ann.http.Get(other.URL + path); err == nil {
			r.Body.Close()
		}
	}
	if seen != 0 {
		t.Errorf("another port of the host gets %d cookies", seen)
	}
	place := must(url.Parse(ann.base + "/"))
	r := must(http.NewRequest("GET", bob.base+"/", nil))
	own := must(http.NewRequest("GET", ann.base+"/", nil))
	own.AddCookie(&http.Cookie{Name: cookie, Value: "set by another program of the host"})
	for _, k := range ann.http.Jar.Cookies(place) {
		r.AddCookie(k)
		own.AddCookie(k)
	}
	if status, _ := ann.answer(http.DefaultClient.Do(own)); status != http.StatusOK {
		t.Errorf("Ann's cookie behind one of another program: status %d", status)
	}
	if status, _ := ann.answer(http.DefaultClient.Do(r)); status != http.StatusForbidden {
		t.Errorf("Ann's cookie at Bob's place: status %d", status)
	}
}

// A file without anything in it, and none, are answered in words.
func TestEmptyUpload(t *testing.T) {
	c, s := started(t)
	ann := joined(t, c, s, "Ann")
	for name, want := range map[string]string{"sheet": "the file is empty", "other": "choose a file"} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		must(form.CreateFormFile(name, "monday.csv"))
		form.Close()
		if status, text := ann.answer(ann.http.Post(ann.base+"/upload", form.FormDataContentType(), &body)); status != 422 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d: %s", name, status, text)
		}
	}
}

// Before the first round is over the remaining time is unknown.
func TestRemaining(t *testing.T) {
	for x, want := range map[float64]string{math.NaN(): "", math.Inf(1): "", 0: "", -1: "", 12.34: "12 days", 1.02: "1 day", 1.5: "1.5 days"} {
		if got := remaining(x, "days"); got != want {
			t.Errorf("%g: %q", x, got)
		}
	}
	c, s := started(t)
	ann := joined(t, c, s, "Ann")
	ann.post("/ask", nil)
	if _, text := ann.get("/tasks"); strings.Contains(text, "NaN") || !strings.Contains(text, "arms open<") {
		t.Errorf("tasks: %s", text)
	}
}

// Once a round is over the tasks page says what the measurements say, with intervals as status has them.
func TestTasksAreEstimated(t *testing.T) {
	c, s := started(t)
	ann := joined(t, c, s, "Ann")
	for range 2 { // lists of a round
		_, text := ann.post("/ask", nil)
		told := url.Values{"store": {"all"}}
		for k, id := range idsOf(text) {
			told.Set("r."+id, strconv.Itoa(k))
		}
		if status, text := ann.post("/tell", told); status != http.StatusOK {
			t.Fatal(text)
		}
	}
	want := regexp.MustCompile(`</b>: [\w ]+, \d\S* \[-?\d\S*, \d\S*\]; within 0.5 of the best with \d+\x{a0}%</div>`)
	if _, text := ann.get("/tasks"); len(want.FindAllString(text, -1)) != 2 {
		t.Errorf("tasks: %s", text)
	}
}
