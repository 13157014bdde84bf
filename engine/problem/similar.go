package problem

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Similar states how alike the options are: by pedigree, by a genomic relationship, or by the fingerprints of molecules.
type Similar struct {
	Column string      // arm column whose values the matrix names; "" for the names of arms
	Values [][]float64 // symmetric and positive semi-definite, a row per relative
	Rows   []int       // N: for each arm, the index of its row in Values
	Source Source
}

// String names the file.
func (s Similar) String() string {
	name := filepath.Base(s.Source.Path)
	if s.Column != "" {
		name += " (" + s.Column + ")"
	}
	return name
}

// CutSimilar splits "COLUMN=FILE"; column is "" if the text is only a file.
func CutSimilar(text string) (column, path string) {
	if column, path, found := strings.Cut(text, "="); found {
		return strings.TrimSpace(column), strings.TrimSpace(path)
	}
	return "", strings.TrimSpace(text)
}

// bends are the fractions of the largest diagonal value that are added to the diagonal of a matrix until it is positive semi-definite. The
// first is rounding in memory. Matrices that a file rounds, or that come from incomplete markers, need another.
var bends = []float64{1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2}

// bend adds the smallest of bends to the diagonal that makes the matrix positive semi-definite, and returns what it added. This is 0 if
// only rounding in memory prevents that. enough is false if none of bends is enough.
func bend(values [][]float64) (added float64, enough bool) {
	largest := lists.Max(indices.All(len(values)), func(i int) float64 { return values[i][i] })
	for k, share := range bends {
		sum := symmetric.Make(len(values), func(i, j int) float64 { return values[i][j] })
		if new(mat.Cholesky).Factorize(symmetric.Add(sum, func(int) float64 { return share * largest })) {
			if k > 0 {
				added = share * largest
			}
			for i := range values {
				values[i][i] += added
			}
			return added, true
		}
	}
	return 0, false
}

// readSimilar reads the matrices of opt.Similar and finds the row of each arm.
func (p *Problem) readSimilar(opt LoadOptions) {
	for _, text := range opt.Similar {
		column, path := CutSimilar(text)
		g := try.Of(readGram(path, LoadOptions{Read: opt.Read, Decode: opt.Decode, Context: opt.Context}))
		wrong := func(format string, args ...any) {
			panic(try.Failure{Err: &DataError{Path: path, Message: fmt.Sprintf(format, args...)}})
		}
		if g.Names == nil {
			wrong("the matrix has no names, so its rows cannot be matched with options. Add a header and a first column with the options")
		}
		added, enough := bend(g.Values)
		if !enough {
			wrong("the matrix is not positive semi-definite, so it cannot state how alike options are. Check that no pair is more alike " +
				"than an option is with itself. Adding 0.01 to the diagonal may help")
		}
		if added > 0 {
			p.Notes = append(p.Notes, Note{Kind: NoteBent, Path: path, Numbers: []float64{added}})
		}
		s := Similar{Values: g.Values, Source: g.Source}
		s.Column, s.Rows = p.relatives(column, g.Names, wrong)
		p.Similar = append(p.Similar, s)
		p.Notes = append(p.Notes, g.Notes...)
	}
}

// relatives returns the column whose values the matrix names, and the row of each arm. If the user states no column, it is
// the column whose values all have a row.
func (p *Problem) relatives(column string, names []string, wrong func(format string, args ...any)) (string, []int) {
	columns := []string{""} // for a table with one row per arm
	if p.Long != nil {
		columns = p.Long.Arm
	}
	if column != "" {
		is := func(name string) bool { return strings.EqualFold(name, column) }
		if columns = lists.Where(columns, is); len(columns) == 0 {
			if p.Long == nil {
				wrong("%q is not a column of options. In this table, the options have names only: leave the column out", column)
			}
			wrong("%q is not a column of options. The matrix cannot be matched. Choose one of %s", column, listed(p.Long.Arm))
		}
	}
	at := lists.Keyed(names, func(i int, name string) (string, int) { return name, i })
	var missing []string
	for _, name := range columns {
		var rows []int
		var without []string
		for i := range p.N() {
			row, option, known := p.relative(at, name, i)
			if rows = append(rows, row); !known {
				without = lists.Add(without, option)
			}
		}
		if without == nil {
			if len(columns) == 1 && column == "" {
				name = ""
			}
			return name, rows
		}
		if missing == nil || len(without) < len(missing) {
			missing, column = without, cmp.Or(column, name)
		}
	}
	of := ""
	if len(columns) > 1 {
		of = " in any column of options"
	}
	wrong("%s without a row%s: %s. The rows begin with %s. An option needs a row: 1 on the diagonal and 0 elsewhere means unrelated",
		sentence.Count(len(missing), "option"), of, listed(missing), listed(names[:min(3, len(names))]))
	return "", nil
}

// relative finds the row of an arm by a text in a column, or by the arm's name.
func (p *Problem) relative(at map[string]int, column string, i int) (row int, option string, known bool) {
	texts := []string{p.Arms.Names[i]}
	if c := slices.Index(p.Arms.Columns, column); c >= 0 {
		texts = []string{p.ArmText(c, i), plainNumber(p.Arms.Value(c, i))}
		if p.Categories[column] != nil {
			texts = texts[:1]
		}
	}
	for _, text := range texts {
		if row, known = at[text]; known {
			return row, text, true
		}
	}
	return 0, texts[0], false
}
