package workbook

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
)

// documentPart is the part of a Word document (.docx) that has its text.
const documentPart = "word/document.xml"

// document returns the rows of the first table, with the rows of later tables that have the same heading.
func document(_ *allowance.Allowance, z archive) (rows [][]string, err error) {
	var tables [][][]string
	if err := z.decoder(documentPart, func(d *xml.Decoder) (err error) { tables, err = tablesOf(d); return err }); err != nil {
		return nil, err
	}
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
		return nil, errors.New("it has no table with a heading and a row below it")
	}
	return rows, nil
}

// tablesOf returns the texts of the cells of each table, row by row. The text of a table within a cell belongs to the cell.
func tablesOf(d *xml.Decoder) (tables [][][]string, err error) {
	depth, written := 0, false // written: whether the next text belongs to a cell
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
