package bounds

import (
	"context"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// RankTask returns rank K_Z of a problem, as in Report: the number of eigenvalues of the tasks'
// Gram matrix above 1e-10 of the largest. V / rank K_Z is the speedup that task similarity alone
// predicts [Du23, Section 4.3].
func RankTask(ctx context.Context, p *problem.Problem) (int, error) {
	values, err := taskEigenvalues(ctx, p)
	if err != nil {
		return 0, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return rank(values), nil
}
