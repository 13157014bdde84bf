package looks

import "testing"

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, a, b  string
		same, alike bool
	}{
		{"equal", "Gent", "Gent", true, true},
		{"accents written in two ways", "Li\u00e8ge", "Lie\u0300ge", true, true},
		{"no width", "Gent", "Gent\u200b", true, true},
		{"a byte order mark inside", "Gent", "Ge\ufeffnt", true, true},
		{"right to left mark", "Gent", "\u200fGent", true, true},
		{"soft hyphen", "Gent", "Ge\u00adnt", true, true},
		{"a blank that does not break", "N 80", "N\u00a080", true, true},
		{"a narrow blank", "N 80", "N\u202f80", true, true},
		{"Cyrillic letters", "Mac", "Mас", true, true},
		{"Greek letters", "A1", "Α1", true, true},
		{"micro and mu", "5 \u00b5m", "5 \u03bcm", true, true},
		{"Kelvin", "300 K", "300 \u212a", true, true},
		{"a hyphen that does not break", "A-1", "A\u20111", true, true},
		{"a dash", "A-1", "A\u20131", false, true},
		{"capital letters", "Gent", "gent", false, true},
		{"sharp s", "Straße", "STRASSE", false, false},
		{"two blanks", "N 80", "N  80", false, true},
		{"no blank", "N 80", "N80", false, true},
		{"wide letters", "A1", "Ａ１", false, true},
		{"a quote", "O'Neill", "O\u2019Neill", false, true},
		{"an accent", "Liege", "Li\u00e8ge", false, false},
		{"a square", "m2", "m\u00b2", false, false},
		{"digits", "12.1", "12.10", false, false},
	} {
		if got := Of(c.a) == Of(c.b); got != c.same {
			t.Errorf("%s: %q and %q look the same: %t", c.name, c.a, c.b, got)
		}
		if got := Alike(c.a) == Alike(c.b); got != c.alike {
			t.Errorf("%s: %q and %q are alike: %t", c.name, c.a, c.b, got)
		}
	}
}

func TestUnseen(t *testing.T) {
	for text, want := range map[string]rune{
		"Gent": 0, "Li\u00e8ge 5 \u00b5m": 0, "می\u200cخواهم": 0, "\U0001f469\u200d\U0001f52c": 0, "\u2764\ufe0f": 0,
		"Gent\u200b": '\u200b', "Ge\ufeffnt": '\ufeff', "N\u00a080": '\u00a0', "a\u200db": '\u200d', "a\x07": '\x07', "\u202eabc": '\u202e',
	} {
		if got, found := Unseen(text); got != want || found != (want != 0) {
			t.Errorf("%q: %U, want %U", text, got, want)
		}
	}
}
