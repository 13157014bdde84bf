package memlimit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the names of sizes, longer ones first where one ends in another.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
}

// Parse reads a size of memory in bytes: a number above 0 and a unit, as in 4GB, 500MB or 1.5GiB.
func Parse(text string) (bytes float64, err error) {
	for _, u := range units {
		digits, found := strings.CutSuffix(text, u.name)
		if !found {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64); err == nil && v > 0 && !math.IsInf(v, 0) {
			return v * u.bytes, nil
		}
		break
	}
	return 0, fmt.Errorf("a size of memory must be a number above 0 with a unit, as in 4GB, 500MB or 1.5GiB, got %q", text)
}
