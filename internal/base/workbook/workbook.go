// Package workbook reads and writes Excel workbooks (.xlsx), which other spreadsheet programs also support. It also reads
// the tables of Word documents (.docx).
package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/parquet"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// CSV converts the first sheet of a workbook that has a table, the first table of a Word document, or a Parquet file, to
// CSV. It returns other data unchanged. Numbers in a workbook have 15 digits, as in spreadsheets, and dates have the form
// 2006-01-02. CSV returns an error if the file is damaged or the allowance is exceeded.
func CSV(a *allowance.Allowance, data []byte) (_ []byte, err error) {
	defer try.Caught(&err)
	read, kind := cells, "workbook"
	switch {
	case has(data, documentPart):
		read, kind = document, "Word document"
	case !has(data, workbookPart):
		return parquet.CSV(a, data)
	}
	damaged := func(err error) error { return fmt.Errorf("the %s cannot be read: %w", kind, err) }
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damaged(err)
	}
	size := int64(lists.Sum(z.File, func(f *zip.File) int { return int(min(f.UncompressedSize64, mostSize)) }))
	try.To(a.Ask(perByte * size))
	rows, err := read(a, archive{z, size})
	if err != nil {
		return nil, damaged(err)
	}
	width := lists.Max(rows, func(row []string) int { return len(row) })
	try.To(a.Ask(int64(width) * int64(len(rows))))
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, row := range rows {
		w.Write(append(row, make([]string, width-len(row))...)) // errors are returned by w.Error
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// Unread returns the names of the sheets that have a table and that CSV does not read; nil for other files.
func Unread(a *allowance.Allowance, data []byte) (unread []string, err error) {
	defer try.Caught(&err)
	if !has(data, workbookPart) {
		return nil, nil
	}
	z := try.Of(zip.NewReader(bytes.NewReader(data), int64(len(data))))
	size := int64(lists.Sum(z.File, func(f *zip.File) int { return int(min(f.UncompressedSize64, mostSize)) }))
	try.To(a.Ask(perByte * size))
	names, rows := sheetsOf(a, archive{z, size})
	found := false
	for k, name := range names {
		if isTable(rows(k)) {
			if found {
				unread = append(unread, name)
			}
			found = true
		}
	}
	return unread, nil
}

// mostSize limits the stated size of a part, because the sum of wrong sizes must not overflow.
const mostSize = 1 << 40

// perByte is roughly the memory in bytes that reading takes per byte of an unpacked file.
const perByte = 8

// has reports whether data is a zip archive with the named part, such as a workbook or a document of an office program.
func has(data []byte, part string) bool {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return false
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	return err == nil && slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == part })
}

// archive is a file of an office program. size is the unpacked size of its parts in bytes, as the file states it.
type archive struct {
	*zip.Reader
	size int64
}

// decoder calls use with a decoder of the named part. It does nothing if there is no such part, for example shared texts.
func (z archive) decoder(name string, use func(*xml.Decoder) error) error {
	f, is := lists.First(z.File, func(f *zip.File) bool { return f.Name == name })
	if !is {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	return use(xml.NewDecoder(io.LimitReader(r, z.size+1)))
}
