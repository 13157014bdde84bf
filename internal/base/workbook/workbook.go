//go:build !js

// Package workbook reads and writes Excel workbooks (.xlsx), which other spreadsheet programs also support. It also reads
// the tables of Word documents (.docx).
package workbook

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
)

// CSV converts the first sheet of a workbook that is not empty, the first table of a Word document, or a Parquet file, to
// CSV. It returns other data unchanged. Numbers in a workbook have 15 digits, as in spreadsheets, and dates are as
// displayed. CSV returns an error if the file is damaged or the allowance is exceeded.
func CSV(a *allowance.Allowance, data []byte) ([]byte, error) {
	switch {
	case has(data, documentPart):
		return document(a, data)
	case !has(data, workbookPart):
		return parquet.CSV(a, data)
	}
	size, err := unpackedSize(data)
	if err != nil {
		return nil, err
	}
	if err := a.Ask(perByte * size); err != nil {
		return nil, err
	}
	// The limits keep all parts in memory, so that nothing is written to disk.
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
	return nil, errEmpty
}

// textOf returns a sheet as CSV, or nil if it is empty.
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
		w.Write(append(row, make([]string, width-len(row))...)) // errors are returned by w.Error
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// isTime reports whether a number is displayed as a date or a time.
func isTime(raw, shown string) bool {
	_, err := strconv.ParseFloat(raw, 64)
	return err == nil && strings.ContainsAny(strings.Trim(shown, "-"), "-/:") && !strings.ContainsAny(shown, "eE")
}
