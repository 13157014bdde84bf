package model

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
)

// Bound is what an algorithm takes for granted of the reward function, normalised.
type Bound struct {
	Norm   float64 // of a function of the kernel's space
	Misfit float64 // how far any expected reward may be off that function
}

// Price says how the samples of an algorithm grow with what its Bound has.
type Price struct {
	Norm float64 // the power of the norm that they grow with, on smooth kernels
	// about the sum of the absolute values with which what expected rewards are off counts in an estimate of
	// a gap
	Coefficients float64
}

// The prices of walks, which know their coefficients and add them up over their bets, and of the widths of
// eliminations, which bound them by the root of the design's value.
var (
	PriceOfWalks  = Price{Norm: 0.4, Coefficients: 3}
	PriceOfWidths = Price{Norm: 1, Coefficients: 15}
)

// Bounded returns the norm and the misfit that are stated; without a norm those of Smooth, or the norm of
// the known expected rewards themselves.
func (m *Model) Bounded(opt engine.Options, price Price) (Bound, error) {
	b := Bound{Norm: opt.Norm, Misfit: opt.Misfit / m.Unit}
	if opt.Norm > 0 {
		return b, nil
	}
	near, found, err := m.Smooth(opt, price)
	if err != nil {
		return b, err
	}
	if found {
		return Bound{Norm: near.Norm, Misfit: max(b.Misfit, near.Misfit/m.Unit)}, nil
	}
	b.Norm, err = m.Norm()
	return b, err
}

const (
	// cheap is the part of a gap that a bias may have for more directions not to be looked at.
	cheap = 0.05
	// fewFitted and mostFitted are the ranks of fits; fitWork bounds N·rank² beyond witnessMost arms.
	fewFitted, mostFitted = 256, 700
	fitWork               = 1e10
)

// fitRanks returns the ranks of fits, the cheap one first.
func (m *Model) fitRanks() [2]int {
	most := mostFitted
	if n := m.Problem.N(); n > witnessMost {
		most = min(mostFitted, int(math.Sqrt(fitWork/float64(n))))
	}
	return [2]int{min(fewFitted, most), most}
}

// Smooth returns the function of the kernel's space, and its distance from the known expected rewards,
// under which an algorithm that allows for both takes about the fewest samples; false where the expected
// rewards themselves are as good. Those that were rounded, as in a table, have a norm of their own that is
// larger by what the rounding takes to follow: of 2,000 arms and four decimals twenty times as large.
//
// The cost is S^a/(g - cη)², with S the norm, η the distance, a and c of the price, and g the smallest gap, or
// epsilon where that is larger.
func (m *Model) Smooth(opt engine.Options, price Price) (near Near, found bool, err error) {
	gap, err := m.gapOf(engine.Options{Epsilon: opt.Epsilon})
	if err != nil || math.IsInf(gap, 1) {
		return near, false, nil // nothing is known, or nothing to decide
	}
	bias := func(n Near) float64 { return price.Coefficients * max(n.Misfit, opt.Misfit) / (gap * m.Unit) }
	cost := func(n Near) float64 {
		if bias(n) >= 1 {
			return math.Inf(1)
		}
		return math.Pow(n.Norm, price.Norm) / math.Pow(1-bias(n), 2)
	}
	for _, rank := range m.fitRanks() {
		fits, err := m.ridgeFits(rank)
		if err != nil {
			return near, false, err
		}
		if near, found = fits.least(cost); found && bias(near) <= cheap {
			return near, true, nil
		}
	}
	if norm, err := m.Norm(); err == nil && (!found || cost(Near{Norm: norm}) <= cost(near)) {
		return near, false, nil
	}
	return near, found, nil
}

// NormTooSmall reports whether a stated norm is smaller than that of the expected rewards, and returns this:
// of a function within what a test may allow for (Smooth), since rounding adds to it. False where the
// norm of so many arms is not computed.
func (m *Model) NormTooSmall(opt engine.Options) (norm float64, small bool) {
	const slack = 1e-9
	if opt.Norm == 0 {
		return 0, false
	}
	norm, err := m.Norm()
	if err != nil || opt.Norm >= norm*(1-slack) {
		return norm, false
	}
	if near, found, err := m.Smooth(opt, PriceOfWalks); err == nil && found {
		norm = near.Norm
	}
	return norm, opt.Norm < norm*(1-slack)
}

// Closest returns the function of at most that norm (in units of Norm) that is nearest to the known
// expected rewards among ridge fits; false where none was found, or arms are so many that what a result
// says would take longer than the run.
func (m *Model) Closest(norm float64) (Near, bool, error) {
	if m.Problem.N() > witnessMost {
		return Near{}, false, nil
	}
	fits, err := m.ridgeFits(m.fitRanks()[1])
	near, found := fits.least(func(n Near) float64 {
		if n.Norm > norm {
			return math.Inf(1)
		}
		return n.Misfit
	})
	return near, found, err
}
