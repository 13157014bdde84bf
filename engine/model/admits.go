package model

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// AdmitsAll reports whether the kernel can represent whatever expected rewards the arms have that it
// distinguishes: its rank is the number of different arms of all tasks, counted task by task. What is
// proven for every function of such a kernel is proven for every truth, so data on one arm exclude
// nothing about another. Where blocks of tasks have full rank and the whole does not, tasks say
// something of each other, and it is false.
func (m *Model) AdmitsAll() bool { return m.admits() }

func (m *Model) admitsAll() bool {
	if m.apartOnly || OwnPart(m) > 0 {
		return true
	}
	if m.manyDifferent() {
		return false
	}
	m, err := m.Exact()
	if err != nil || m.cut {
		return false
	}
	different := 0
	for _, group := range m.Problem.Groups() {
		seen := map[string]bool{}
		for _, i := range group {
			id := canon.Fingerprint(m.Features.RawRowView(i))
			if seen[id] {
				continue
			}
			seen[id] = true
			if different++; different > m.Rank() {
				return false
			}
		}
	}
	return different == m.Rank()
}

// manyDifferent reports, from a coarse factor, that there are more arms which differ than the largest
// rank: then no rank is their number, whatever finer features say. It looks at one direction, along
// which arms are no farther apart than they are, and may miss some.
func (m *Model) manyDifferent() bool {
	if m.Features != nil || m.Problem.N() <= m.source.maxRank {
		return false
	}
	f, err := m.Stopped(coarseRank, 0)
	if err != nil {
		return false
	}
	along, different := alongDirection(f.Features), 0
	apart := 3 * math.Sqrt(sameToFactor*m.Diagonal/m.Scale)
	for _, group := range m.Problem.Groups() {
		own := make([]float64, len(group))
		for k, i := range group {
			own[k] = along[i]
		}
		slices.Sort(own)
		last := math.Inf(-1)
		for _, v := range own {
			if v-last > apart {
				different, last = different+1, v
			}
		}
	}
	return different > m.source.maxRank
}

// unrelatedBelow is the correlation of two arms below which a measurement of one takes less than a
// millionth off the prior variance of the other.
const unrelatedBelow = 1e-3

// Unrelated reports whether the kernel takes any two arms for unrelated, as identity() does: their
// correlation is below a thousandth. It looks at the terms of the kernel, and of at most mostUnrelated arms at exact values
// of it, up to the first related pair.
func (m *Model) Unrelated() bool { return m.unrelated() }

func (m *Model) lookUnrelated() bool {
	n := m.Problem.N()
	if m.apartOnly {
		return true
	}
	if OwnPart(m) >= m.Diagonal*(1-unrelatedBelow*unrelatedBelow) { // what is left relates no two arms
		return true
	}
	if n > mostUnrelated {
		return false
	}
	gram, variances := m.Gram(), m.Variances()
	row := make([]float64, n)
	for i := range n {
		kernels.Part(gram, row[:i], i, 0)
		for j, v := range row[:i] {
			if v*v > unrelatedBelow*unrelatedBelow*variances[i]*variances[j] {
				return false
			}
		}
	}
	return true
}

// KernelWarnings says when the kernel admits every truth on these arms, what it is then worth to
// which methods, and what would help.
func (m *Model) KernelWarnings() []engine.Warning {
	kind := engine.WarnAdmitsAll
	switch {
	case m.Problem.N() < 2 || !m.AdmitsAll():
		return nil
	case m.Problem.N() <= comparedArms && m.Unrelated():
		kind = engine.WarnUnrelated
	}
	different := m.Problem.N()
	if OwnPart(m) == 0 {
		different = m.Rank()
	}
	return []engine.Warning{{Kind: kind, Numbers: []float64{float64(different)}}}
}
