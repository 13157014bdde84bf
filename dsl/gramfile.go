package dsl

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// gramKernel builds table of a Gram matrix in a file. The kernel holds the numbers, so it prints
// and travels without the file.
func gramKernel(c *call, entry kernels.Entry) (any, error) {
	path := c.text("values")
	opt := problem.LoadOptions{Read: c.e.read}
	g, err := computed(c, func() (problem.GramFile, error) {
		return c.e.session.opt.Host.Gram(c.e.session.path(path), opt)
	})
	if err == nil {
		err = remember(c.e, []problem.Source{g.Source})
	}
	if err != nil {
		a := &argumentError{param: "values", message: fmt.Sprintf("cannot load %q", path), err: err}
		if errors.Is(err, fs.ErrNotExist) {
			a.hint = suggestFile(c.e.session, path)
		}
		return nil, a
	}
	if names := c.arg("names"); names.known() {
		list, _ := names.Data.([]value)
		words := texts(names.value)
		if len(words) != len(list) {
			return nil, &argumentError{param: "names", message: "table: names must be a list of names", err: errors.New("it has something else in it")}
		}
		if err := g.MatchNames(words); err != nil {
			return nil, &argumentError{param: "names", message: "table: the names do not fit the file", err: err}
		}
	}
	if c.e.st == c.e.own {
		c.e.session.note(g.Notes)
	}
	args := kernels.Args{"values": g.Values}
	if g.Names != nil {
		args["names"] = g.Names
	}
	k, err := entry.Build(args)
	if err != nil {
		return nil, &argumentError{param: "values", message: fmt.Sprintf("%q is not a kernel", path), err: err}
	}
	return k, nil
}
