package save

import (
	"errors"
	"io"
)

// Parquet returns an error in a browser, because the encoder would double the size of the page.
func Parquet(io.Writer, any) error {
	return errors.New("a browser writes no Parquet; save the table as .csv, or run gonb-cope run")
}
