package workbook

import (
	"bytes"
	"errors"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
)

// CSV converts a Parquet file to CSV, and returns other data unchanged. The reader of workbooks would make the page of the browser
// larger, so that a workbook is an error.
func CSV(a *allowance.Allowance, data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return nil, errors.New("a browser cannot read workbooks; paste the cells of the sheet, or save it as CSV")
	}
	return parquet.CSV(a, data)
}
