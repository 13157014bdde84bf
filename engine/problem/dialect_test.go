package problem

import (
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestDialectOf reads one table as several spreadsheets write it; what is expected is in the bytes of
// each row.
func TestDialectOf(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Dialect
	}{
		{"plain", "task,arm,x_1,mean\nA,a,0.5,1\nA,b,1,2\n", Dialect{}},
		{"plain with a mark", "\ufefftask,arm,x_1,mean\nA,a,0.5,1\nA,b,1,2\n", Dialect{Mark: true}},
		{"German", "\ufefftask;arm;x_1;mean\r\nA;a;0,5;1\r\nA;b;1;2\r\n", Dialect{Separator: ";", DecimalCommas: true, Mark: true}},
		{"semicolons with points", "task;arm;x_1;mean\nA;a;0.5;1\nA;b;1;2\n", Dialect{Separator: ";"}},
		{"semicolons with whole numbers", "task;arm;x_1;mean\nA;a;5;1\nA;b;1;2\n", Dialect{Separator: ";", DecimalCommas: true}},
		{"tabs with whole numbers", "task\tarm\tx_1\tmean\nA\ta\t5\t1\nA\tb\t1\t2\n", Dialect{Separator: "\t"}},
		{"tabs with commas", "task\tarm\tx_1\tmean\nA\ta\t0,5\t1\nA\tb\t1\t2\n", Dialect{Separator: "\t", DecimalCommas: true}},
		{"a comma in a name is no decimal", "task;arm;x_1;mean\nA;a, b;0.5;1\nA;b;1;2\n", Dialect{Separator: ";"}},
	} {
		p, err := Load(c.name+".csv", independent, LoadOptions{Read: func(string) ([]byte, error) { return []byte(c.text), nil }})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := p.DialectOf(); got != c.want {
			t.Errorf("%s: the dialect is %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := (&Problem{}).DialectOf(); got != (Dialect{}) {
		t.Errorf("without a table the dialect is %+v", got)
	}
}

// TestDialectWrites looks that what is written in a dialect is read as the same number in a table of
// that dialect.
func TestDialectWrites(t *testing.T) {
	german := Dialect{Separator: ";", DecimalCommas: true, Mark: true}
	for _, text := range []string{"0.5", "-1.25e-05", "72", "1e+06", "0"} {
		written := german.Number(text)
		if strings.Contains(written, ".") {
			t.Errorf("%s is written %s", text, written)
		}
		if x, err := german.Reward(written); err != nil || strconv.FormatFloat(x, 'g', -1, 64) != text {
			t.Errorf("%s is written %s and read %g: %v", text, written, x, err)
		}
	}
	for _, c := range []struct {
		from     Dialect
		decimals string
		want     Dialect
	}{
		{Dialect{}, DecimalComma, Dialect{Separator: ";", DecimalCommas: true}},
		{german, DecimalPoint, Dialect{Mark: true}},
		{Dialect{Separator: "\t"}, DecimalComma, Dialect{Separator: "\t", DecimalCommas: true}},
		{Dialect{Separator: "\t", DecimalCommas: true}, DecimalPoint, Dialect{Separator: "\t"}},
		{german, "", german},
	} {
		if got, err := c.from.Written(c.decimals); err != nil || got != c.want {
			t.Errorf("%+v with %q is %+v, %v; want %+v", c.from, c.decimals, got, err, c.want)
		}
	}
	if _, err := german.Written("dot"); err == nil {
		t.Error("decimals may be a dot")
	}
	var b strings.Builder
	w := try.Of(german.Writer(&b))
	w.Write([]string{"id", "a;b", "0,5"})
	if w.Flush(); b.String() != "\ufeffid;\"a;b\";0,5\n" {
		t.Errorf("written is %q", b.String())
	}
}

// A typed value is a finite number in decimal digits, or is refused; a mark that
// may part thousands is not guessed.
func TestRewardsAsTyped(t *testing.T) {
	german := Dialect{Separator: ";", DecimalCommas: true}
	for text, want := range map[string]float64{"12": 12, " -1.5 ": -1.5, "12,5": 12.5, "0,125": 0.125, "1e-3": 0.001, "1,2345": 1.2345, "+4": 4} {
		for _, d := range []Dialect{{}, german} {
			if x, err := d.Reward(text); err != nil || x != want {
				t.Errorf("%q: %g, %v", text, x, err)
			}
		}
	}
	for text, says := range map[string]string{
		"": "is not a number", "much": "is not a number", "NaN": "is not a number", "inf": "is not a number", "0x1p3": "is not a number", "1_000": "is not a number", "４": "is not a number",
		"1.234,5": "is not a number", "1,2,3": "is not a number", "12.5 mg": "is not a number", "1e101": "from -1e100 to 1e100", "-1.8e308": "from -1e100 to 1e100", "1e400": "from -1e100 to 1e100",
	} {
		for _, d := range []Dialect{{}, german} {
			if x, err := d.Reward(text); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%q: %g, %v", text, x, err)
			}
		}
	}
	if x, err := (Dialect{}).Reward("1,234"); err == nil || err.Error() != `"1,234" may mean 1.2340 or 1234. Write it so that only one reading is possible` {
		t.Errorf("%g, %v", x, err)
	}
	if x, err := german.Reward("-12.345"); err == nil || err.Error() != `"-12.345" may mean -12,3450 or -12345. Write it so that only one reading is possible` {
		t.Errorf("%g, %v", x, err)
	}
	if x, err := german.Reward("1,234"); err != nil || x != 1.234 {
		t.Errorf("%g, %v", x, err)
	}
}
