package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
)

// encode returns the body of a fact as JSON.
func encode(body any) ([]byte, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("a fact that cannot be written: %w", err)
	}
	return b, nil
}

// obeyed matches what a terminal obeys, in JSON as it is and written as an escape that no \ precedes.
var obeyed = regexp.MustCompile(`[\x{80}-\x{9f}\x{7f}]|(?:^|[^\\])(?:\\\\)*\\u00(?:0[0-8bBcCeEfF]|1|7[fF]|[89])`)

// CheckText reports JSON of others whose texts a terminal would obey.
func CheckText(body []byte) error {
	if !bytes.Contains(body, []byte(`\u00`)) && !bytes.ContainsAny(body, "\x7f") && bytes.IndexByte(body, 0xc2) < 0 {
		return nil // as nearly always
	}
	if m := obeyed.Find(body); m != nil {
		return fmt.Errorf("it has a control character in it, written as %q", m)
	}
	return nil
}

// decode reads the body of a fact. A field that this program does not know is an error: a later
// version wrote it, or somebody else.
func decode(f Fact, into any) error {
	d := json.NewDecoder(bytes.NewReader(f.Body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows its end")
		}
	}
	if err == nil {
		err = CheckText(f.Body)
	}
	if err != nil {
		return fmt.Errorf("the fact %s cannot be read (%d bytes; another version or another program wrote it): %w", f.Address(), len(f.Body), err)
	}
	return nil
}

// number returns a number that JSON can hold: 0 in place of one that is not finite.
func number(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

func sortedKeys(all ...map[string]any) []string {
	keys := map[string]bool{}
	for _, m := range all {
		for k := range m {
			keys[k] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}
