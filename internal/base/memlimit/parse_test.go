package memlimit_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]float64{"4GB": 4e9, "500MB": 5e8, "1.5GiB": 1.5 * (1 << 30), "2 TB": 2e12, "7KiB": 7168} {
		if got, err := memlimit.Parse(text); err != nil || got != want {
			t.Errorf("%q: %v bytes, error %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "4", "GB", "-1GB", "0MB", "4gb", "1e999GB", "1e99GB", "1e-30GB", "infGB", "NaNGB", "4GB more"} {
		if got, err := memlimit.Parse(text); err == nil {
			t.Errorf("%q: %v bytes", text, got)
		}
	}
}
