package report

import (
	"testing"
)

// A mistake is shown in words, with the wrong part marked and underlined, and the user's input
// stays text.
func TestMistakesHTML(t *testing.T) {
	got := MistakesHTML([]Mistake{
		{Message: `unknown function "<b>"`, Place: "cell 5, line 12, column 7", Line: 12, Before: "k = a<", Wrong: "lin & er", After: "(2)  ", Underline: "      ^^^^^^^^", Hint: `did you mean "linear"?`},
		{Message: "the file is gone", Cause: "one\ntwo"},
	})
	page := parse(t, []byte(got))
	if marks := page.all("mark"); len(marks) != 1 || marks[0].text != "lin & er" {
		t.Errorf("marked: %v", marks)
	}
	holds(t, got, "<strong>Error:</strong> unknown function &#34;&lt;b&gt;&#34;", "cell 5, line 12, column 7", "k = a&lt;<mark>", "(2)\n", "      ^^^^^^^^", "<strong>Hint:</strong> did you mean", "one<br/>two")
	if n := len(page.all("pre")); n != 1 {
		t.Errorf("%d lines of a script, want one", n)
	}
}
