package algorithms

import (
	"errors"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Models with other rewards, budgets or orders of work may share a memory concurrently (the race detector watches), and values that
// depend on rewards are not mixed up.
func TestMemoryIsShared(t *testing.T) {
	memory := new(model.Memory)
	var wg sync.WaitGroup
	for _, gap := range []float64{0.1, 0.2, 0.4} {
		for number := 1; number <= 3; number++ {
			wg.Go(func() {
				p, err := problem.PaperCase(number, gap)
				if err != nil {
					t.Error(err)
					return
				}
				shared, err := model.New(p, 0)
				if err != nil {
					t.Error(err)
					return
				}
				shared.Share(memory)
				alone, _ := model.New(p, 0)
				for _, ridge := range []float64{0, 1e-9} {
					a, errA := shared.Truth().Hardness(ridge, 0)
					b, errB := alone.Truth().Hardness(ridge, 0)
					c, errC := shared.Designs().Design(ridge, p.Groups())
					d, errD := alone.Designs().Design(ridge, p.Groups())
					if err := errors.Join(errA, errB, errC, errD); err != nil || a.Value != b.Value || c.Value != d.Value {
						t.Errorf("case %d, gap %g: rho* %v and %v, rho %v and %v, %v", number, gap, a.Value, b.Value, c.Value, d.Value, err)
					}
				}
			})
		}
	}
	wg.Wait()
}
