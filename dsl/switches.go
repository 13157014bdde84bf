package dsl

import "github.com/gonb-cope/gonb-cope/kernels"

// IsSwitch reports whether a parameter is true or false, which the language counts as 1 and 0.
func (p Param) IsSwitch() bool {
	return p.Whole && p.Range == kernels.Range{Min: 0, Max: 1}
}

// rule says which numbers a parameter accepts, as it reads after "it must be".
func (p Param) rule() string {
	if p.IsSwitch() {
		return "true or false"
	}
	return p.Range.String()
}

// initial returns the default of a parameter as help shows it.
func (p Param) initial() string {
	switch {
	case p.IsSwitch() && p.Default == "0":
		return "false"
	case p.IsSwitch() && p.Default == "1":
		return "true"
	}
	return p.Default
}
