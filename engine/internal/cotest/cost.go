package cotest

import (
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// pricing holds what pulls of different costs change in a design. With costs c_i a pull of arm i
// brings the information 1/(c_i σ_i²) for each unit of cost, so a design in which arms have these
// precisions shares out cost, and its value is the least cost. The pulls are its shares over c_i.
type pricing struct {
	relative []float64    // N costs over their mean; nil where all cost the same
	of       *model.Model // the model that was priced last
	model    *model.Model // with precisions for each unit of cost
}

// priced returns the model whose designs share out cost.
func (t terms) priced(m *model.Model) (*model.Model, error) {
	p := t.pricing
	if p.relative == nil || p.of == m {
		if p.relative == nil {
			return m, nil
		}
		return p.model, nil
	}
	precision := make([]float64, len(m.Precision))
	for i, x := range m.Precision {
		precision[i] = x / p.relative[i]
	}
	priced, err := m.Reweighted(precision)
	if err == nil {
		p.of, p.model = m, priced
	}
	return priced, err
}

// inPulls returns a design that shares out cost as one that shares out pulls: its value is then
// that of its pulls. The weights are of these arms.
func (t terms) inPulls(arms []int, d design.Design) design.Design {
	if t.pricing.relative == nil {
		return d
	}
	sum, weights := 0.0, make([]float64, len(d.Weights))
	for k, i := range arms {
		weights[k] = d.Weights[k] / t.pricing.relative[i]
		sum += weights[k]
	}
	for k := range weights {
		weights[k] /= sum
	}
	d.Weights, d.Value, d.Lower = weights, d.Value*sum, d.Lower*sum
	return d
}

// layout tells which arms are the same to a design; those of different costs are not.
func (t terms) layout() *canon.Layout {
	if t.pricing.relative == nil {
		return t.scales.Model.Layout
	}
	return t.pricing.model.Layout
}
