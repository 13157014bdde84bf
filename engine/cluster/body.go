package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
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
