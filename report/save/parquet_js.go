package save

import (
	"errors"
	"io"
)

// Parquet returns an error: its encoder would double the size of the page of the browser.
func Parquet(io.Writer, any) error {
	return errors.New("a browser writes no Parquet; save the table as .csv, or run gonb-cope run")
}
