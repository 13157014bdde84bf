package benchpage

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// upload sends a sheet for a preview.
func (v visitor) upload(text string) (int, string) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file := must(form.CreateFormFile("sheet", "s.csv"))
	file.Write([]byte(text))
	form.Close()
	return v.answer(v.http.Post(v.base+"/upload", form.FormDataContentType(), &body))
}

// TestFaultGuessedIDs: a sheet of ids that were never handed out is looked at no further than a hundred, and who sends many such
// sheets is asked to wait; sheets of others are taken meanwhile. A pull of another party's list is stored with a word about it.
func TestFaultGuessedIDs(t *testing.T) {
	c, s := started(t)
	ann, bob := joined(t, c, s, "Ann"), joined(t, c, s, "Bob")
	_, text := ann.post("/ask", nil)
	ids := idsOf(text)
	if status, text := bob.upload("id,reward\n" + ids[0] + ",4\n"); status != http.StatusOK || !strings.Contains(text, "on the list of another person") {
		t.Errorf("a pull of Ann: status %d: %s", status, text)
	}
	var guesses strings.Builder
	for k := range 400 {
		fmt.Fprintf(&guesses, "Z%05d,1\n", k)
	}
	if status, text := bob.upload("id,reward\n" + guesses.String() + ids[0] + ",4\n"); status != http.StatusUnprocessableEntity ||
		!strings.Contains(text, "more than 100 ids") || strings.Contains(text, ids[0]) {
		t.Errorf("400 guesses: status %d: %s", status, text)
	}
	refused := 0
	for range 12 {
		if _, text := bob.upload("id,reward\n" + guesses.String()); strings.Contains(text, "within an hour") {
			refused++
		}
	}
	if refused == 0 {
		t.Error("guesses are looked at for ever")
	}
	if status, text := ann.upload("id,reward\n" + ids[0] + ",4\n"); status != http.StatusOK || !strings.Contains(text, "1 new") {
		t.Errorf("Ann meanwhile: status %d: %s", status, text)
	}
}

// TestFaultForeignHosts: the page answers under its own names: addresses in numbers, this machine's, and those of links.
func TestFaultForeignHosts(t *testing.T) {
	c, _ := started(t)
	try.Of(c.Invite(t.Context(), "lab.example.org", "Ann"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at := make(chan string, 1)
	go func() {
		_ = Serve(ctx, c, Address{URLs: []string{"https://bench.example.org/"}}, func(url string) { at <- url })
	}()
	base := <-at
	client := &http.Client{Jar: must(cookiejar.New(nil)), Timeout: 10 * time.Second}
	for host, own := range map[string]bool{"": true, "localhost:99": true, "LOCALHOST": true, "[::1]:80": true, "192.168.0.7": true, "lab.example.org": true,
		"Lab.Example.Org.:8443": true, "bench.example.org": true, "evil.example": false, "lab.example.org.evil.example": false, "127.0.0.1.evil.example": false} {
		r := must(http.NewRequest("GET", base+"/", nil))
		if host != "" {
			r.Host = host
		}
		answer := try.Of(client.Do(r))
		var body bytes.Buffer
		body.ReadFrom(answer.Body)
		answer.Body.Close()
		if foreign := strings.Contains(body.String(), "does not accept the address"); foreign == own || answer.StatusCode != http.StatusForbidden {
			t.Errorf("%q: status %d: %s", host, answer.StatusCode, body.String())
		}
	}
}
