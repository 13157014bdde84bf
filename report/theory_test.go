package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Of very many arms both ends of Υ are said, and that the eigenvalues belong to few arms.
func TestSpectrumOfManyArms(t *testing.T) {
	s := bounds.Spectrum{
		Problem: "p", Arms: 10000, Ridge: 1e-3, Joint: []float64{0.5, 0.3, 1e-4}, EffectiveDimension: 2,
		InformationGain: 73.71274, InformationGainUpper: 73.71309,
	}
	const want = "The effective dimension of p is 2; 2 of 10,000 eigenvalues of the joint kernel exceed the ridge ξ = 0.001. " +
		"The allocation has an information gain of 73.7127, and the largest is at most 73.7131. It leaves 9,997 eigenvalues at 0."
	if got := spectrumBlocks(s)[0].(Paragraph).Text; got != want {
		t.Errorf("got:  %s\nwant: %s", got, want)
	}
	rows := quantitiesTable(bounds.Report{InformationGain: 73.71274, InformationGainUpper: 73.71309, InformationGainGap: 4.7e-6}).Rows
	if rows[0][2] != 73.71309 || rows[0][3] != 73.71274 || !strings.HasPrefix(rows[0][1].(string), "maximum") {
		t.Errorf("the row of Υ is %v", rows[0])
	}
}

// The matrices of a long kernel are shown by their size.
func TestShownKernel(t *testing.T) {
	k := kernels.Table{Names: []string{"a (1)", "b]"}}
	for range 40 {
		k.Values = append(k.Values, slices.Repeat([]float64{0.123456}, 40))
	}
	text := "task(free(1)) * arm(free(1) * " + k.String() + " + free(0.2) * " + kernels.Table{Values: k.Values}.String() + ")"
	if got, want := shownKernel(text), "task(free(1)) * arm(free(1) * table(40 × 40 numbers) + free(0.2) * table(40 × 40 numbers))"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if short := "table([[1, 0], [0, 1]])"; shownKernel(short) != short {
		t.Error(shownKernel(short))
	}
}
