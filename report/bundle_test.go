package report

import (
	"slices"
	"strings"
	"testing"
)

func TestBundle(t *testing.T) {
	for _, c := range []struct {
		value      any
		plain      string
		media      []string
		singleLine bool
	}{
		{0.1, "x = 0.1", []string{"text/html", "text/plain"}, true},
		{fcResult(), "CoKernelFC (tuned schedule) decided each of 5 tasks", []string{"text/html", "text/plain"}, false},
		{figure(t, fcSweep(), "", ""), "Samples per agent against gap", []string{"image/svg+xml", "text/html", "text/plain"}, false},
	} {
		b, err := Bundle(Display{Name: "x", Value: c.value}, "cell-1")
		if err != nil {
			t.Fatal(err)
		}
		var media []string
		for m := range b {
			media = append(media, m)
		}
		slices.Sort(media)
		if !slices.Equal(media, c.media) {
			t.Errorf("%T: media types %v, want %v", c.value, media, c.media)
		}
		text := b["text/plain"]
		if !strings.Contains(text, c.plain) || strings.Contains(text, "\n") == c.singleLine {
			t.Errorf("%T: plain text %q", c.value, text)
		}
	}
}

func TestNatural(t *testing.T) {
	names := []string{"arm 10", "b", "arm 2", "arm 02", "arm", "10 mg", "9 mg"}
	slices.SortStableFunc(names, natural)
	if want := []string{"9 mg", "10 mg", "arm", "arm 2", "arm 02", "arm 10", "b"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
