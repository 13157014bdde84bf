package main

import (
	"errors"
	"strings"
	"testing"
)

// doctor says in which font figures are seen.
func TestFontFound(t *testing.T) {
	installed := func(families ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, f := range families {
				if f == name {
					return f, nil
				}
			}
			return "DejaVu Sans", nil
		}
	}
	for _, c := range []struct {
		system      string
		match       func(string) (string, error)
		found, fail string
	}{
		{"linux", installed("Liberation Sans"), "Liberation Sans", ""},
		{"linux", installed("Arial"), "Arial", ""},
		{"linux", installed(), "", "use DejaVu Sans"},
		{"linux", func(string) (string, error) { return "", errors.New("no such program") }, "", "fc-match"},
		{"darwin", installed(), "Arial, which comes with this system", ""},
	} {
		found, err := findFont(c.system, c.match)
		if found != c.found || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%s: %q, %v; want %q, %q", c.system, found, err, c.found, c.fail)
		}
	}
}
