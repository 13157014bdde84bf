package report

import (
	"bytes"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestFormulasAreText: no cell of a CSV file of ours is run by a spreadsheet; numbers stay numbers.
func TestFormulasAreText(t *testing.T) {
	var b bytes.Buffer
	l := campaign.List{By: "Ann", Round: 1, Columns: []string{"x_1", "=2+2"}, Rows: []campaign.ListRow{
		{ID: "K7M2PQ", Round: 1, Task: "-2+3", Arm: "=cmd|'/C calc'!A0", X: []float64{-1.5, 0}, Settings: []string{"-1.5", "@SUM(1)"}}}}
	try.To(CSV(&b, l))
	holds(t, b.String(), "'=2+2", "'-2+3", "'=cmd|'/C calc'!A0", ",-1.5,", "'@SUM(1)")
}
