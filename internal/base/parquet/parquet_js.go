package parquet

import (
	"bytes"
	"errors"
	"os"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
)

// CSV returns an error for a Parquet file, and other data unchanged.
func CSV(_ *allowance.Allowance, data []byte) ([]byte, error) {
	if bytes.HasPrefix(data, []byte("PAR1")) {
		return nil, errors.New("Parquet cannot be read here; save the table as CSV")
	}
	return data, nil
}

// Columns always returns false in the browser.
func Columns(*os.File) ([]string, bool) { return nil, false }
