package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// exampleArgs builds every catalogue entry as its example does.
var exampleArgs = map[string]Args{
	"linear":     {"bias": 1.},
	"constant":   {"value": 2.},
	"rbf":        {"lengthscale": .5},
	"matern":     {"nu": 1.5, "lengthscale": .5},
	"rq":         {"lengthscale": .5, "alpha": 2.},
	"polynomial": {"degree": 3., "bias": 1.},
	"periodic":   {"period": 2., "lengthscale": .7},
	"cosine":     {"period": 2.},
	"category":   {"similarity": .3},
	"table":      {"values": [][]float64{{1, .6}, {.6, 1}}, "names": []string{"oslo", "rome"}},
	"identity":   {},
}

// samples returns the kernels under test for one entry: its example, its defaults, every choice,
// and combinations that take other paths.
func samples(t *testing.T, e Entry) []Kernel {
	t.Helper()
	all := []Args{exampleArgs[e.Name]}
	required := slices.ContainsFunc(e.Params, func(p Param) bool { return p.Default == "" })
	if !required {
		all = append(all, Args{})
	}
	for _, p := range e.Params {
		for _, c := range p.Choices {
			all = append(all, Args{p.Name: c})
		}
	}
	var ks []Kernel
	for _, a := range all {
		k, err := e.Build(a)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		ks = append(ks, k, Scaled{2.5, k}, Power{k, 2}, Sum{[]Kernel{k, Identity{}}}, Product{[]Kernel{k, k}})
	}
	return ks
}

// testPoints returns 40 points in d columns named oslo and rome alternately where names do not
// matter, in three arrangements.
func testPoints(t *testing.T, d int, arrangement string) *Points {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(d)))
	const n = 40
	names, rows, columns := make([]string, n), make([][]float64, n), make([]string, d)
	for c := range columns {
		columns[c] = fmt.Sprintf("x_%d", c+1)
	}
	for i := range rows {
		names[i] = []string{"oslo", "rome"}[i%2]
		rows[i] = make([]float64, d)
		for c := range rows[i] {
			switch arrangement {
			case "random":
				rows[i][c] = rng.NormFloat64()
			case "clustered": // ten points, each four times within 1e-9
				rows[i][c] = math.Sin(float64(3*(i%10)+c)) + 1e-9*rng.NormFloat64()
			case "codes": // few different values, many equal points
				rows[i][c] = float64(rng.IntN(3))
			}
		}
	}
	return try.Of(NewPoints(columns, names, rows))
}

func TestCatalogueConformance(t *testing.T) {
	var short []int // half of the points, each twice where they are clustered
	for i := range 20 {
		short = append(short, i)
	}
	for _, e := range Catalogue() {
		t.Run(e.Name, func(t *testing.T) {
			for _, k := range samples(t, e) {
				for _, d := range []int{1, 2, 5} {
					for _, arrangement := range []string{"random", "clustered", "codes"} {
						p := testPoints(t, d, arrangement)
						if testing.Short() {
							p = p.Subset(short)
						}
						conform(t, k, p)
					}
				}
			}
		})
	}
}

// The catalogue's facts about a kernel's length scales and smoothness are true of its values on a
// line: they fall with the distance or not, and the fourth difference around 0 falls as h⁴, or more
// slowly if functions need not be twice differentiable [RW06, sec. 4.1.1].
func TestCatalogueFacts(t *testing.T) {
	at := func(x float64) Point { return Point{X: []float64{x}} }
	for _, e := range Catalogue() {
		if !slices.ContainsFunc(e.Params, func(p Param) bool { return p.Kind == ColumnsKind }) {
			continue // it reads no columns
		}
		for _, k := range samples(t, e) {
			if reflect.TypeOf(k) != e.Type || k.Eval(at(0), at(1e-9)) < 0.999*k.Eval(at(0), at(0)) {
				continue // not of the entry itself, or it asks whether values are the same
			}
			falls := k.Eval(at(0), at(40)) < 0.1*k.Eval(at(0), at(0))
			for x := 0.25; x < 40; x += 0.25 {
				falls = falls && k.Eval(at(3), at(3+x)) <= k.Eval(at(3), at(3+x-0.25))
			}
			if _, says := k.(falling); says != falls {
				t.Errorf("%s: it has length scales for Reads: %t; its values fall with the distance: %t", k, says, falls)
			}
			fourth := func(h float64) float64 {
				return 2*k.Eval(at(0), at(2*h)) - 8*k.Eval(at(0), at(h)) + 6*k.Eval(at(0), at(0))
			}
			uneven := math.Abs(fourth(0.02)) > 1e-12 && fourth(0.02) < 12*fourth(0.01)
			smooth, changed := smoother(k)
			if changed != uneven {
				t.Errorf("%s: Smoother gives %s; its functions are rough: %t", k, smooth, uneven)
			}
			if again, changed := smoother(smooth); changed {
				t.Errorf("%s: what is smooth, %s, becomes %s", k, smooth, again)
			}
		}
	}
}

// conform checks what every kernel must satisfy on points.
func conform(t *testing.T, k Kernel, p *Points) {
	t.Helper()
	gram, err := Gram(k, p)
	if err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	n := p.Len()
	bound, _ := Bind(k, p)
	largest := 0.0
	for i := range n {
		largest = max(largest, gram.At(i, i))
	}
	tol := 1e-13 * max(1, largest) // rounding of a few operations on values up to the largest
	row := make([]float64, n)
	for i := range n {
		bound.Row(row, p.Point(i), p, 0)
		for j := range n {
			eval := bound.Eval(p.Point(i), p.Point(j))
			if math.Abs(row[j]-eval) > tol || math.Abs(gram.At(i, j)-eval) > tol {
				t.Fatalf("%s at %d, %d: Eval %v, Row %v, Gram %v", k, i, j, eval, row[j], gram.At(i, j))
			}
		}
	}
	diagonal := try.Of(Diagonal(k, p))
	for i, v := range diagonal {
		if v != gram.At(i, i) {
			t.Fatalf("%s: Diagonal %v, Gram %v", k, v, gram.At(i, i))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, false) {
		t.Fatalf("%s: no eigenvalues", k)
	}
	if low := eigen.Values(nil)[0]; low < -1e-10*largest {
		t.Errorf("%s in d = %d: smallest eigenvalue %v of largest diagonal %v", k, p.Dim(), low, largest)
	}
	from, to := []int{3, 1, 8}, []int{0, n - 1, 3, 17}
	cross := try.Of(Cross(k, p.Subset(from), p.Subset(to)))
	for r, i := range from {
		for c, j := range to {
			if math.Abs(cross.At(r, c)-gram.At(i, j)) > tol {
				t.Fatalf("%s: Cross %v, Gram %v", k, cross.At(r, c), gram.At(i, j))
			}
		}
	}
}

func TestCatalogueExamples(t *testing.T) {
	for _, e := range Catalogue() {
		k := try.Of(e.Build(exampleArgs[e.Name]))
		if k.String() != e.Example {
			t.Errorf("%s: example %q prints as %q", e.Name, e.Example, k)
		}
		if e.Doc == "" || e.Formula == "" || e.Reference == "" || e.Dimensions == "" {
			t.Errorf("%s: documentation is missing: %+v", e.Name, e)
		}
		for _, p := range e.Params {
			if p.Doc == "" {
				t.Errorf("%s: parameter %s has no documentation", e.Name, p.Name)
			}
		}
	}
}

// A kernel that reads columns must read the same ones, however they are ordered, and
// length scales must act as scaled inputs do.
func TestActiveColumns(t *testing.T) {
	p := testPoints(t, 5, "random")
	permuted := *p
	order := []int{3, 0, 4, 2, 1}
	permuted.Columns, permuted.X = make([]string, 5), make([][]float64, 5)
	for to, from := range order {
		permuted.Columns[to], permuted.X[to] = p.Columns[from], p.X[from]
	}
	scaled := *p
	scaled.X = slices.Clone(p.X)
	ell := []float64{0.5, 3}
	for c, column := range []int{4, 1} {
		scaled.X[column] = make([]float64, p.Len())
		for i, v := range p.X[column] {
			scaled.X[column][i] = v / ell[c]
		}
	}
	for _, e := range Catalogue() {
		if !slices.ContainsFunc(e.Params, func(p Param) bool { return p.Name == "dims" }) {
			continue
		}
		byNumber := equalGrams{t, mustBuild(t, e, Args{"dims": []float64{4, 1}}), p}
		byNumber.want(mustBuild(t, e, Args{"dims": []string{"x_5", "x_2"}}), p)
		byNumber.want(mustBuild(t, e, Args{"dims": []string{"x_5", "x_2"}}), &permuted)
		byNumber.want(mustBuild(t, e, Args{"dims": []float64{2, 4}}), &permuted)
		all := equalGrams{t, mustBuild(t, e, Args{}), p}
		all.want(mustBuild(t, e, Args{}), &permuted)
		scale := "lengthscale"
		if e.Name == "periodic" || e.Name == "cosine" {
			scale = "period"
		}
		if slices.ContainsFunc(e.Params, func(p Param) bool { return p.Name == scale }) {
			ard := equalGrams{t, mustBuild(t, e, Args{"dims": []float64{4, 1}, scale: ell}), p}
			ard.want(mustBuild(t, e, Args{"dims": []float64{4, 1}}), &scaled)
			every := equalGrams{t, mustBuild(t, e, Args{scale: []float64{1, 3, 1, 1, 0.5}}), p}
			every.want(mustBuild(t, e, Args{}), &scaled)
			conform(t, every.k, p)
		}
	}
}

// Points so far apart that their squared distance overflows share nothing.
func TestStationaryKernelsFarAway(t *testing.T) {
	p := try.Of(NewPoints([]string{"x"}, []string{"here", "there"}, [][]float64{{0}, {1e200}}))
	row := make([]float64, 2)
	for _, k := range []Kernel{RBF{}, RQ{}, RQ{Alpha: 2}, Matern{Nu: 0.5}, Matern{Nu: 1.5}, Matern{}} {
		k.Row(row, p.Point(0), p, 0)
		if row[0] != 1 || row[1] != 0 || k.Eval(p.Point(0), p.Point(1)) != 0 {
			t.Errorf("%s: Row %v, Eval %v", k, row, k.Eval(p.Point(0), p.Point(1)))
		}
	}
}

// equalGrams compares the Gram matrix of k on p with others.
type equalGrams struct {
	t *testing.T
	k Kernel
	p *Points
}

func (g equalGrams) want(k Kernel, p *Points) {
	g.t.Helper()
	a := try.Of(Gram(g.k, g.p))
	b := try.Of(Gram(k, p))
	if !mat.EqualApprox(a, b, 1e-12) { // rounding: sums in another order, divisions before or after
		g.t.Errorf("%s and %s differ", g.k, k)
	}
}

func mustBuild(t *testing.T, e Entry, a Args) Kernel {
	t.Helper()
	return try.Of(e.Build(a))
}
