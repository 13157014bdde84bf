//go:build !js

// Package workbook reads and writes workbooks of Excel (xlsx), which other spreadsheets read and write too.
package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
)

// perByte is about how much memory a byte of an unpacked workbook takes while it is read.
const perByte = 8

// CSV converts the first sheet of a workbook that is not empty, or a Parquet file, to CSV. It returns other data unchanged. Numbers have
// 15 digits, as spreadsheets keep them, and dates their shown form. A damaged file and one that exceeds the allowance are errors.
func CSV(a *allowance.Allowance, data []byte) ([]byte, error) {
	if !is(data) {
		return parquet.CSV(a, data)
	}
	size, err := unpackedSize(data)
	if err != nil {
		return nil, err
	}
	if err := a.Ask(perByte * size); err != nil {
		return nil, err
	}
	// The parts are kept in memory: nothing is written to the disk.
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: size + 1, UnzipXMLSizeLimit: size + 1})
	if err != nil {
		return nil, damaged(err)
	}
	defer f.Close()
	for _, sheet := range f.GetSheetList() {
		text, err := textOf(f, sheet)
		if err != nil {
			return nil, damaged(err)
		}
		if len(text) > 0 {
			return text, nil
		}
	}
	return nil, fmt.Errorf("all sheets of the workbook are empty")
}

func damaged(err error) error { return fmt.Errorf("the workbook cannot be read: %w", err) }

// is reports whether data are a workbook.
func is(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return false
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	return err == nil && slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "xl/workbook.xml" })
}

// unpackedSize returns the number of bytes that the parts of a workbook have by its own statement.
func unpackedSize(data []byte) (int64, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return 0, damaged(err)
	}
	const most = 1 << 40 // the sum of a few sizes that are not true does not overflow
	size := lists.Sum(z.File, func(f *zip.File) int { return int(min(f.UncompressedSize64, most)) })
	return int64(size), nil
}

// textOf returns a sheet as CSV; nothing for an empty one.
func textOf(f *excelize.File, sheet string) ([]byte, error) {
	shown, err := f.GetRows(sheet)
	if err != nil {
		return nil, err
	}
	raw, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, err
	}
	width := lists.Max(raw, func(row []string) int { return len(row) })
	if width == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for r, row := range raw {
		for c, text := range row {
			if r < len(shown) && c < len(shown[r]) && isTime(text, shown[r][c]) {
				row[c] = shown[r][c]
			}
		}
		w.Write(append(row, make([]string, width-len(row))...)) // errors stay in the writer until Flush
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// isTime reports whether a number is shown as a date or a time.
func isTime(raw, shown string) bool {
	_, err := strconv.ParseFloat(raw, 64)
	return err == nil && strings.ContainsAny(strings.Trim(shown, "-"), "-/:") && !strings.ContainsAny(shown, "eE")
}
