package algorithms

import (
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Regime names the form that a test had on the problem, as model.Regimes has it; "" of other algorithms. Where agents test
// alone it names theirs behind it.
func (b Basis) Regime() string {
	if !b.Algorithm.tests() {
		return ""
	}
	regime := cotest.RegimeOf(b.Model, b.Options)
	if b.Algorithm.Shares && regime != model.RegimeAlone {
		return regime
	}
	alone, err := b.Model.Alone()
	if err != nil || regime == model.RegimeBlocks {
		return regime
	}
	var forms []string
	for _, m := range alone {
		form := strings.Replace(cotest.RegimeOf(m, b.Options), model.RegimeTogether, "least squares", 1)
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return model.RegimeAlone + ": " + strings.Join(forms, " or ")
}
