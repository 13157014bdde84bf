package workbook

import (
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
)

// CSV converts the first sheet of a workbook that is not empty to CSV. It returns other data unchanged, except for Parquet, which is an
// error.
func CSV(a *allowance.Allowance, data []byte) ([]byte, error) {
	if is(data) {
		return cells(a, data)
	}
	return parquet.CSV(a, data)
}
