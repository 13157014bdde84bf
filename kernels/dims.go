package kernels

import (
	"fmt"
	"slices"
	"strings"
)

// Dims says which feature columns a kernel reads. The zero value means all of
// them. Set Index or Names; Bind resolves Names into Index.
type Dims struct {
	Index []int    // 0-based columns, in the order of the per-column parameters
	Names []string // column names; where set, Index has their numbers
}

// count returns how many columns are read out of dim.
func (d Dims) count(dim int) int {
	switch {
	case len(d.Names) > 0:
		return len(d.Names)
	case len(d.Index) > 0:
		return len(d.Index)
	}
	return dim
}

// at returns the column that is read in place c.
func (d Dims) at(c int) int {
	switch {
	case len(d.Index) > 0:
		return d.Index[c]
	case len(d.Names) > 0:
		panic("kernels: columns are given by name: Bind the kernel to its points first")
	}
	return c
}

// unbind returns the columns as they were written.
func (d Dims) unbind() Dims {
	if len(d.Names) > 0 {
		d.Index = nil
	}
	return d
}

// resolve finds the columns named and checks the numbers given, for the kernel of
// this name in a space of these columns.
func (d Dims) resolve(kernel string, columns []string) (Dims, error) {
	if len(d.Names) > 0 {
		d.Index = make([]int, len(d.Names))
		for i, name := range d.Names {
			d.Index[i] = slices.Index(columns, name)
			if d.Index[i] < 0 {
				return d, wrong(kernel, "dims", "has %q, but the columns are %s%s", name, listing(columns), likely(name, columns))
			}
		}
	}
	return d, d.check(kernel, len(columns))
}

// likely names the column that a name means which lacks the prefix of arm or task features, or has
// other capital letters, as the end of a message; "" for none.
func likely(name string, columns []string) string {
	for _, c := range columns {
		for _, prefix := range []string{"", "x_", "z_"} {
			if strings.EqualFold(c, prefix+name) {
				return fmt.Sprintf("; did you mean %q?", c)
			}
		}
	}
	return ""
}

// check reports columns out of range, or read twice, when there are dim of them.
func (d Dims) check(kernel string, dim int) error {
	for i, c := range d.Index {
		if c < 0 || c >= dim {
			return wrong(kernel, "dims", "has %d, but there are %d columns, numbered from 0", c, dim)
		}
		if slices.Contains(d.Index[:i], c) {
			return wrong(kernel, "dims", "has column %d twice", c)
		}
	}
	return nil
}

// String prints the columns as the value of dims=.
func (d Dims) String() string {
	if len(d.Names) > 0 {
		return quoted(d.Names)
	}
	return strings.ReplaceAll(fmt.Sprint(d.Index), " ", ", ")
}

// listing names a few columns or points in a message.
func listing(names []string) string {
	const most = 8
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return fmt.Sprintf("%s, … (%d in all)", strings.Join(names[:most], ", "), len(names))
	}
	return strings.Join(names, ", ")
}
