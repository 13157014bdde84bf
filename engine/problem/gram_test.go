package problem

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Gram matrices as programs write them are read, or refused with the place.
func TestLoadGram(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"numbers alone", "1,0.5\n0.5,2\n", "[[1 0.5] [0.5 2]] []"},
		{"numpy.savetxt", "1.000000e+00 , 5.000000e-01\n5.000000e-01 , 1.000000e+00\n", "[[1 0.5] [0.5 1]] []"},
		{"pandas", ",a,b\na,1,0.5\nb,0.5,2\n", "[[1 0.5] [0.5 2]] [a b]"},
		{"pandas, index=False", "a,b\n1,0.5\n0.5,2\n", "[[1 0.5] [0.5 2]] [a b]"},
		{"R write.csv2", "\"\";\"a\";\"b\"\r\n\"a\";1;0,5\r\n\"b\";0,5;2\r\n", "[[1 0.5] [0.5 2]] [a b]; FILE: columns are separated by semicolons, numbers have decimal commas"},
		{"R write.table", "\"a\"\t\"b\"\n\"a\"\t1\t0.5\n\"b\"\t0.5\t2\n", "[[1 0.5] [0.5 2]] [a b]; FILE: columns are separated by tabs"},
		{"names of rows alone", "a,1,0.5\nb,0.5,2\n", "[[1 0.5] [0.5 2]] [a b]"},
		{"names that are numbers", "task,3,1\n3,1,0.5\n1,0.5,2\n", "[[1 0.5] [0.5 2]] [3 1]"},
		{"Excel", "sep=;\n;a;b;;\na;1;0,5;;\nb;0,5;2;;\n;;;;\n", "[[1 0.5] [0.5 2]] [a b]; FILE: columns are separated by semicolons, numbers have decimal commas"},
		{"one point", "1\n", "[[1]] []"},
		{"rounding", "1,0.50000000001\n0.49999999999,1\n", "[[1 0.5] [0.5 1]] []"},

		{"empty", "\n", "FILE: no data: expected a square matrix"},
		{"not square", "1,0.5,0.1\n0.5,2,0.1\n0.1,0.1,1\n0,0,0\n0,0,0\n", "FILE:1:1: this row has 3 values, but there are 5 rows. A Gram matrix is square; a header and a first column of names are allowed"},
		{"ragged", "1,0.5\n0.5\n", "FILE:2:1: this row has 1 value, but there are 2 rows. A Gram matrix is square; a header and a first column of names are allowed"},
		{"asymmetric", ",a,b\na,1,0.5\nb,0.4,2\n", "FILE:3:3: the matrix must be symmetric, but it has 0.4 here and 0.5 in line 2, column 5. Correct one of them"},
		{"indefinite", "1,2\n2,1\n", "FILE: table: not positive semi-definite: the smallest eigenvalue is -1; it must be at least 0 (down to -1e-08 counts as rounding); a table near this one that is: [[1, 1], [1, 1]]"},
		{"a gap", "1,\n,1\n", "FILE:1:3: expected a finite number, the cell is empty"},
		{"rounded", "1,0.333333,0.666667\n0.333333,0.111111,0.222222\n0.666667,0.222222,0.444444\n", "[[1.000001 0.333333 0.666667] [0.333333 0.111112 0.222222] [0.666667 0.222222 0.444445]] []; " +
			"FILE: the matrix is not exactly positive semi-definite, maybe because its numbers are rounded. To repair it, 1e-06 is added to its diagonal"},
		{"a word", "1,x\nx,1\n", `FILE:1:3: expected a finite number, got "x"`},
		{"other order", ",a,b\nb,1,0.5\na,0.5,2\n", `FILE:1:2: column "a" is in the position of row "b". Rows and columns must have the same names in the same order`},
		{"a name twice", "a,a\n1,0\n0,1\n", `FILE:1:3: the name "a" appears twice. A Gram matrix has one row and one column for each point`},
		{"no name", ",a,\na,1,0\n,0,1\n", "FILE:3:1: a row or column without a name"},
		{"Latin-1", "\xe9,1\n", "FILE:1:1: not UTF-8; save the file as UTF-8"},
	} {
		g, err := LoadGram("FILE", LoadOptions{Read: func(string) ([]byte, error) { return []byte(c.text), nil }})
		got := fmt.Sprint(g.Values, " ", g.Names)
		if len(g.Notes) > 0 {
			got += "; " + strings.Join(sentencesOf(g.Notes), "; ")
		}
		var data *DataError
		if err != nil {
			if got = err.Error(); !errors.As(err, &data) || g.Values != nil {
				t.Errorf("%s: %v with error %v", c.name, g, err)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestMatchNames(t *testing.T) {
	bare, named := GramFile{Values: [][]float64{{1, 0}, {0, 1}}}, GramFile{Values: [][]float64{{1, 0}, {0, 1}}, Names: []string{"a", "b"}, Source: Source{Path: "g.csv"}}
	if err := bare.MatchNames([]string{"b", "a"}); err != nil || !slices.Equal(bare.Names, []string{"b", "a"}) {
		t.Errorf("%v, error %v", bare.Names, err)
	}
	if err := named.MatchNames([]string{"b", "a"}); err != nil || !slices.Equal(named.Names, []string{"a", "b"}) {
		t.Errorf("%v, error %v: the file says which row is whose", named.Names, err)
	}
	for names, want := range map[string]string{"a": "g.csv: 2 rows, but names= has 1", "a c": `g.csv: no row is named "c". The rows are a, b. Leave names= out, or write names of the file`} {
		if err := named.MatchNames(strings.Fields(names)); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// FuzzLoadGram wants no panic from any text, and an error with its file or a whole matrix.
func FuzzLoadGram(f *testing.F) {
	for _, text := range []string{"1,0.5\n0.5,2\n", ",a,b\na,1,0\nb,0,1\n", "a\tb\na\t1\t0\nb\t0\t1\n", "1\n", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := LoadGram("g.csv", LoadOptions{Read: func(string) ([]byte, error) { return text, nil }})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "g.csv") {
				t.Errorf("error %v", err)
			}
			return
		}
		if g.Names != nil && len(g.Names) != len(g.Values) {
			t.Errorf("%d names of %d rows", len(g.Names), len(g.Values))
		}
		for i, row := range g.Values {
			for j := range row {
				if len(row) != len(g.Values) || row[j] != g.Values[j][i] {
					t.Fatalf("not square and symmetric: %v", g.Values)
				}
			}
		}
	})
}
