package model

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Exact returns the model with its exact features and its Layout; a model that has them returns
// itself, and so does one of arms apart, which needs none. They are computed once, by whoever needs them first: O(N m²) operations and O(N m) memory
// for a kernel of rank m on the arms, of which there are at most MaxRank. It is an error when the
// context ends, when there is no memory for them, or where the kernel turns out not to be positive
// semi-definite.
func (m *Model) Exact() (*Model, error) {
	if m.Features != nil || m.apartOnly {
		return m, nil
	}
	exact, err := m.exact.get(m.Context(), func() (*Model, error) {
		out := *m
		return &out, out.fill()
	})
	if err != nil {
		return nil, err
	}
	out := *exact // under the context and the Memory that the model has now
	out.ctx, out.Memory = m.ctx, m.Memory
	return &out, nil
}

// fill sets the exact features and what follows from them.
func (m *Model) fill() error {
	f, err := m.source.exact(m.Context())
	if err != nil {
		return fmt.Errorf("problem %q: %w", m.Problem.Name, err)
	}
	m.Features, m.Truncation, m.cut = f.matrix, f.truncation, f.cut
	if m.Layout, err = canon.NewLayout(m.Context(), m.Features, m.Precision); err != nil {
		return fmt.Errorf("problem %q: %w", m.Problem.Name, err)
	}
	m.numberFeatures()
	m.identify()
	return nil
}

// withFeatures returns the model with other features of the same arms.
func (m *Model) withFeatures(features *mat.Dense) (*Model, error) {
	out := *m
	out.derived = true
	out.Features = features
	var err error
	if out.Layout, err = canon.NewLayout(m.Context(), features, m.Precision); err != nil {
		return nil, err
	}
	out.numberFeatures()
	out.identify()
	return &out, nil
}

// numberFeatures sets what the identity has of a model with features.
func (m *Model) numberFeatures() {
	lists := append([][]float64{m.Features.RawMatrix().Data}, m.others()...)
	m.numbers = canon.Fingerprint(lists...) + m.Problem.Noise.UnknownBy
}

// written returns what the identity has of a model without features: its points, and its kernel as it
// is written. A kernel with formulas is like no other, since the text of one is not all that it
// follows from.
func (m *Model) written() string {
	p := m.Problem
	var lists [][]float64
	var words strings.Builder
	for _, points := range []*kernels.Points{p.Tasks, p.Arms} {
		lists = append(lists, points.X...)
		fmt.Fprintf(&words, "%q%q%v", points.Columns, points.Names, points.Units)
	}
	fmt.Fprintf(&words, "%s %s", p.Kernel, p.Noise.UnknownBy)
	if len(p.Kernel.Formulas()) > 0 {
		fmt.Fprint(&words, rand.Uint64(), rand.Uint64())
	}
	text := sha256.Sum256([]byte(words.String()))
	return canon.Fingerprint(append(lists, m.others()...)...) + string(text[:16])
}
