package figure

import (
	"slices"
	"testing"
)

// Names keep what differs between them where all have the same columns, and stay unchanged elsewhere.
func TestKeyed(t *testing.T) {
	for _, c := range []struct {
		names, values []string
		keys          string
	}{
		{[]string{"Sorte=Merlin, N kg/ha=80", "Sorte=Asta, N kg/ha=0"}, []string{"Merlin, 80", "Asta, 0"}, "Sorte, N kg/ha"},
		{[]string{"temp=150"}, []string{"150"}, "temp"},
		{[]string{"temp=150", "speed=3"}, nil, ""},
		{[]string{"temp=150", "cold"}, nil, ""},
		{[]string{`a="1, b=2", b=3`}, nil, ""},
		{nil, nil, ""},
	} {
		values, keys, keyed := Keyed(c.names)
		if !slices.Equal(values, c.values) || keyed && keys != c.keys || keyed != (c.values != nil) {
			t.Errorf("%q: %q of %q", c.names, values, keys)
		}
	}
}

// Labels that are too long keep beginning and end, by which names differ.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		name string
		most int
		want string
	}{
		{"batch 17", 8, "batch 17"},
		{"methyl ether, batch 17", 11, "methy…ch 17"},
		{"Ölmühle, Süd", 6, "Ölm…üd"},
	} {
		if got := shorten(c.name, c.most); got != c.want {
			t.Errorf("%q in %d letters: %q, want %q", c.name, c.most, got, c.want)
		}
	}
}
