package problem

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// GramFile is a Gram matrix that was read from a file.
type GramFile struct {
	Values [][]float64 // n × n, symmetric and positive semi-definite
	Names  []string    // n names of the rows; nil if the file has none
	Source Source
	Notes  []Note // how the file was read, as Problem.Notes
}

// gramRounding is the largest difference, relative to the largest entry, of two entries that should be equal by
// symmetry. A smaller difference counts as rounding, and both entries are replaced by their mean.
const gramRounding = 1e-9

// LoadGram reads a Gram matrix: a square table of numbers. A header of names and a first column of names are optional.
// Separators, decimal commas and file formats are those of Load. It uses only Read and Decode of opt. A matrix that is
// slightly indefinite is repaired, with a note. Every error has the path, and errors about a cell also have the line and column.
func LoadGram(path string, opt LoadOptions) (_ GramFile, err error) {
	defer try.Caught(&err)
	g := try.Of(readGram(path, opt))
	if err := (kernels.Table{Values: g.Values, Names: g.Names}).Validate(0); err != nil {
		added, enough := bend(g.Values)
		if !enough {
			return GramFile{}, &DataError{Path: path, Message: err.Error()}
		}
		g.Notes = append(g.Notes, Note{Kind: NoteBent, Path: path, Numbers: []float64{added}})
	}
	return g, nil
}

// readGram is LoadGram without the check that the matrix is positive semi-definite.
func readGram(path string, opt LoadOptions) (_ GramFile, err error) {
	defer try.Caught(&err)
	t, grid := readGrid(path, opt)
	cells, names := square(t, grid)
	g := GramFile{Names: names}
	largest := 0.0
	for _, row := range cells {
		values := lists.Map(row, func(c cell) float64 { return try.Of(t.numberIn(c, "")) })
		g.Values = append(g.Values, values)
		largest = max(largest, lists.Max(values, math.Abs))
	}
	for i, row := range cells {
		for j, c := range row[:i] {
			v, w := g.Values[i][j], g.Values[j][i]
			if math.Abs(v-w) > gramRounding*largest {
				other := cells[j][i]
				panic(t.at(c, "the matrix must be symmetric, but it has %g here and %g in line %d, column %d. Correct one of them", v, w, other.line,
					other.column))
			}
			g.Values[i][j] = v + (w-v)/2
			g.Values[j][i] = g.Values[i][j]
		}
	}
	g.Source, g.Notes = Source{Path: path, SHA256: t.hash, Rows: len(cells)}, t.notes()
	return g, nil
}

// perGramCell is the memory, in bytes, that a cell of a Gram matrix needs.
const perGramCell = 64

// readGrid reads all rows of a table, whose first row need not be a header.
func readGrid(path string, opt LoadOptions) (*table, [][]cell) {
	t, r := openTable(path, opt, true)
	var grid [][]cell
	width := 0
	for row := range t.records(r) {
		if full := len(withoutEmptyEnd(row)); full > 0 && !separatorLine(row) {
			t.make(perGramCell * len(row))
			grid, width = append(grid, slices.Clone(row)), max(width, full)
		}
	}
	if len(grid) == 0 {
		panic(t.at(cell{}, "no data: expected a square matrix"))
	}
	return t, lists.Map(grid, func(row []cell) []cell { return row[:min(width, len(row))] })
}

// square separates a grid into a matrix and the names of its rows; names is nil if the grid has none. If the grid is not
// square, its shape shows whether it has a header or a column of names. A square grid has both or neither: both, if its
// first cell is not a number.
func square(t *table, grid [][]cell) (matrix [][]cell, names []string) {
	widest := lists.Max(grid, func(row []cell) int { return len(row) })
	n := len(grid)
	header := n == widest+1 || n == widest && !t.isNumber(grid[0][0].text)
	rowNames := n == widest && header || n+1 == widest
	size := n - indices.Indicator(header)
	width := size + indices.Indicator(rowNames)
	var columns []cell
	for k, row := range grid {
		cornerless := k == 0 && header && rowNames && len(row) == size // R writes no cell above the row names
		if size < 1 || len(row) != width && !cornerless {
			panic(t.at(row[0],
				"this row has %s, but there are %d rows. A Gram matrix is square; a header and a first column of names are allowed",
				sentence.Count(len(row), "value"), len(grid)))
		}
		name := row[0]
		if rowNames && !cornerless {
			row = row[1:]
		}
		if k == 0 && header {
			columns = row
			continue
		}
		if rowNames {
			names = withName(t, names, name)
		}
		matrix = append(matrix, row)
	}
	if header {
		var of []string
		for k, c := range columns {
			of = withName(t, of, c)
			if rowNames && names[k] != c.text {
				panic(t.at(c, "column %q is in the position of row %q. Rows and columns must have the same names in the same order",
					c.text, names[k]))
			}
		}
		names = of
	}
	return matrix, names
}

// withName appends the name of a point. It returns an error if the name is empty or already used.
func withName(t *table, names []string, c cell) []string {
	if c.text == "" {
		panic(t.at(c, "a row or column without a name"))
	}
	if slices.Contains(names, c.text) {
		panic(t.at(c, "the name %q appears twice. A Gram matrix has one row and one column for each point", c.text))
	}
	t.checkText(c)
	return append(names, c.text)
}

// MatchNames names the rows of a matrix. If the file already has names, they must be the same names, in any order.
func (g *GramFile) MatchNames(names []string) error {
	wrong := func(format string, args ...any) error {
		return &DataError{Path: g.Source.Path, Message: fmt.Sprintf(format, args...)}
	}
	if len(names) != len(g.Values) {
		return wrong("%d rows, but names= has %d", len(g.Values), len(names))
	}
	if g.Names == nil {
		g.Names = names
		return nil
	}
	for _, name := range names {
		if !slices.Contains(g.Names, name) {
			return wrong("no row is named %q. The rows are %s. Leave names= out, or write names of the file", name, listed(g.Names))
		}
	}
	return nil
}

// farScale is the ratio of length scale to column range, or of smallest step to length scale, above which a note is
// shown. At a ratio of 20 an RBF kernel varies by only 0.12 % over the whole column. At a distance of 20 length scales
// an RBF kernel is 1e-87, a Matérn kernel of smoothness 1/2 is 2e-9, and an RQ kernel with alpha 1 is still 0.5 %.
const farScale = 20

// NoteLengthscales adds notes on length scales that do not fit the values of their columns. A length scale is in the
// units of the data, so a default, or a value from another table, may be wrong by far.
func (p *Problem) NoteLengthscales() {
	for k, points := range p.factors() {
		for _, r := range kernels.Reads(k, points) {
			if r.Lengthscale == 0 {
				continue
			}
			if hint, far := lengthscaleHint(r, points); far {
				p.noteOnce(hint)
			}
		}
	}
}

// factors yields each kernel of tasks or of arms in the terms of the problem's kernel, with the points that it compares.
func (p *Problem) factors() iter.Seq2[kernels.Kernel, *kernels.Points] {
	return func(yield func(kernels.Kernel, *kernels.Points) bool) {
		for _, t := range p.Kernel.Terms {
			if t.Task != nil && !yield(t.Task, p.Tasks) || t.Arm != nil && !yield(t.Arm, p.Arms) {
				return
			}
		}
	}
}

// lengthscaleHint returns a note on a length scale that is far from the scale of its column.
func lengthscaleHint(s kernels.Read, p *kernels.Points) (n Note, far bool) {
	values := slices.Compact(slices.Sorted(slices.Values(p.X[s.Column])))
	if len(values) < 2 {
		return Note{}, false
	}
	least, most := values[0], values[len(values)-1]
	step := math.Inf(1)
	for i, v := range values[1:] {
		step = min(step, v-values[i])
	}
	n.Names = []string{s.Kernel, p.Columns[s.Column]}
	switch {
	case s.Lengthscale > farScale*(most-least):
		n.Kind, n.Numbers = NoteLongScale, []float64{s.Lengthscale, most - least, least, most}
	case farScale*s.Lengthscale < step:
		n.Kind, n.Numbers = NoteShortScale, []float64{s.Lengthscale, step, least, most}
	default:
		return Note{}, false
	}
	if p.Units != nil && p.Units[s.Column].Scaled() {
		u := p.Units[s.Column]
		n.Numbers = append(n.Numbers, u.Data(0), u.Data(1))
	}
	return n, true
}

// fewCategories is the number of categories for which codes are always adequate: two categories have no wrong order.
const fewCategories = 2

// noteCategories notes kernels that read the codes of categories as numbers on a scale.
func (p *Problem) noteCategories() {
	for k, points := range p.factors() {
		for _, r := range kernels.Reads(k, points) {
			column := points.Columns[r.Column]
			if r.Kernel != "category" && p.Categories[column] != nil && slices.Max(points.X[r.Column]) >= fewCategories {
				p.noteOnce(Note{Kind: NoteCodes, Path: p.Sources[0].Path, Names: []string{r.Kernel, column}})
			}
		}
	}
}

// Logarithmic returns the problem with the decimal logarithms of some columns of arm features, scaled to [0, 1] as the
// columns are now. All values must be positive.
func (p *Problem) Logarithmic(columns []string) *Problem {
	if len(columns) == 0 {
		return p
	}
	q, units := *p, map[string]kernels.Unit{}
	for c, u := range p.Arms.Units {
		units[p.Arms.Columns[c]] = u
	}
	q.Arms = p.Arms.Unscaled().
		Logarithmic(func(name string) bool { return units[name].Log || slices.Contains(columns, name) }).
		Standardized(func(name string) bool { return !units[name].Ranged() })
	return &q
}

// FeatureWords lists feature columns, with the range of each that was scaled to [0, 1], in the
// units of the data.
func FeatureWords(points *kernels.Points) string {
	words := slices.Clone(points.Columns)
	for c, u := range points.Units {
		if u.Scaled() {
			how := "scaled to 0 to 1"
			if u.Log {
				how = "logarithm, scaled to 0 to 1"
				if !u.Ranged() {
					words[c] += " (logarithm)"
					continue
				}
			}
			words[c] = fmt.Sprintf("%s (%s to %s %s)", words[c], plainNumber(u.Data(0)), plainNumber(u.Data(1)), how)
		}
	}
	return strings.Join(words, ", ")
}
