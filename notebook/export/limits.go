package export

import (
	"context"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
)

// These are limits of memory and work per report. Each text and output has a share in proportion to its length, at least
// twice what normal texts need. Beyond its share, a text uses a common allowance of the report. So the total work is
// proportional to the notebook's length, and one expensive text cannot use up the shares of others.
const (
	bytesByByte  = 120 // bytes of memory per byte of text
	htmlByByte   = 120
	stepsByByte  = 200 // steps of work that is more than linear, per byte of text
	bytesAtAll   = 32 << 20
	stepsAtAll   = 35_000_000
	bytesOfACell = 50 // counted in addition to the text of each cell
)

// limited returns the options with a new allowance for one report. The allowance ends with the context.
func (o Options) limited(ctx context.Context) Options {
	o.limits = allowance.New(ctx, "the report", bytesAtAll, stepsAtAll)
	return o
}

// interrupted reports whether the report's context has ended.
func (o Options) interrupted() bool { return o.limits.Ask(0) != nil }

// share returns the allowance of one text. byByte is its memory per byte of source.
func (o Options) share(source string, byByte int64) *allowance.Allowance {
	n := int64(len(source) + bytesOfACell)
	return o.limits.Share(byByte*n, stepsByByte*n)
}

// read parses a Markdown text. name is the prefix of its footnotes' IDs.
func (o Options) read(source, name string) *written {
	return readMarkdown(source, name, o.share(source, bytesByByte))
}
