package answer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// longTable reads a long table with the columns site, arm, y, and day if it has one.
func longTable(t *testing.T, text string) *problem.Problem {
	t.Helper()
	l := problem.Long{Task: []string{"site"}, Arm: []string{"arm"}, Reward: "y"}
	if strings.Contains(text, "day") {
		l.Blocks = []string{"day"}
	}
	return try.Of(problem.Load("runs.csv", kernels.Joint{}, problem.LoadOptions{Long: &l, Read: func(string) ([]byte, error) { return []byte(text), nil }}))
}

func answered(t *testing.T, p *problem.Problem, opt answer.Options) *answer.Answer {
	t.Helper()
	return try.Of(answer.Best(context.Background(), p, opt))
}

// warning returns the only warning that contains the text, "" if there is none.
func warning(t *testing.T, a *answer.Answer, with string) string {
	t.Helper()
	found := slices.DeleteFunc(slices.Clone(a.Warnings), func(w string) bool { return !strings.Contains(w, with) })
	if len(found) > 1 {
		t.Errorf("%q is said twice: %q", with, found)
	}
	return strings.Join(found, "")
}

// options has options o0, o1, … with means of 10, 20, … and noise, each measured so often at each site.
func options(sites string, count, again int, noise float64) string {
	text, rng := "site,arm,y\n", rand.New(rand.NewPCG(8, 8))
	for _, site := range strings.Fields(sites) {
		for k := range count {
			for range again {
				text += fmt.Sprintf("%s,o%d,%.2f\n", site, k, 10*float64(k+1)+noise*rng.NormFloat64())
			}
		}
	}
	return text
}

// A table pasted twice has the same recommendations and probabilities as the table, plus a warning.
func TestCopiesSayNoMore(t *testing.T) {
	rows := "A,r1,41.5\nA,r2,42.3\nA,r3,38.2\nA,r4,37.1\nB,r1,33.9\nB,r2,33.2\nB,r3,30.2\nB,r4,31.0\n"
	once, twice := answered(t, longTable(t, "site,arm,y\n"+rows), answer.Options{}), answered(t, longTable(t, "site,arm,y\n"+rows+rows), answer.Options{})
	for v := range once.Picks {
		if once.Picks[v].Within != twice.Picks[v].Within || once.Picks[v].Count != twice.Picks[v].Count {
			t.Errorf("once %+v, pasted twice %+v", once.Picks[v], twice.Picks[v])
		}
	}
	if w := warning(t, twice, "lines 10 to 17 repeat lines 2 to 9"); w == "" || len(once.Warnings) > 0 {
		t.Errorf("warnings %q, once %q", twice.Warnings, once.Warnings)
	}
}

// Options without a common day or chain of days cannot be separated from their days, however smooth their rewards are: a warning says so,
// and no recommendation is nearly certain. A chain of days is enough.
func TestConfounded(t *testing.T) {
	text, rng := "site,arm,day,y\n", rand.New(rand.NewPCG(9, 9))
	chained := text
	for k := range 8 {
		for range 4 {
			text += fmt.Sprintf("s,%d,d%d,%.2f\n", k, k, 10*float64(k)+0.3*rng.NormFloat64())
		}
		for j := range 2 {
			chained += fmt.Sprintf("s,%d,d%d,%.2f\n", k, k+j, 10*float64(k)+0.3*rng.NormFloat64())
		}
	}
	a := answered(t, longTable(t, text), answer.Options{Next: 4})
	if w := warning(t, a, "confounded"); !strings.Contains(w, "the effects of options and of day are confounded. Groups of options share no day: 0 in d0; 1 in d1; 2 in d2; and 5 more groups") {
		t.Errorf("warning %q", w)
	}
	if a.Picks[0].Within > 0.9 {
		t.Errorf("the pick is the best with probability %g, want doubt", a.Picks[0].Within)
	}
	a = answered(t, longTable(t, chained), answer.Options{})
	if w := warning(t, a, "confounded"); w != "" || a.Picks[0].Within < 0.95 {
		t.Errorf("warning %q, probability %g of options that a chain of days connects", w, a.Picks[0].Within)
	}
}

// A number that means "no value" is named with its count and the conditions that exclude it, whether it occurs once or in a third of the
// table. Zeros, limits and values of a bad option are not named.
func TestCodesAreNamed(t *testing.T) {
	text := options("A B", 5, 4, 1)
	with := func(code string, every int) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for k := 2; k < len(lines); k += every {
			lines[k] = lines[k][:strings.LastIndex(lines[k], ",")+1] + code
		}
		return strings.Join(lines, "\n") + "\n"
	}
	successes := "site,arm,y\n" + strings.Repeat("A,o1,0\nA,o1,1\nA,o2,1\nA,o2,1\nA,o3,0\nA,o3,0\n", 5)
	pasted := "A,p,0.312\nA,q,0.991\nA,r,0.352\nA,s,0.402\nA,p,0.332\nA,q,0.371\nA,r,0.366\nA,s,0.41\n"
	for _, c := range []struct {
		name, table, want string
	}{
		{"none", text, ""},
		{"a third", with("-9999", 3), `the value -9999 of y occurs 13 times and is far from all others. It looks like a code for a missing value. It counts as measured, so the answer may be wrong. If nothing was ` +
			`measured, add --where "col('y') != -9999"; if the measurement failed, add --failed "col('y') == -9999". In scripts: where=, failed=`},
		{"three", with("-999", 14), "the value -999 of y occurs 3 times"},
		{"one", with("-999", 100), "the value -999 of y occurs once"},
		{"nines", with("999", 5), "the value 999 of y occurs 8 times"},
		{"-1", with("-1", 8), "the value -1 of y occurs 5 times"},
		{"large", with("1000000", 5), "the value 1e+06 of y occurs 8 times"},
		{"another", with("12345.5", 5), "the value 12345.5 of y occurs 8 times"},
		{"zeros of one option", text + "A,z,0\nA,z,0\nA,z,0\nB,z,0\nB,z,0\n", ""},
		{"zeros below small values", strings.ReplaceAll(with("0", 8), "o0", "o0"), ""},
		{"a bad option", text + "A,z,-20\nA,z,-20\nB,z,-20\n", ""},
		{"-1 among 0 and 1", successes + "A,o1,-1\nA,o2,-1\n", "the value -1 of y occurs 2 times"},
		{"one -1 among 0 and 1", successes + "A,o1,-1\n", "the value -1 of y occurs once"},
		{"0 and 1", successes, ""},
		{"one reading of a pasted table", "site,arm,y,n\n" + strings.ReplaceAll(pasted, "\n", ",1\n") + strings.ReplaceAll(pasted, "\n", ",2\n"), ""},
		{"99 within the range", options("A", 12, 3, 1) + "A,z,99\nA,z,99\n", ""},
	} {
		a := answered(t, longTable(t, c.table), answer.Options{})
		if w := warning(t, a, "looks like a code"); (w == "") != (c.want == "") || !strings.HasPrefix(w, c.want) {
			t.Errorf("%s: %q, want %q", c.name, w, c.want)
		}
	}
	two := strings.ReplaceAll(with("-9999", 5), "A,o1,", "A,o1,999\nA,o1,")
	if a := answered(t, longTable(t, two), answer.Options{}); len(a.Warnings) < 2 || !strings.Contains(a.Warnings[0]+a.Warnings[1], "-9999 of y occurs 8") || !strings.Contains(a.Warnings[0]+a.Warnings[1], "999 of y occurs 4") {
		t.Errorf("two codes: %q", a.Warnings)
	}
}

// An option whose measurements all failed is not recommended, not a runner-up and not proposed, unless retry is set. An option that
// failed in part is kept.
func TestFailedOptions(t *testing.T) {
	p := longTable(t, options("A B C", 4, 2, 1))
	p.Partial, p.Mean, p.Failed = slices.Clone(p.Means()), nil, make([]int, p.N())
	p.Rewards, p.Reps = nil, slices.Clone(p.Reps)
	fail := func(i int) {
		p.Failed[i], p.Partial[i], p.Reps[i] = 2, math.NaN(), 1
		p.Rows = slices.DeleteFunc(slices.Clone(p.Rows), func(r problem.Row) bool { return r.Arm == i })
	}
	fail(3)                   // o3 of A, which is best elsewhere
	p.Failed[7] = 1           // o3 of B, in part
	for i := 8; i < 12; i++ { // all of C
		fail(i)
	}
	a := answered(t, p, answer.Options{Next: 12})
	if len(a.Picks) != 2 || a.Picks[0].Arm != "o2" || a.Picks[0].Options != 3 || a.Picks[0].RunnerUp == "o3" || a.Picks[1].Arm != "o3" || a.Picks[1].Failed != 1 ||
		!slices.Equal(a.Unanswered, []string{"C"}) || a.Arms[3].Best != 0 || a.Arms[3].Failed != 2 {
		t.Errorf("picks %+v, unanswered %v", a.Picks, a.Unanswered)
	}
	for _, n := range a.Next {
		if n.Task == "C" || n.Task == "A" && n.Arm == "o3" {
			t.Errorf("%s of %s is proposed, which failed", n.Arm, n.Task)
		}
	}
	if !strings.Contains(a.Basis, "left out: o3 at A (2 of 2 failed). To include them, write retry=true (--retry).") {
		t.Errorf("basis %q", a.Basis)
	}
	if w := warning(t, a, "failed at C"); w == "" {
		t.Errorf("warnings %q", a.Warnings)
	}
	a = answered(t, p, answer.Options{Next: 12, Retry: true})
	if len(a.Picks) != 3 || a.Picks[0].Arm != "o3" || a.Unanswered != nil {
		t.Errorf("tried again: picks %+v", a.Picks)
	}
}

// A task with one option has no choice: no measurement is proposed if all tasks are such, and its recommendation has no rival.
func TestOneOption(t *testing.T) {
	a := answered(t, longTable(t, "site,arm,y\na,p,1\na,p,1.1\nb,p,2\nb,p,2.2\n"), answer.Options{Next: 5})
	if len(a.Next) > 0 || a.Picks[0].Options != 1 || a.Picks[0].RunnerUp != "" {
		t.Errorf("next %v, picks %+v", a.Next, a.Picks)
	}
}

// If all recommendations are certain, measurements go to recommendations and their closest rivals, in any row order and unit.
func TestNextWhenSure(t *testing.T) {
	for _, unit := range []float64{1, 1e-9, 1e9} {
		text, rng := "site,arm,y\n", rand.New(rand.NewPCG(4, 4))
		for _, site := range []string{"A", "B"} {
			for k, name := range []string{"worst", "good", "middle", "bad"} {
				for range 6 {
					text += fmt.Sprintf("%s,%s,%g\n", site, name, unit*math.Round(1000*([]float64{1, 5000, 2000, 500}[k]+0.3*rng.NormFloat64()))/1000)
				}
			}
		}
		a := answered(t, longTable(t, text), answer.Options{Next: 30})
		counts := map[string]int{}
		for _, n := range a.Next {
			counts[n.Task+n.Arm] += n.Count
		}
		if counts["Agood"]+counts["Amiddle"]+counts["Bgood"]+counts["Bmiddle"] != 30 || counts["Agood"] == 0 || counts["Bgood"] == 0 {
			t.Errorf("unit %g: %v", unit, counts)
		}
		if !strings.Contains(a.Basis, "No further measurement is needed") {
			t.Errorf("basis %q", a.Basis)
		}
	}
}

// Sentences of warnings are short enough to be read at once.
func TestSentencesAreShort(t *testing.T) {
	text := "site,arm,day,y\n"
	for k := range 8 {
		for j := range 3 {
			text += fmt.Sprintf("s,o%d,d%d,%d\n", k, k, []int{1000 + k*7 + j, 1000 + k*7 + 3*j, -999}[j])
		}
	}
	a := answered(t, longTable(t, text), answer.Options{})
	if len(a.Warnings) < 2 {
		t.Fatalf("warnings %q", a.Warnings)
	}
	for _, w := range a.Warnings {
		for _, s := range strings.Split(w, ". ") {
			if n := len(strings.Fields(s)); n > 25 {
				t.Errorf("%d words: %q", n, s)
			}
		}
	}
}

// If all repeated measurements are equal, because a column distinguishes them or the scale is coarse, the noise is not treated as 0.
func TestEqualValuesAreNamed(t *testing.T) {
	for text, want := range map[string]bool{
		"site,arm,y,run\na,p,41.5,1\na,p,41.5,2\na,q,38.2,3\na,q,38.2,4\na,r,40.1,5\n": true,
		"site,arm,y,run\na,p,41.5,1\na,p,41.6,2\na,q,38.2,3\na,q,38.2,4\na,r,40.1,5\n": false,
		"site,arm,y\na,p,5\na,p,5\na,p,5\na,q,3\na,q,3\na,q,3\na,r,2\na,r,2\n":         true,
	} {
		a := answered(t, longTable(t, text), answer.Options{})
		if w := warning(t, a, "equal in all digits"); (w != "") != want {
			t.Errorf("%q: warnings %q", text, a.Warnings)
		}
	}
}

// If each option was measured once and has only a name, the noise is assumed. It matters little if tasks agree.
func TestAssumedNoiseIsNamed(t *testing.T) {
	for text, want := range map[string]bool{
		"arm,y\np,5.1\nq,6.2\nr,4.9\n":                                       true,
		"arm,y\np,5.1\nq,6.2\nr,4.9\nr,5.0\n":                                false,
		"site,arm,y\na,p,5.1\na,q,6.2\na,r,4.9\nb,p,5.3\nb,q,6.1\nb,r,5.0\n": false,
		"site,arm,y\na,p,5.1\na,q,6.2\na,r,4.9\nb,p,5.9\nb,q,4.8\nb,r,5.6\n": true,
	} {
		header, rest, _ := strings.Cut(text, "\n")
		if !strings.HasPrefix(header, "site") {
			header, rest = "site,"+header, "a,"+strings.ReplaceAll(strings.TrimSpace(rest), "\n", "\na,")+"\n"
		}
		a := answered(t, longTable(t, header+"\n"+rest), answer.Options{})
		if w := warning(t, a, "averages over a noise"); (w != "") != want {
			t.Errorf("%q: warnings %q", text, a.Warnings)
		}
	}
}
