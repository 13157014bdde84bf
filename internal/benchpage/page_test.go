package benchpage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/question"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// started returns a campaign of two tasks and its page.
func started(t *testing.T) (*folder.Campaign, *httptest.Server) {
	t.Helper()
	return startedWith(t, func(*problem.Problem) {})
}

// startedWith returns the same on a problem that is changed.
func startedWith(t *testing.T, change func(*problem.Problem)) (*folder.Campaign, *httptest.Server) {
	t.Helper()
	p := try.Of(problem.Classic([]float64{0, 1, 3}, 2))
	change(p)
	protocol := campaign.Protocol{Name: `days <script>alert("x")</script>`, Problem: p, Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.1, Epsilon: 0.5}, Plate: 4, Capacity: 6, Seed: 1}
	maker := func(context.Context, question.Recipe) (campaign.Protocol, error) { return protocol, nil }
	c := try.Of(folder.Start(t.Context(), filepath.Join(t.TempDir(), "days"), question.Recipe{Script: campaign.File{Path: "days.cope", Content: []byte("x")}}, protocol, maker, folder.Options{}))
	s := httptest.NewServer(New(c, false))
	t.Cleanup(func() { s.Close(); c.Close() })
	return c, s
}

// visitor is a browser without scripts.
type visitor struct {
	t    *testing.T
	http *http.Client
	base string
}

func (v visitor) get(path string) (int, string) { return v.answer(v.http.Get(v.base + path)) }

func (v visitor) post(path string, form url.Values) (int, string) {
	return v.answer(v.http.PostForm(v.base+path, form))
}

func (v visitor) answer(r *http.Response, err error) (int, string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	text := try.Of(io.ReadAll(r.Body))
	return r.StatusCode, string(text)
}

// joined returns a visitor who followed an invitation.
func joined(t *testing.T, c *folder.Campaign, s *httptest.Server, name string) visitor {
	t.Helper()
	secret := try.Of(c.Invite(t.Context(), "", name))
	jar := try.Of(cookiejar.New(nil))
	v := visitor{t, &http.Client{Jar: jar}, s.URL + "/p/" + placeOf(secret)}
	if status, text := v.answer(v.http.Get(s.URL + "/join/" + secret)); status != 200 || !strings.Contains(text, "Go on as "+name) {
		t.Fatalf("status %d: %s", status, text)
	}
	if status, _ := v.get("/"); status != http.StatusForbidden {
		t.Fatalf("the link alone lets in: %d", status)
	}
	if status, text := v.answer(v.http.PostForm(s.URL+"/join", url.Values{"secret": {secret}})); status != 200 || !strings.Contains(text, "What shall I measure next?") {
		t.Fatalf("status %d: %s", status, text)
	}
	return v
}

var idField = regexp.MustCompile(`name="r\.([A-Z0-9]{6})"`)

// A list is asked for, filled in row by row, and shown with the person who recorded each result;
// impossible input is refused beside its row and kept.
func TestList(t *testing.T) {
	c, s := started(t)
	ann := joined(t, c, s, "Ann")
	if _, text := ann.get("/"); !strings.Contains(text, "You have no list.") {
		t.Errorf("page %s", text)
	}
	status, text := ann.post("/ask", nil)
	ids := idField.FindAllStringSubmatch(text, -1)
	if status != 200 || len(ids) != 6 || !strings.Contains(text, "Plate 1") || !strings.Contains(text, "Plate 2") {
		t.Fatalf("status %d, %d rows: %s", status, len(ids), text)
	}
	id := ids[0][1]
	if status, text := ann.post("/tell", url.Values{"store": {id}, "r." + id: {"12,5"}}); status != 200 || !strings.Contains(text, "12.5 <small>stored, told by Ann") {
		t.Errorf("status %d: %s", status, text)
	}
	own, left, err := c.Mine(t.Context(), "Ann")
	if err != nil || own.Rows[0].Reward == nil || *own.Rows[0].Reward != 12.5 || left == 0 {
		t.Errorf("%v: %+v", err, own.Rows[0])
	}
	for typed, want := range map[string]string{"much": "is not a number", "": "is not a number", "NaN": "is not a number"} {
		status, text := ann.post("/tell", url.Values{"store": {ids[1][1]}, "r." + ids[1][1]: {typed}})
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, want) || !strings.Contains(text, `value="`+typed+`" aria-label="Result of `+ids[1][1]+`" autofocus`) || strings.Contains(text, "I am sure") {
			t.Errorf("%q: status %d: %s", typed, status, text)
		}
	}
	if status, text := ann.post("/tell", url.Values{"store": {id}, "r." + id: {"13"}}); status != http.StatusUnprocessableEntity || !strings.Contains(text, "12.5 is recorded by Ann, but the row says 13") {
		t.Errorf("another value: status %d: %s", status, text)
	}
	// a colleague sees none of it
	bob := joined(t, c, s, "Bob")
	for _, path := range []string{"/", "/tasks"} {
		if _, text := bob.get(path); strings.Contains(text, "12.5") || strings.Contains(text, id) {
			t.Errorf("%s shows what another measured in the open round: %s", path, text)
		}
	}
}

// Strangers, sites of others and people whose invitation was taken back get nothing.
func TestWhoMay(t *testing.T) {
	c, s := started(t)
	stranger := visitor{t, &http.Client{}, s.URL}
	for _, path := range []string{"/", "/tasks", "/upload", "/join/AAAAAAAAAAAAAAAAAAAAAA"} {
		if status, _ := stranger.get(path); status != http.StatusForbidden {
			t.Errorf("%s: status %d", path, status)
		}
	}
	for _, path := range []string{"/ask", "/tell", "/join", "/upload/confirm"} {
		if status, _ := stranger.post(path, url.Values{"secret": {"x"}}); status != http.StatusForbidden {
			t.Errorf("%s: status %d", path, status)
		}
	}
	ann := joined(t, c, s, "Ann")
	r, err := http.NewRequest("POST", ann.base+"/ask", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if status, _ := ann.answer(ann.http.Do(r)); status != http.StatusForbidden {
		t.Errorf("a form of another site: status %d", status)
	}
	for _, k := range ann.http.Jar.Cookies(must(url.Parse(ann.base + "/"))) {
		if len(k.Value) < 22 {
			t.Errorf("a secret of %d characters", len(k.Value))
		}
	}
	secret, err := c.Invite(t.Context(), "", "Ann") // a new link ends the old one
	if err != nil || secret == "" {
		t.Fatal(err)
	}
	if status, _ := ann.get("/"); status != http.StatusForbidden {
		t.Errorf("the link of before: status %d", status)
	}
	bob := joined(t, c, s, "Bob")
	try.To(c.Revoke(t.Context(), "Bob"))
	if status, _ := bob.get("/"); status != http.StatusForbidden {
		t.Errorf("a link that was taken back: status %d", status)
	}
	if err := c.Revoke(t.Context(), "Eve"); err == nil {
		t.Error("an invitation that there is not was taken back")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The cookie cannot be read by scripts or sent from other sites, and by TLS alone where there is one.
func TestCookie(t *testing.T) {
	c, _ := started(t)
	secret := try.Of(c.Invite(t.Context(), "", "Ann"))
	for _, secure := range []bool{false, true} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/join", strings.NewReader("secret="+secret))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		New(c, secure).ServeHTTP(w, r)
		k := w.Result().Cookies()
		if len(k) != 1 || !k[0].HttpOnly || k[0].SameSite != http.SameSiteStrictMode || k[0].Secure != secure {
			t.Errorf("cookies %+v", k)
		}
	}
}

// A sheet is shown before it counts, and counts once it is confirmed.
func TestUpload(t *testing.T) {
	c, s := started(t)
	ann := joined(t, c, s, "Ann")
	_, text := ann.post("/ask", nil)
	var sheet strings.Builder
	sheet.WriteString("id,reward,note\n")
	for _, m := range idField.FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&sheet, "%s,1.5,\"a \"\"note\"\" <b>\"\n", m[1])
	}
	sheet.WriteString("ZZZZZZ,2,\n")
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part := must(form.CreateFormFile("sheet", "monday.csv"))
	io.WriteString(part, sheet.String())
	form.Close()
	status, text := ann.answer(ann.http.Post(ann.base+"/upload", form.FormDataContentType(), &body))
	if status != 200 || !strings.Contains(text, "Nothing is stored yet") || !strings.Contains(text, "In order: 6 new. Not in order: 1 with an unknown id.") {
		t.Fatalf("status %d: %s", status, text)
	}
	if own, _, err := c.Mine(t.Context(), "Ann"); err != nil || own.Rows[0].Reward != nil {
		t.Errorf("%v: a preview stores %+v", err, own.Rows[0])
	}
	confirmed := url.Values{"text": {sheet.String()}, "file": {"monday.csv"}}
	if _, text := ann.post("/confirm", confirmed); !strings.Contains(text, "Nothing is stored yet") {
		t.Errorf("with a wrong row: %s", text)
	}
	confirmed.Set("good", "1")
	if _, text := ann.post("/confirm", confirmed); !strings.Contains(text, "Stored. In order: 6 new. Not in order: 1 with an unknown id.") {
		t.Errorf("good rows: %s", text)
	}
}

// Pages have no scripts but one file of the page itself, load nothing from outside, and show names as text.
func TestPagesAreHarmless(t *testing.T) {
	c, s := started(t)
	ann := joined(t, c, s, "Ann")
	ann.post("/ask", nil)
	for _, path := range []string{"/", "/tasks", "/upload"} {
		r, err := ann.http.Get(ann.base + path)
		status, text := ann.answer(r, err)
		if status != 200 || strings.Count(text, "<script") != strings.Count(text, `<script src="/page.js" defer></script>`) || regexp.MustCompile(`(src|href|action)="(https?:)?//`).MatchString(text) || strings.Contains(text, "style=") {
			t.Errorf("%s: status %d: %s", path, status, text)
		}
		if !strings.Contains(text, "&lt;script&gt;alert") {
			t.Errorf("%s: the name is not shown as text", path)
		}
		if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", path, r.Header)
		}
	}
}

// An address that others can reach needs TLS, or a statement that it is plain.
func TestListen(t *testing.T) {
	c, _ := started(t)
	for _, a := range []Address{{Listen: "0.0.0.0:0"}, {Listen: ":0"}, {Listen: "192.0.2.1:0"}} {
		if err := Serve(t.Context(), c, a, func(string) {}); err == nil || !strings.Contains(err.Error(), "--plain") {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if err := Serve(t.Context(), c, Address{Cert: "x.pem"}, func(string) {}); err == nil || !strings.Contains(err.Error(), "belong together") {
		t.Errorf("a certificate without a key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	said := make(chan string, 1)
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, c, Address{}, func(at string) { said <- at }) }()
	at := <-said
	if r, err := http.Get(at + "/"); err != nil || r.StatusCode != http.StatusForbidden || !strings.HasPrefix(at, "http://127.0.0.1:") {
		t.Errorf("%s: %v", at, err)
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("the page does not end")
	}
}
