package kernel

import (
	"strings"
	"testing"
	"time"
)

// The text of an error is not also printed, however its pieces arrive; all else is printed.
func TestHolder(t *testing.T) {
	trace := "panic: boo\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n"
	for _, c := range []struct {
		what   string
		pieces []string
		failed *failure
		want   string
	}{
		{"a panic", []string{"before\n", trace}, &failure{Name: "Panic"}, "before\n"},
		{"a panic in pieces", []string{"before\npa", "nic", ": boo\n\ngorout", "ine 1\n"}, &failure{Name: "Panic"}, "before\n"},
		{"what looks like one", []string{"panic: not at all\n", "words\n"}, nil, "panic: not at all\nwords\n"},
		{"pa within a line", []string{"a ", "panic: no\n"}, nil, "a panic: no\n"},
		{"a status", []string{"words\nexit status 3\n"}, &failure{Name: "ProgramError", Value: "exit status 3"}, "words\n"},
		{"another status", []string{"exit status 4\nexit status 3\n"}, &failure{Name: "ProgramError", Value: "exit status 3"}, "exit status 4\n"},
		{"an interrupt", []string{"words\n^C\n", "signal: interrupt\n"}, &failure{Name: "Interrupted", Value: "interrupted"}, "words\n"},
		{"words only", []string{"one\n", "two"}, nil, "one\ntwo"},
	} {
		var sent strings.Builder
		h := holder{send: func(s string) { sent.WriteString(s) }}
		for _, p := range c.pieces {
			h.add(p)
		}
		sent.WriteString(h.rest(c.failed))
		if sent.String() != c.want {
			t.Errorf("%s: %q, want %q", c.what, sent.String(), c.want)
		}
	}
}

// A program that goes on is not silenced.
func TestHolderLetsGo(t *testing.T) {
	sent := make(chan string, 1)
	h := holder{send: func(s string) { sent <- s }}
	h.add("panic: recovered\n")
	select {
	case s := <-sent:
		if s != "panic: recovered\n" {
			t.Errorf("%q", s)
		}
	case <-time.After(waitLimit):
		t.Error("nothing was printed")
	}
}
