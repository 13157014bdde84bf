package kernels

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Table is a kernel given by the similarity of each pair of points. With Names, row i belongs to the point with the name
// Names[i]; without Names, to the point with ID i.
type Table struct {
	Values [][]float64 // symmetric and positive semi-definite
	Names  []string    // name of the point of each row; may be empty

	rows []int // row of each ID; set by Bind
}

var (
	tableParam = Param{
		Name: "values", Synonyms: []string{"matrix", "similarity", "similarities", "B"}, Kind: MatrixKind,
		Doc: "similarity of each pair of points, row by row",
	}
	namesParam = Param{
		Name: "names", Synonyms: []string{"labels", "index", "points", "tasks"}, Kind: NamesKind, Default: "in order of appearance",
		Doc: "the point that each row is for",
	}
)

func (k Table) row(p Point) int {
	switch {
	case k.rows != nil:
		return k.rows[p.ID]
	case len(k.Names) > 0:
		return slices.Index(k.Names, p.Name)
	}
	return p.ID
}

// Eval returns the similarity of x and y.
func (k Table) Eval(x, y Point) float64 { return k.Values[k.row(x)][k.row(y)] }

// Row sets dst[j] = k(x, ys[from+j]).
func (k Table) Row(dst []float64, x Point, ys *Points, from int) {
	values := k.Values[k.row(x)]
	for j := range dst {
		dst[j] = values[k.row(Point{Name: ys.Names[from+j], ID: ys.ID[from+j]})]
	}
}

// String prints the call that makes k.
func (k Table) String() string {
	rows := lists.Map(k.Values, list)
	text := "table([" + strings.Join(rows, ", ") + "]"
	if len(k.Names) > 0 {
		text += ", names=" + quoted(k.Names)
	}
	return text + ")"
}

// label returns the name of row i for a message, or its number from 1 if the table has no names.
func (k Table) label(i int) string {
	if i < len(k.Names) {
		return k.Names[i]
	}
	return fmt.Sprint(i + 1)
}

// Validate checks that the table is square, symmetric, finite and positive semi-definite, and that Names are distinct. It allows a smallest
// eigenvalue down to -1e-8 of the largest diagonal value, for rounding.
func (k Table) Validate(dim int) error {
	n := len(k.Values)
	if n == 0 {
		return fmt.Errorf("table: has no rows")
	}
	if len(k.Names) > 0 && len(k.Names) != n {
		return fmt.Errorf("table: %s for %s", sentence.Count(len(k.Names), "name"), sentence.Count(n, "row"))
	}
	for i, name := range k.Names {
		if slices.Contains(k.Names[:i], name) {
			return fmt.Errorf("table: the name %q appears twice", name)
		}
	}
	for i, row := range k.Values {
		if len(row) != n {
			return fmt.Errorf("table: row %s has %s, but there are %s; the table must be square", k.label(i), sentence.Count(len(row), "value"),
				sentence.Count(n, "row"))
		}
		for j, v := range row {
			if !isFinite(v) {
				return fmt.Errorf("table: row %s, column %s is %s; similarities must be finite numbers", k.label(i), k.label(j), number(v))
			}
		}
	}
	sym := mat.NewSymDense(n, nil)
	for i, row := range k.Values {
		for j, v := range row[:i] {
			if v != k.Values[j][i] {
				return fmt.Errorf("table: not symmetric: row %[1]s, column %[2]s is %[3]s, but row %[2]s, column %[1]s is %[4]s",
					k.label(j), k.label(i), number(k.Values[j][i]), number(v))
			}
		}
		for j := i; j < n; j++ {
			sym.SetSym(i, j, row[j])
		}
	}
	if _, err := definiteness(sym); err != nil {
		err = fmt.Errorf("table: %w", err)
		if near := nearest(sym); near != "" {
			err = &NearError{err, near}
		}
		return err
	}
	return nil
}

// nearest returns a positive semi-definite table close to a small indefinite one, as an expression; "" if it finds none.
// It sets negative eigenvalues to zero, and rescales rows and columns to the given diagonal. It then shrinks the table
// towards its diagonal until the printed digits are positive semi-definite.
func nearest(sym *mat.SymDense) string {
	const most = 6
	n := sym.SymmetricDim()
	var eigen mat.EigenSym
	if n > most || !eigen.Factorize(sym, true) {
		return ""
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	clipped := mat.NewSymDense(n, nil)
	for c, value := range eigen.Values(nil) {
		if value > 0 {
			clipped.SymRankOne(clipped, value, vectors.ColView(c))
		}
	}
	shown := mat.NewSymDense(n, nil)
	for _, shrink := range []float64{1, 0.999, 0.99, 0.95} {
		for i := range n {
			shown.SetSym(i, i, sym.At(i, i))
			for j := range i {
				scale := math.Sqrt(sym.At(i, i) * sym.At(j, j) / (clipped.At(i, i) * clipped.At(j, j)))
				if !isFinite(scale) {
					return ""
				}
				v, _ := strconv.ParseFloat(strconv.FormatFloat(shrink*scale*clipped.At(i, j), 'g', 3, 64), 64)
				shown.SetSym(i, j, v)
			}
		}
		if _, err := definiteness(shown); err == nil {
			rows := lists.Make(n, func(i int) string { return list(mat.Row(nil, i, shown)) })
			return "[" + strings.Join(rows, ", ") + "]"
		}
	}
	return ""
}

func (k Table) bind(p *Points) (Kernel, error) {
	if err := k.Validate(p.Dim()); err != nil {
		return nil, err
	}
	if len(k.Names) == 0 {
		if p.Distinct() != len(k.Values) {
			return nil, fmt.Errorf("table: has %d rows for %d points; give one row per point, or the points of the rows with names=", len(k.Values),
				p.Distinct())
		}
		return k, nil
	}
	k.rows = make([]int, p.Distinct())
	for i, name := range p.Names {
		at := slices.Index(k.Names, name)
		if at < 0 {
			return nil, fmt.Errorf("table: has no row for %q; its names are %s", name, listing(k.Names))
		}
		k.rows[p.ID[i]] = at
	}
	return k, nil
}

var tableEntry = Entry{
	Name: "table", Synonyms: []string{"coregion", "coregionalization", "precomputed", "similarity", "matrix"},
	Formula:    "values[x, y]",
	Doc:        "similarities given as numbers, by the name of the point",
	Reference:  "the intrinsic coregionalisation model: Álvarez, Rosasco and Lawrence, Kernels for vector-valued functions, 2012, sec. 4.2",
	Dimensions: "every d",
	Params:     []Param{tableParam, namesParam},
	Example:    `table([[1, 0.6], [0.6, 1]], names=["oslo", "rome"])`,
}.of(Table{})
