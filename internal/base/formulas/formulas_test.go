package formulas_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/formulas"
)

// Texts that a spreadsheet would run become plain text, numbers stay numbers, and every written
// text reads back.
func TestGuard(t *testing.T) {
	for text, want := range map[string]string{"": "", "MTBD": "MTBD", "=cmd|'/C calc'!A0": "'=cmd|'/C calc'!A0", "@SUM(1)": "'@SUM(1)", "+1+1": "'+1+1",
		"-2+3": "'-2+3", "\t=1": "'\t=1", "\r=1": "'\r=1", "＝1": "'＝1", "-1.5": "-1.5", "+3e-4": "+3e-4", "-1,5": "-1,5", "'quoted'": "'quoted'", "a=b": "a=b", "-": "-"} {
		got := formulas.Guard(text)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if again := formulas.Unguard(got); again != text {
			t.Errorf("%q is read back as %q", text, again)
		}
	}
	if got := formulas.Unguard("'tis"); got != "'tis" {
		t.Errorf("an apostrophe of the text is lost: %q", got)
	}
}
