package dsl

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The replacements for the words of other tools name existing functions, and none of these words is
// one of ours.
func TestForeignWords(t *testing.T) {
	called := regexp.MustCompile(`([a-z_0-9]+)\(`)
	for word, hint := range foreign() {
		// three words are functions of ours as well as words of others
		if index[word] != nil && !slices.Contains([]string{"best", "close", "family"}, word) || word != strings.ToLower(word) {
			t.Errorf("%q is a word of the language, or not in lower case", word)
		}
		for _, m := range called.FindAllStringSubmatch(hint, -1) {
			if index[m[1]] == nil {
				t.Errorf("%s: %q names %s, which is no function", word, hint, m[1])
			}
		}
	}
	// A call, a method, a name, a text or a parameter of another tool each lead to what is written here.
	s := NewSession(Options{})
	must(t, s, "p = paper(case=1)")
	for src, want := range map[string]string{
		`d = read_csv("runs.csv")`:                "problem(data=",
		`pd.read_csv("runs.csv")`:                 "problem(data=",
		`minimize(p)`:                             `goal="min"`,
		`p.best`:                                  "best(p)",
		"f = 0.5\nf.best":                         "best(p)",
		`fb(p, budget=12, algorithm="EI")`:        "CoBayesFC",
		`x = True`:                                "write true",
		`paper(case=1, goal="minimize")`:          "",
		`k = rbf(1), l = rbf(2)`:                  "in a new line",
		`problem("small.csv", kernel="rbf")`:      "without quotes",
		`problem("small.csv", noise="bernoulli")`: "bounded=[0, 1]",
		`help(fc)`:                                "fc?",
		`problem(df="small.csv")`:                 `did you mean "data"`,
		`problem("small.csv", likelihood="b")`:    "successes=",
		`problem("small.csv", scale="log")`:       `log="lr"`,
		`problem("small.csv", minimize=true)`:     `goal="min"`,
		`best(p, goal="min")`:                     "problem(..., goal=)",
		`best("small.csv")`:                       "problem(data=",
		`plot(p)`:                                 "plot(best(p))",
		`ask(p)`:                                  "best(p, next=12)",
	} {
		if _, err := evalText(s, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", src, err, want)
		}
	}
}
