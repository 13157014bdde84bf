package problem

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A matrix of relatives is matched with options by name. Messages say what does not fit, and what to do.
func TestSimilar(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		try.To(os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	one := write("one.csv", "site,variety,dose,yield\nx,A,1,3\nx,B,2,4\ny,A,2,5\ny,C,1,6\n")
	load := func(similar string, arm ...string) (*Problem, error) {
		column, path := CutSimilar(similar)
		if path = filepath.Join(folder, path); column != "" {
			path = column + "=" + path
		}
		return Load(one, kernels.Joint{}, LoadOptions{Goal: GoalMax, Similar: []string{path},
			Long: &Long{Task: []string{"site"}, Arm: arm, Reward: "yield"}})
	}
	write("good.csv", ",D,C,B,A\nD,1,0,0,0\nC,0,1,.5,0\nB,0,.5,1,.25\nA,0,0,.25,1\n")
	write("numbers.csv", ",1.0,2\n1.0,1,.5\n2,.5,1\n")
	write("dose.csv", ",1,2\n1,1,.5\n2,.5,1\n")
	// as rounding makes it: the smallest eigenvalue is slightly negative
	write("rounded.csv", ",A,B,C\nA,1,.995,.9\nB,.995,1,.94\nC,.9,.94,1\n")
	for _, c := range []struct {
		similar string
		arm     []string
		column  string
		rows    []int
		noted   bool
	}{
		{"good.csv", []string{"variety"}, "", []int{3, 2, 3, 1}, false}, // in another order, with an option that is not in the table
		{"good.csv", []string{"dose", "variety"}, "variety", []int{3, 2, 3, 1}, false},
		{"dose=dose.csv", []string{"dose", "variety"}, "dose", []int{0, 1, 1, 0}, false},
		{"dose.csv", []string{"dose"}, "", []int{0, 1, 1, 0}, false},
		{"rounded.csv", []string{"variety"}, "", []int{0, 1, 0, 2}, true},
	} {
		p, err := load(c.similar, c.arm...)
		if err != nil {
			t.Errorf("%s: %v", c.similar, err)
			continue
		}
		if s := p.Similar[0]; s.Column != c.column || !slices.Equal(s.Rows, c.rows) {
			t.Errorf("%s: column %q, rows %v, want %q, %v", c.similar, s.Column, s.Rows, c.column, c.rows)
		}
		if noted := slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Kind == NoteBent }); noted != c.noted {
			t.Errorf("%s: repaired %v, want %v", c.similar, noted, c.noted)
		}
		// A part of a problem has the rows of its arms.
		if part := p.Only(1); !slices.Equal(part.Similar[0].Rows, indices.Of(c.rows, []int{2, 3})) {
			t.Errorf("%s: rows %v of the second task", c.similar, part.Similar[0].Rows)
		}
	}
	write("missing.csv", ",A,B\nA,1,0\nB,0,1\n")
	write("indefinite.csv", ",A,B,C\nA,1,2,0\nB,2,1,0\nC,0,0,1\n")
	write("skew.csv", ",A,B,C\nA,1,.5,0\nB,.4,1,0\nC,0,0,1\n")
	write("bare.csv", "1,0,0\n0,1,0\n0,0,1\n")
	write("order.csv", ",A,B,C\nA,1,0,0\nC,0,1,0\nB,0,0,1\n")
	write("wide.csv", ",A,B,C\nA,1,0,0\nB,0,1,0\n")
	write("text.csv", ",A,B,C\nA,1,0,0\nB,0,1,x\nC,0,x,1\n")
	for similar, want := range map[string]string{
		"missing.csv": "missing.csv: 1 option without a row in any column of options: C. The rows begin with A, B. An option needs a row: 1 on the diagonal and 0 " +
			"elsewhere means unrelated",
		"dose=good.csv":  `2 options without a row: 1, 2`,
		"site=good.csv":  `"site" is not a column of options. The matrix cannot be matched. Choose one of variety, dose`,
		"indefinite.csv": "not positive semi-definite, so it cannot state how alike options are. Check that",
		"skew.csv":       "skew.csv:3:3: the matrix must be symmetric, but it has 0.4 here and 0.5 in line 2, column 5. Correct one of them",
		"bare.csv":       "no names, so its rows cannot be matched with options. Add a header",
		"order.csv":      "must have the same names in the same order",
		"wide.csv":       "a row or column without a name",
		"text.csv":       `text.csv:3:7: expected a finite number, got "x"`,
	} {
		if _, err := load(similar, "variety", "dose"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", similar, err, want)
		}
	}
}
