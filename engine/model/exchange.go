package model

import (
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// startPart is the part of ξ that the arms, with which a certified design begins, leave of a squared length.
const startPart = 1

// Certifier computes designs of very many arms with both ends, each from the one before.
type Certifier struct{ x *design.Exchange }

// Certifier returns a Certifier for a ridge, of designs within 2 %.
func (m *Model) Certifier(ridge float64) (*Certifier, error) {
	return m.CertifierWithin(ridge, certifiedTolerance)
}

// CertifierWithin returns a Certifier of designs whose relative gap is a small multiple of the tolerance.
func (m *Model) CertifierWithin(ridge, tolerance float64) (*Certifier, error) {
	xi := m.Normalised(ridge)
	pivots, err := m.Pivots(MostPivots, startPart*xi)
	if err != nil {
		return nil, err
	}
	x, err := m.exchange(xi, pivots, m.Solver(tolerance))
	return &Certifier{x}, err
}

// exchange returns a search for designs that begins with some arms; ξ is normalised.
func (m *Model) exchange(xi float64, arms []int, opt design.Options) (*design.Exchange, error) {
	in := design.Values{Squares: m.Variances(), Precision: m.Precision, Ridge: xi, Inner: m.inner()}
	in.Among = func(arms []int) (func(dst []float64, i, from int), error) {
		among, err := m.Among(arms)
		if err != nil {
			return nil, err
		}
		return func(dst []float64, i, from int) { kernels.Part(among, dst, i, from) }, nil
	}
	return design.NewExchange(in, arms, opt)
}

// Design returns the design of all pairs within groups, or of listed contrasts.
func (c *Certifier) Design(of design.Contrasts) (design.Design, error) { return c.x.Minimax(of) }
