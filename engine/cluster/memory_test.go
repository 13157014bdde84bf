package cluster_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/exchangetest"
)

func TestMemory(t *testing.T) {
	exchangetest.Run(t, func(*testing.T) func() cluster.Exchange {
		m := cluster.NewMemory()
		m.Patience = exchangetest.Patience
		return func() cluster.Exchange { return m }
	})
}
