package export

import (
	"context"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// What the texts and outputs of a report may take. Each has a share by its length, twice and more of what people's texts take; beyond the
// shares there is one rest for the whole report. So the work grows with the length of the notebook and not with the number of its
// cells, and a text that takes too much leaves the others their shares.
const (
	bytesByByte  = 120 // of memory
	htmlByByte   = 120
	stepsByByte  = 200 // work that grows faster than the text
	bytesAtAll   = 32 << 20
	stepsAtAll   = 35_000_000
	bytesOfACell = 50 // of a notebook's file, besides its text
)

// limited returns the options of one report, with what its texts may take together until the context ends.
func (o Options) limited(ctx context.Context) Options {
	o.limits = allowance.New(ctx, "the report", bytesAtAll, stepsAtAll)
	o.texts = map[*notebook.Cell]*written{}
	return o
}

// interrupted reports whether the caller has cancelled the report.
func (o Options) interrupted() bool { return o.limits.Ask(0) != nil }

// share returns the allowance of a text that may take so many bytes for each of its own.
func (o Options) share(source string, byByte int64) *allowance.Allowance {
	n := int64(len(source) + bytesOfACell)
	return o.limits.Share(byByte*n, stepsByByte*n)
}

// read reads a Markdown text.
func (o Options) read(source, name string) *written {
	return readMarkdown(source, name, o.share(source, bytesByByte))
}

// cellText reads a Markdown cell once, for its headings and for itself.
func (o Options) cellText(c *notebook.Cell, name string) *written {
	if o.texts[c] == nil {
		o.texts[c] = o.read(c.Source, name)
	}
	return o.texts[c]
}

// finalText is cellText for the last use of a cell, whose tree is then let go.
func (o Options) finalText(c *notebook.Cell, name string) *written {
	defer delete(o.texts, c)
	return o.cellText(c, name)
}
