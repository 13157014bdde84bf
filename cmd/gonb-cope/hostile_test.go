package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// A service that means ill, or is broken: whatever it sends, what was recorded before counts, an error says what is
// wrong in a line without what terminals obey, and memory does not grow with what is sent.
func TestHostileServices(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a program for each service")
	}
	const good = `{"arm":"{1,2}","reward":1}` + "\n"
	forever := func(w http.ResponseWriter, r *http.Request, text string) {
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(text)); err != nil {
				return
			}
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for zeros := make([]byte, 1<<20); bomb.Len() < 1<<20; {
		_, _ = z.Write(zeros) // a thousand times as long
	}
	_ = z.Close()
	for _, c := range []struct {
		name string
		told int
		want string
		send func(http.ResponseWriter, *http.Request)
	}{
		{"a line that never ends", 1, "the line has more than 65536 bytes", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, good)
			forever(w, r, strings.Repeat("x", 1<<16))
		}},
		{"a gigabyte in a megabyte", 0, "the line has more than 65536 bytes", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}},
		{"a page for people", 0, "want an object like", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!DOCTYPE html>\n<title>\x1b]0;owned\a\x1b[2J</title>\n")
		}},
		{"names that a terminal obeys", 0, "was not asked for", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"arm":"\u001b[2Jarm","reward":1}`+"\n")
		}},
		{"nesting", 0, "want an object like", func(w http.ResponseWriter, r *http.Request) { forever(w, r, strings.Repeat("[", 1<<15)+"\n") }},
		{"no number", 1, "want an object like", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, good+`{"arm":"{1,2}","reward":NaN}`+"\n")
		}},
		{"a number beyond all numbers", 1, "want an object like", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, good+`{"arm":"{1,2}","reward":1e999}`+"\n")
		}},
		{"a count without end", 0, "want an object like", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"arm":"{1,2}","count":1e30,"mean":1}`+"\n")
		}},
		{"keys that it does not know", 0, "want an object like", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"arm":"{1,2}","reward":1,"run":"another"}`+"\n")
		}},
		{"a circle", 0, "redirects to", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}},
		{"a file of this machine", 0, "unsupported protocol scheme", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}},
		{"an error without end", 0, "answered 500", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			forever(w, r, "\x1b[2Jno \n")
		}},
		{"a header of 20 MB", 0, "headers", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", 20<<20))
		}},
		{"it breaks off", 1, "EOF", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, good)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}},
		{"it never ends after its rewards", 2, "did not end within", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, good+good)
			forever(w, r, "\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(c.send))
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			before := allocated()
			told, err := onePull(t, ctx, httpPuller(s.URL, 50*time.Millisecond))
			if grown := allocated() - before; grown > 200<<20 {
				t.Errorf("%d MB were allocated", grown>>20)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || len(told) != c.told || ctx.Err() != nil {
				t.Fatalf("told %v, error %v; want %d rewards and %q", told, err, c.told, c.want)
			}
			if text := err.Error(); strings.ContainsAny(text, "\x1b\a\n") || len(text) > 1000 {
				t.Errorf("the error of %d bytes is not a line of text: %q", len(text), text[:min(len(text), 200)])
			}
			if e := (*cluster.LingerError)(nil); errors.As(err, &e) != (c.told == 2) {
				t.Errorf("error %v: whether all rewards were told is wrong", err)
			}
		})
	}
}

// allocated returns how many bytes were allocated since the program began.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
