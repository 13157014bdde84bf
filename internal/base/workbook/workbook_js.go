package workbook

import (
	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
)

// CSV converts the first sheet of a workbook that is not empty, or the first table of a Word document, to CSV. It returns
// an error for Parquet, and other data unchanged.
func CSV(a *allowance.Allowance, data []byte) ([]byte, error) {
	switch {
	case has(data, documentPart):
		return document(a, data)
	case has(data, workbookPart):
		return cells(a, data)
	}
	return parquet.CSV(a, data)
}
