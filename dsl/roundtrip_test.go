package dsl

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// randomKernel draws a kernel of any row of the catalogue, or a combination.
func randomKernel(t *rapid.T, depth int) kernels.Kernel {
	form := 0
	if depth > 0 {
		form = rapid.IntRange(0, 6).Draw(t, "form")
	}
	sub := func() kernels.Kernel { return randomKernel(t, depth-1) }
	var k kernels.Kernel
	var err error
	// Combinations, formulas and free hyperparameters; otherwise a kernel of the catalogue.
	switch form {
	case 1:
		k = kernels.Add(sub(), sub())
	case 2:
		k = kernels.Mul(sub(), sub())
	case 3:
		k, err = kernels.Scale(rapid.SampledFrom([]float64{0, 0.1, 1, 3, 1e-7, 1.0 / 3}).Draw(t, "scale"), sub())
	case 4:
		k, err = kernels.Pow(sub(), rapid.IntRange(1, 4).Draw(t, "exponent"))
	case 6:
		return kernels.Free{Name: "s", Value: 2, Min: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "min"), Max: 4}
	case 5:
		return kernels.Formula{Name: "wave", Params: "x, y", Body: "x[0] * y[0]"}
	default:
		entries := kernels.Catalogue()
		entry := entries[rapid.IntRange(0, len(entries)-1).Draw(t, "entry")]
		k, err = entry.Build(randomArgs(t, entry))
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// randomArgs draws arguments that the parameters allow; every one is sometimes
// left out.
func randomArgs(t *rapid.T, entry kernels.Entry) kernels.Args {
	args := kernels.Args{}
	size := rapid.IntRange(1, 3).Draw(t, "size")
	number := func(p kernels.Param) float64 {
		for { // until the range has it
			v := rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 1, 2}), rapid.Float64Range(1e-9, 1e9)).Draw(t, p.Name)
			if p.Range.Contains(v) {
				return v
			}
		}
	}
	// Names with quotes, braces, tabs and letters of other scripts, which a printed text has to quote.
	names := []string{"x_1", `a "quoted" one`, "größe", "curly {braces} }} {", "tab\tand \\", "日本"}
	for _, p := range entry.Params {
		if p.Default != "" && rapid.Bool().Draw(t, "left out") {
			continue
		}
		switch p.Kind {
		case kernels.NumberKind:
			args[p.Name] = number(p)
			if v := args[p.Name].(float64); v > 0 && rapid.Bool().Draw(t, "free") {
				args[p.Name] = kernels.Free{Value: v}
			}
		case kernels.IntegerKind:
			args[p.Name] = float64(rapid.IntRange(1, 5).Draw(t, p.Name))
		case kernels.ChoiceKind:
			args[p.Name] = rapid.SampledFrom(p.Choices).Draw(t, p.Name)
		case kernels.ListKind:
			list := make([]float64, size)
			for i := range list {
				list[i] = number(p)
			}
			args[p.Name] = list
			// A list of numbers and a free one, which may have a name.
			if rapid.Bool().Draw(t, "free") {
				free := make([]kernels.Free, size)
				for i, v := range list {
					free[i] = kernels.Free{Value: v, Min: v, Max: v}
				}
				last := list[size-1]
				free[size-1] = kernels.Free{Name: rapid.SampledFrom([]string{"", "größe \"a\""}).Draw(t, "name"), Value: last, Min: last / 2, Max: 2 * last}
				args[p.Name] = free
			}
		case kernels.ColumnsKind:
			args[p.Name] = names[:size]
			if rapid.Bool().Draw(t, "by number") {
				args[p.Name] = []float64{0, 2, 5}[:size]
			}
		case kernels.MatrixKind: // a diagonal matrix is positive semi-definite
			rows := make([][]float64, size)
			for i := range rows {
				rows[i] = make([]float64, size)
				rows[i][i] = number(kernels.Param{Name: "diagonal", Range: fromZero})
			}
			args[p.Name] = rows
		case kernels.NamesKind:
			args[p.Name] = names[:size]
		}
	}
	return args
}

// reparse evaluates the text of a kernel.
// The text may use the formula wave, which is defined above it.
func reparse(t *rapid.T, text string) any {
	script, errs := Parse("print.cope", "wave(x, y) = x[0] * y[0]\nk = "+text)
	if len(errs) > 0 {
		t.Fatalf("%s\n%v", text, errs)
	}
	s := NewSession(Options{})
	if _, err := s.Eval(t.Context(), script); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	v, _, _ := s.Value("k")
	return v
}

// A printed kernel must make an equal kernel: the canonical text is what reports
// show and what is compared.
func TestPrintedKernelsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := randomKernel(t, 3)
		got, ok := reparse(t, k.String()).(kernels.Kernel)
		if !ok || !kernels.Equal(got, k) {
			t.Fatalf("%v became %v", k, got)
		}
	})
}

// The same for kernels of two spaces: a sum of terms of either space or both.
func TestPrintedJointKernelsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var j kernels.Joint
		for range rapid.IntRange(1, 4).Draw(t, "terms") {
			term := randomTerm(t)
			j = kernels.AddJoint(j, term)
		}
		var got kernels.Joint
		switch k := reparse(t, j.String()).(type) {
		case kernels.Joint:
			got = k
		case kernels.Kernel: // a sum of constants and identities alone names no space
			got = try.Of(kernels.LiftBoth(k))
		}
		if !got.Equal(j) {
			t.Fatalf("%v became %v", j, got)
		}
	})
}

// randomTerm draws a term of one space, of both alike, or a product.
func randomTerm(t *rapid.T) kernels.Joint {
	var j kernels.Joint
	var err error
	switch rapid.IntRange(0, 4).Draw(t, "term") {
	case 0:
		j = kernels.LiftTask(randomKernel(t, 2))
	case 1:
		j = kernels.LiftArm(randomKernel(t, 2))
	case 2:
		j, err = kernels.LiftBoth(kernels.Identity{})
	case 3:
		j, err = kernels.LiftBoth(kernels.Constant{Value: 2})
	default:
		j, err = kernels.MulJoint(kernels.LiftTask(randomKernel(t, 2)), kernels.LiftArm(randomKernel(t, 2)))
	}
	if err == nil {
		j, err = kernels.ScaleJoint(rapid.SampledFrom([]float64{0.5, 1, 1e-3}).Draw(t, "scale"), j)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}
