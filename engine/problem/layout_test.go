package problem_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// packed returns a text as gzip writes it.
func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// utf16Text returns a text in UTF-16 after a byte order mark.
func utf16Text(text string, order binary.ByteOrder) string {
	var b bytes.Buffer
	_ = binary.Write(&b, order, utf16.Encode([]rune("\ufeff"+text)))
	return b.String()
}

// What pandas, R, NumPy, spreadsheets and shells write by default is read: here the columns option and yield, of one small table.
func TestDefaultFiles(t *testing.T) {
	const plain = "option,yield\na,1\nb,2\n"
	for name, text := range map[string]string{
		"pandas to_csv":                                   ",option,yield\n0,a,1\n1,b,2\n",
		"pandas to_csv, two indices":                      ",,option,yield\n0,x,a,1\n1,x,b,2\n",
		"pandas to_csv without a label":                   "option,yield\n0,a,1\n1,b,2\n",
		"pandas to_csv in append mode, duplicate columns": "note,option,note,yield\nx,a,,1\n,b,y,2\n",
		"polars":                                 "option,yield\r\na,1.0\r\nb,2.0\r\n",
		"R write.csv":                            "\"\",\"option\",\"yield\"\n\"1\",\"a\",1\n\"2\",\"b\",2\n",
		"R write.csv2":                           "\"\";\"option\";\"yield\"\n\"1\";\"a\";1,0\n\"2\";\"b\";2,0\n",
		"R write.table":                          "\"option\" \"yield\"\n\"1\" \"a\" 1\n\"2\" \"b\" 2\n",
		"R write.table, quotes in a note":        "\"option\" \"yield\" \"note\"\n\"1\" \"a\" 1 \"a \\\"b\\\" c\"\n\"2\" \"b\" 2 NA\n",
		"R write.table without row names":        "option yield\na 1\nb 2\n",
		"R write.table with tabs":                "option\tyield\n1\ta\t1\n2\tb\t2\n",
		"R write.table, names of rows":           "option,yield\n\"Mazda RX4\",a,1\n\"Datsun 710\",b,2\n",
		"R print, aligned":                       "  option yield\n1      a     1\n2      b     2\n",
		"NumPy savetxt":                          "# yield option\n1.0e+00 a\n2.0e+00 b\n",
		"a shell with bars":                      "option|yield\na|1\nb|2\n",
		"Excel, text in Unicode":                 utf16Text("option\tyield\r\na\t1\r\nb\t2\r\n", binary.LittleEndian),
		"PowerShell Export-Csv":                  utf16Text("\"option\",\"yield\"\r\n\"a\",\"1\"\r\n\"b\",\"2\"\r\n", binary.LittleEndian),
		"UTF-16, big end first":                  utf16Text(plain, binary.BigEndian),
		"Excel on a Macintosh":                   "option,yield\ra,1\rb,2\r",
		"Excel, line break in the header":        "option,\"yield\n\"\na,1\nb,2\n",
		"Excel, columns to the right":            "option,yield,,,\na,1,,,\nb,2,,,\n,,,,\n",
		"Excel, a value without a header":        "option,yield,,\na,1,,see below\nb,2,,\n",
		"Excel, ends of rows left out":           "option,yield,note,by\na,1\nb,2,ok,Ada\n",
		"ends of rows with a separator":          "option,yield\na,1,\nb,2,\n",
		"ends of some rows":                      "option,yield\na,1\nb,2,,\n",
		"gzip":                                   packed(plain),
		"gzip of UTF-16":                         packed(utf16Text(plain, binary.LittleEndian)),
		"comments on top":                        "# run 12, on Monday\n# by Ada\noption,yield\na,1\nb,2\n",
		"comments as wide as the table":          "# run,12\noption,yield\na,1\nb,2\n",
		"a comment and the index":                "# exported\n,option,yield\n0,a,1\n1,b,2\n",
		"a header behind a number sign":          "#option,yield\na,1\nb,2\n",
		"blanks after commas":                    "option, yield\na, 1\nb, 2\n",
		"blanks before quotes":                   "option, yield, \"note, long\"\na, 1, \"x, y\"\nb, 2, \"\"\n",
		"empty lines":                            "\n\noption,yield\n\na,1\n\nb,2\n\n",
		"a column of dictionaries":               "option,config,yield\na,\"{'lr': 1, 'x': [1, 2]}\",1\nb,\"{\"\"lr\"\": 2}\",2\n",
		"a column of lists with numbers":         "option,all,yield\na,[1 2],1\nb,\"[1, 2]\",2\n",
		"inches":                                 "option,pipe,yield\na,5\" pipe,1\nb,3/4\",2\n",
		"another column in Latin-1":              "option,Ger\xe4t,yield\na,M\xfchle,1\nb,,2\n",
		"another column with control characters": "option,raw\x1b,yield\na,\x00\x07,1\nb,,2\n",
		"another column twice":                   "x,option,x,x.1,yield\n1,a,2,3,1\n1,b,2,3,2\n",
		"another column, numbers of any size":    "option,loss,yield\na,inf,1\nb,1e999,2\n",
		"other numbers with commas":              "option;price;yield\na;1,5;1\nb;1.234,00 EUR;2\n",
		"sep= and an index":                      "sep=;\n;option;yield\n0;a;1\n1;b;2\n",
		"a column named as a format":             "RDA,option,FEA1,yield\n1,a,1,1\n2,b,1,2\n",
		"another one":                            "PAR1,option,yield\n1,a,1\n2,b,2\n",
		"a long text with lines":                 "option,log,yield\na,\"line 1\nline 2, with a comma\n\",1\nb,,2\n",
	} {
		for _, where := range []string{"", "option != 'none'"} {
			p, err := loadText(text, problem.LoadOptions{Where: where, Compile: byStatus})
			if err != nil {
				t.Errorf("%s, where %q: %v", name, where, err)
			} else if got, want := outcomes(p), "a: 1; b: 2"; got != want {
				t.Errorf("%s, where %q: %s, want %s", name, where, got, want)
			}
		}
		d, err := problem.Describe("runs.csv", problem.LoadOptions{Read: func(string) ([]byte, error) { return []byte(text), nil }})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, c := range d.Columns {
			names = append(names, c.Name)
		}
		if all := strings.Join(names, ","); d.Rows != 2 || !strings.Contains(all, "option") || !strings.Contains(all, "yield") {
			t.Errorf("%s: %d rows of the columns %s", name, d.Rows, all)
		}
	}
}

// A first column without a name has the name that pandas gives it, and so has the second of two alike.
func TestNamesOfUnnamedColumns(t *testing.T) {
	const table = ",lr,lr,yield\na,1,7,1\nb,2,8,2\n"
	p, err := loadText(table, problem.LoadOptions{Long: &problem.Long{Arm: []string{"Unnamed: 0", "lr.1"}, Reward: "yield"}})
	if err != nil || p.Arms.Names[1] != "Unnamed: 0=b, lr.1=8" {
		t.Errorf("error %v", err)
	}
	if p, err := loadText(table, problem.LoadOptions{Long: &problem.Long{Arm: []string{"lr"}, Reward: "yield"}}); err != nil ||
		outcomes(p) != "lr=1: 1; lr=2: 2" || !hasNote(p, `several columns are named "lr". The first is used; the second is renamed "lr.1"`) {
		t.Errorf("error %v, %s", err, outcomes(p))
	}
	const broken = "option,\"yield\r\n(t/ha)\"\na,1\nb,2\n"
	for _, name := range []string{"yield (t/ha)", "yield\n(t/ha)", "yield\r\n(t/ha)", "Yield (t/ha)"} {
		p, err := loadText(broken, problem.LoadOptions{Long: &problem.Long{Arm: []string{"option"}, Reward: name}})
		if err != nil || outcomes(p) != "a: 1; b: 2" {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// A comment below the header is not a row; an option whose name begins with # is.
func TestCommentsBelow(t *testing.T) {
	p, err := loadText("# day 1\noption,yield,done\n#1,1,True\n# lamp changed\n#2,2,False\n#3,,\n# end\n", problem.LoadOptions{})
	if err != nil || outcomes(p) != "#1: 1; #2:; #3:" {
		t.Fatalf("error %v, %s", err, outcomes(p))
	}
	if !hasNote(p, `column "done": runs that may still finish count as not measured, even with a value: 1 False`) {
		t.Errorf("notes %v", p.Notes)
	}
}

// Rows that do not fit the header stay errors with their places, where a guess could be wrong.
func TestRaggedRows(t *testing.T) {
	for _, c := range []struct{ table, want string }{
		{"option,yield\na,3,5\na,4,5\n", "runs.csv:2:1: this line has 3 values, but the header has 2. Put a text that contains the separator in quotes"}, // decimal commas: names of rows differ
		{"option,yield\na,1\nb,2,5\n", "runs.csv:3:1: this line has 3 values, but the header has 2. Put a text that contains the separator in quotes"},
		{"option,yield\nx,a,1,2\ny,b,2,2\n", "runs.csv:2:1: this line has 4 values, but the header has 2. Put a text that contains the separator in quotes"},
		{"option,yield,note\na\nb,2\n", "runs.csv:2:1: this line has 1 values, but the header has 3. Add the missing values, or leave their cells empty"}, // no cell of a column that is named
	} {
		if _, err := loadText(c.table, problem.LoadOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%q: error %v, want %s", c.table, err, c.want)
		}
	}
}

// Columns of two levels, as pandas writes them, get names of both; a repeated name or units alone make no second line.
func TestHeaderOfTwoLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{",,yield,yield\n,,mean,std\nsite,arm,,\nA,x,1.5,0.2\nA,y,2.5,0.3\n", "site arm yield_mean yield_std"},
		{",cost,cost,yield,yield\narm,x,y,x,y\nsite,,,,\nA,2.5,3.5,10.5,9.5\nB,2.4,2.5,10.2,10.3\n", "site cost_x cost_y yield_x yield_y"},
		{",yield,yield\nyear,2020,2021\nsite,,\nA,2.5,3.5\nB,2.4,2.5\n", "site yield_2020 yield_2021"},
		{"id,id,out,out\nsite,arm,yield,cost\nA,x,1.5,2\nA,y,2.5,3\n", "id_site id_arm out_yield out_cost"},
		{"site,yield,yield\nA,1.5,2\nA,2.5,3\nB,1.1,4\n", "site yield yield.1"},
		{"site,yield,cost\n,t/ha,EUR\nA,1.5,2\nA,2.5,3\n", "site yield cost"},
		{"arm,arm,yield\na,b,failed\na,c,2\nb,c,3\n", "arm arm.1 yield"},
	} {
		d := try.Of(problem.Describe("t.csv", problem.LoadOptions{Read: func(string) ([]byte, error) { return []byte(c.text), nil }}))
		var names []string
		for _, column := range d.Columns {
			names = append(names, column.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q has the columns %s, want %s", c.text, got, c.want)
		}
	}
}

// A packed table that will not fit is refused before anything of it is kept.
func TestPackedTableThatCannotFit(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte("arm,reward\n")) // a buffer takes it
	rows := bytes.Repeat([]byte("a,1\n"), 1<<18)
	for range 64 {
		_, _ = w.Write(rows)
	}
	_ = w.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := loadText(b.String(), problem.LoadOptions{Long: &problem.Long{Arm: []string{"arm"}, Reward: "reward"}})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "the limit for a file of this size") {
		t.Errorf("error %v", err)
	}
	if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 16 {
		t.Errorf("%d MB were made", made)
	}
}

// Another kind of file is named for what it is, with how to make a table of it.
func TestOtherFormats(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"{\"a\": [1, 2]}", "JSON, not a table in text. In Python: pandas.read_json(path).to_csv(name, index=False)"},
		{"[{\"a\": 1}]", "JSON, not"}, {"  [\n  {\n", "JSON, not"}, {"{\"a\": 1}\n{\"a\": 2}\n", "JSON with a value in each line, not"},
		{"ARROW1\x00\x00", "an Arrow file, also called Feather, not"}, {"PAR1\x15\x04", "a Parquet file, not"},
		{"PK\x03\x04...xl/workbook.xml", "a workbook of Excel (xlsx), not"},
		{"PK\x03\x04...mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "a workbook of a spreadsheet (ods), not"},
		{"PK\x03\x04...runs.csv", "an archive (zip), or a workbook"}, {"\xd0\xcf\x11\xe0\xa1", "an old file of Excel (xls), not"},
		{packed("X\n\x00\x00\x00\x03"), "a file of R's saveRDS(), not"}, {packed("RDX3\nX\n"), "a file of R's save(), not"},
		{"\x80\x04\x95", "a pickle of Python, not"}, {"\x89HDF\r\n", "an HDF5 file, not"}, {"\x93NUMPY", "an array of NumPy, not"},
		{"<!DOCTYPE html>\n<table>", "a page of HTML, not"}, {"\ufeff<table><tr>", "a page of HTML, not"}, {"<?xml version", "XML, not"},
		{"%PDF-1.7", "a PDF, not"}, {"@RELATION runs\n@attribute y numeric\n", "a file of Weka (ARFF), not"}, {"SQLite format 3\x00", "a database of SQLite, not"},
		{packed("x")[:12], "gzip file cannot be unpacked"}, {packed(packed("option,yield\n")), "a file packed with gzip, not"},
	} {
		_, err := loadText(c.data, problem.LoadOptions{})
		if err == nil || !strings.HasPrefix(strings.Replace(err.Error(), "this is ", "this ", 1), "runs.csv: this "+c.want) {
			t.Errorf("%.20q: error %v, want %s", c.data, err, c.want)
		}
	}
}

// A table with a row for every arm may have an index, too.
func TestWideTableWithIndex(t *testing.T) {
	read := func(string) ([]byte, error) { return []byte(",task,arm,mean\n0,t,a,1\n1,t,b,2\n"), nil }
	p, err := problem.Load("arms.csv", kernels.Joint{}, problem.LoadOptions{Read: read})
	if err != nil || p.N() != 2 {
		t.Errorf("error %v", err)
	}
}

// A DataFrame without names of columns has 0, 1, 2, and its CSV is read by these; a table without a header is not.
func TestCountedColumns(t *testing.T) {
	long := &problem.Long{Arm: []string{"0"}, Reward: "1"}
	for text, wrong := range map[string]bool{"0,1\na,1\nb,2\n": false, ",0,1\n0,a,1\n1,b,2\n": false, "1,2\n3,4\n": true} {
		p, err := problem.Load("a.csv", kernels.Joint{}, problem.LoadOptions{Long: long, Read: func(string) ([]byte, error) { return []byte(text), nil }})
		if (err != nil) != wrong || !wrong && p.N() != 2 {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// Many columns of one name are numbered in time that grows with their number.
func TestManyColumnsOfOneName(t *testing.T) {
	const columns = 50_000
	began := time.Now()
	text := strings.Repeat("c,", columns) + "id,reward\n" + strings.Repeat(",", columns) + "A,1\n"
	s, _, err := problem.ReadSheet(t.Context(), "wide.csv", []byte(text), nil, []string{"id", "reward"})
	if err != nil || s.Columns[columns-1] != fmt.Sprintf("c.%d", columns-1) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
