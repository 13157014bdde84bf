package dsl

import (
	"strings"
)

// arguments lists what the function takes, as pairs of name and description.
func (f *Function) arguments() [][2]string {
	var list [][2]string
	for _, p := range f.Params {
		list = append(list, [2]string{p.Name, p.About() + "; " + p.Given()})
	}
	return append(list, f.further()...)
}

// further lists what the function takes besides its parameters.
func (f *Function) further() [][2]string {
	var list [][2]string
	if f.Variadic != "" {
		list = append(list, [2]string{"…", f.Variadic})
	}
	if f.Named != "" {
		list = append(list, [2]string{"name=…", f.Named})
	}
	return list
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
