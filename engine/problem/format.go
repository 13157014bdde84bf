package problem

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"unicode/utf16"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// gzipMark is at the beginning of a file compressed by gzip.
var gzipMark = []byte{0x1f, 0x8b}

// unpacked returns the bytes of a file, decompressed if it is in gzip format. Data that are compressed twice are an
// error, because a file with many layers may be an attack. The file is decompressed twice. The first pass only counts at most
// `most` bytes, and refuses a table that does not fit into memory. So the second pass needs no buffer that grows, which
// would take several times the memory. Each row needs perLine bytes in addition to its cells.
func (t *table) unpacked(data []byte, most int64, perLine int, ctx context.Context) []byte {
	if !bytes.HasPrefix(data, gzipMark) {
		return data
	}
	counted := estimate{size: allowance.New(ctx, "the table", most, allowance.NoLimit), memory: t.allowance, perLine: int64(perLine)}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		_, err = io.Copy(&counted, r)
	}
	if allowance.Ended(err) {
		t.stop(err)
	}
	if err != nil {
		panic(t.at(cell{}, "this gzip file cannot be unpacked (%v)", err))
	}
	t.make(int(counted.bytes))
	out := make([]byte, counted.bytes)
	if err = r.Reset(bytes.NewReader(data)); err == nil {
		_, err = io.ReadFull(r, out)
	}
	t.stop(err)
	return out
}

// estimate is a writer that counts the bytes of a table and requests the memory that the table will need.
type estimate struct {
	size, memory       *allowance.Allowance
	perLine            int64
	bytes, kept, asked int64 // kept is the estimated memory in bytes, asked the part already requested
}

// Write implements io.Writer.
func (c *estimate) Write(b []byte) (int, error) {
	if err := c.size.Make(int64(len(b))); err != nil {
		return 0, err
	}
	c.bytes += int64(len(b))
	lines := int64(bytes.Count(b, []byte{'\n'}))
	cells := lines
	for _, separator := range []byte(",;|\t") {
		cells += int64(bytes.Count(b, []byte{separator}))
	}
	c.kept += 2*int64(len(b)) + perCell*cells + c.perLine*lines // twice the bytes, for the file and the texts of cells; then cells and rows
	if c.kept < c.asked+askedEach {
		return len(b), nil
	}
	c.asked = c.kept
	return len(b), c.memory.Ask(c.kept)
}

// askedEach is the number of bytes after which an estimate requests memory again.
const askedEach = 1 << 24

// formats lists other file formats by their first bytes, with advice on how to convert each to a text table.
var formats = []struct{ begins, is, instead string }{
	{"\x1f\x8b", "a file packed with gzip", "unpack it first"},
	{"PAR1\x15", "a Parquet file", "save it as CSV"},
	{"ARROW1\x00", "an Arrow file, also called Feather", "in Python: pandas.read_feather(path).to_csv(name, index=False)"},
	{"FEA1\x00", "a Feather file", "in Python: pandas.read_feather(path).to_csv(name, index=False)"},
	{"\xff\xff\xff\xff", "a stream of Arrow", "save it as CSV"},
	{"RDX2\n", "a file of R's save()", "in R: load(path), then write.csv(table, name)"},
	{"RDX3\n", "a file of R's save()", "in R: load(path), then write.csv(table, name)"},
	{"RDA2\n", "a file of R's save()", "in R: load(path), then write.csv(table, name)"},
	{"RDA3\n", "a file of R's save()", "in R: load(path), then write.csv(table, name)"},
	{"X\n\x00", "a file of R's saveRDS()", "in R: write.csv(readRDS(path), name)"},
	{"A\n3", "a file of R's saveRDS()", "in R: write.csv(readRDS(path), name)"},
	{"A\n2", "a file of R's saveRDS()", "in R: write.csv(readRDS(path), name)"},
	{"\x80\x02", "a pickle of Python", "in Python: pandas.read_pickle(path).to_csv(name, index=False)"},
	{"\x80\x03", "a pickle of Python", "in Python: pandas.read_pickle(path).to_csv(name, index=False)"},
	{"\x80\x04", "a pickle of Python", "in Python: pandas.read_pickle(path).to_csv(name, index=False)"},
	{"\x80\x05", "a pickle of Python", "in Python: pandas.read_pickle(path).to_csv(name, index=False)"},
	{"\x93NUMPY", "an array of NumPy", "in Python: pandas.DataFrame(numpy.load(path)).to_csv(name, index=False)"},
	{"\x89HDF", "an HDF5 file", "in Python: pandas.read_hdf(path).to_csv(name, index=False)"},
	{"SQLite format 3\x00", "a database of SQLite", "export the table as CSV: sqlite3 -header -csv path 'select * from runs'"},
	{"\xd0\xcf\x11\xe0", "an old file of Excel (xls)", "save its sheet as CSV in UTF-8"},
	{"<stata_dta>", "a file of Stata", "in Stata: export delimited; in Python: pandas.read_stata(path).to_csv(name, index=False)"},
	{"$FL2", "a file of SPSS", "save it as CSV"},
	{"%PDF", "a PDF", "export its tables as CSV, or type them in"},
	{"BZh91AY&SY", "a file packed with bzip2", "unpack it first"},
	{"\xfd7zXZ", "a file packed with xz", "unpack it first"},
	{"\x28\xb5\x2f\xfd", "a file packed with zstd", "unpack it first"},
	{"7z\xbc\xaf", "an archive (7z)", "unpack it first, and give the table in it"},
}

// formatOf names the format of a file that is not a text table, and states how to convert the file; "" for text.
func formatOf(data []byte) (is, instead string) {
	for _, f := range formats {
		if bytes.HasPrefix(data, []byte(f.begins)) {
			return f.is, f.instead
		}
	}
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		switch head := data[:min(len(data), 4096)]; {
		case bytes.Contains(head, []byte("xl/")) || bytes.Contains(head, []byte("[Content_Types].xml")):
			return "a workbook of Excel (xlsx)", "save its sheet as CSV in UTF-8"
		case bytes.Contains(head, []byte("opendocument.spreadsheet")):
			return "a workbook of a spreadsheet (ods)", "save its sheet as CSV in UTF-8"
		case bytes.Contains(head, []byte(".npy")):
			return "arrays of NumPy (npz)", "save them as CSV"
		}
		return "an archive (zip), or a workbook of a spreadsheet", "unpack it and give the table in it, or save the sheet as CSV in UTF-8"
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(data[:min(len(data), 4096)], byteOrderMark))
	lower := bytes.ToLower(text)
	for _, tag := range []string{"<!doctype html", "<html", "<table", "<div", "<head", "<body"} {
		if bytes.HasPrefix(lower, []byte(tag)) {
			return "a page of HTML", "save the table itself: in Python, pandas.read_html(path)[0].to_csv(name, index=False)"
		}
	}
	if bytes.HasPrefix(lower, []byte("@relation")) {
		return "a file of Weka (ARFF)", "in Python: pandas.DataFrame(scipy.io.arff.loadarff(path)[0]).to_csv(name, index=False)"
	}
	rest := bytes.TrimLeft(text, "[{ \t\r\n")
	switch {
	case bytes.HasPrefix(lower, []byte("<?xml")):
		return "XML", "in Python: pandas.read_xml(path).to_csv(name, index=False)"
	case bytes.HasPrefix(text, []byte("{")) && (bytes.HasPrefix(rest, []byte(`"`)) || bytes.HasPrefix(rest, []byte("}"))):
		line, more, _ := bytes.Cut(text, []byte("\n"))
		if bytes.HasSuffix(bytes.TrimSpace(line), []byte("}")) && bytes.HasPrefix(bytes.TrimSpace(more), []byte("{")) {
			return "JSON with a value in each line", "in Python: pandas.read_json(path, lines=True).to_csv(name, index=False)"
		}
		return "JSON", "in Python: pandas.read_json(path).to_csv(name, index=False)"
	case bytes.HasPrefix(text, []byte("[")) && (bytes.HasPrefix(rest, []byte(`"`)) || bytes.HasPrefix(bytes.TrimSpace(text[1:]), []byte("{")) ||
		bytes.HasPrefix(bytes.TrimSpace(text[1:]), []byte("["))):
		return "JSON", "in Python: pandas.read_json(path).to_csv(name, index=False)"
	}
	return "", ""
}

// inUTF8 converts UTF-16, as Excel's "Unicode Text" and Windows PowerShell write it, to UTF-8. It returns other files unchanged.
func inUTF8(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}): // the byte-order mark is converted to UTF-8
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	case len(data) > 3 && data[0] == 0 && data[1] != 0 && data[2] == 0 && data[3] != 0:
		order = binary.BigEndian
	case len(data) > 3 && data[0] != 0 && data[1] == 0 && data[2] != 0 && data[3] == 0:
	default:
		return data
	}
	units := make([]uint16, len(data)/2)
	for k := range units {
		units[k] = order.Uint16(data[2*k:])
	}
	return []byte(string(utf16.Decode(units)))
}

// textOfFile returns the contents of a file as text in UTF-8. It fails if the file is not a text table.
func (t *table) textOfFile(data []byte) []byte {
	if is, instead := formatOf(data); is != "" {
		panic(t.at(cell{}, "this is %s, not a table in text. %s", is, sentence.Upper(instead)))
	}
	data = bytes.TrimSuffix(bytes.TrimRight(inUTF8(data), "\x00"), []byte{0x1a}) // DOS ends a text with 0x1a
	if at := bytes.IndexByte(data, '\r'); at >= 0 && bytes.IndexByte(data, '\n') < 0 {
		return bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	return data
}
