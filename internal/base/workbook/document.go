package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// documentPart is the part of a Word document (.docx) that has its text.
const documentPart = "word/document.xml"

var errNoTable = errors.New("the Word document has no table with a heading and a row below it")

// document converts the first table of a Word document to CSV, with the rows of later tables that have the same heading.
func document(a *allowance.Allowance, data []byte) ([]byte, error) {
	size, err := unpackedSize(data)
	if err != nil {
		return nil, err
	}
	if err := a.Ask(perByte * size); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damaged(err)
	}
	part, err := z.Open(documentPart)
	if err != nil {
		return nil, damaged(err)
	}
	defer part.Close()
	tables, err := tablesOf(io.LimitReader(part, size+1))
	if err != nil {
		return nil, fmt.Errorf("the Word document cannot be read: %w", err)
	}
	var rows [][]string
	for _, t := range tables {
		switch {
		case len(t) < 2:
		case rows == nil:
			rows = t
		case slices.Equal(t[0], rows[0]):
			rows = append(rows, t[1:]...)
		}
	}
	if rows == nil {
		return nil, errNoTable
	}
	width := lists.Max(rows, func(row []string) int { return len(row) })
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, row := range rows {
		w.Write(append(row, make([]string, width-len(row))...)) // errors are returned by w.Error
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// tablesOf returns the texts of the cells of each table, row by row. The text of a table within a cell belongs to the cell.
func tablesOf(part io.Reader) (tables [][][]string, err error) {
	d, depth, written := xml.NewDecoder(part), 0, false // written: whether the next text belongs to a cell
	var cell strings.Builder
	for {
		token, err := d.Token()
		switch {
		case err == io.EOF:
			return tables, nil
		case err != nil:
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch name := t.Name.Local; {
			case name == "tbl":
				if depth++; depth == 1 {
					tables = append(tables, nil)
				}
			case depth == 1 && name == "tr":
				last := len(tables) - 1
				tables[last] = append(tables[last], nil)
			case depth == 1 && name == "tc":
				cell.Reset()
			case name == "p" || name == "tab" || name == "br":
				cell.WriteByte(' ')
			}
			written = depth > 0 && t.Name.Local == "t"
		case xml.EndElement:
			written = false
			switch name := t.Name.Local; {
			case name == "tbl":
				depth--
			case depth == 1 && name == "tc":
				rows := tables[len(tables)-1]
				if len(rows) == 0 {
					return nil, errors.New("a cell is outside a row")
				}
				last := len(rows) - 1
				rows[last] = append(rows[last], strings.Join(strings.Fields(cell.String()), " "))
			}
		case xml.CharData:
			if written {
				cell.Write(t)
			}
		}
	}
}
