package report

import (
	"fmt"
	"html"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Layout has the user's settings for the layout of a figure. The zero value means the defaults.
type Layout struct {
	Title, XLabel, YLabel *string   // replace the figure's own texts; nil keeps them
	LogX, LogY            *bool     // whether an axis is logarithmic; nil lets the figure decide
	XLim, YLim            []float64 // the ends of an axis, the lower one first; nil lets the figure decide
	Width                 float64   // in columns, see figure.Figure.Width
	// whether to omit reference lines: bounds, requested levels, and lines of equality
	NoReference bool
}

// apply returns figure f with this layout, in all panels. It returns an OptionError if the layout does not suit the
// figure.
func (l Layout) apply(f Figure) (Figure, error) {
	for _, x := range []struct{ of, asked *string }{{&f.Title, l.Title}, {&f.XLabel, l.XLabel}, {&f.YLabel, l.YLabel}} {
		if x.asked != nil {
			*x.of = *x.asked
		}
	}
	if l.Width != 0 {
		f.Width = l.Width
	}
	if wrong := l.check(f); len(wrong) > 0 {
		return f, wrong[0]
	}
	frame := func(f *Figure) {
		if l.LogX != nil {
			f.LogX = *l.LogX
		}
		if l.LogY != nil {
			f.LogY = *l.LogY
		}
		if l.XLim != nil {
			f.XLim = (*[2]float64)(l.XLim)
		}
		if l.YLim != nil {
			f.YLim = (*[2]float64)(l.YLim)
		}
		if l.NoReference {
			f.Lines, f.Series = nil, slices.DeleteFunc(slices.Clone(f.Series), func(s Series) bool { return s.Style == Bound })
		}
	}
	frame(&f)
	f.Panels = slices.Clone(f.Panels)
	for k := range f.Panels {
		frame(&f.Panels[k])
	}
	return f, nil
}

// framed is an axis of a figure, together with the user's options for it.
type framed struct {
	name  string // "x" or "y"
	log   bool
	asked *bool // the user's choice of scale; nil if there is none
	lim   []float64
	// for an axis without numbers: what its labels are, for example "the names of the bars"
	names string
	other string // for an axis without numbers: the axis that has them
}

func (l Layout) axes(f Figure) []framed {
	x := framed{name: "x", log: f.LogX, asked: l.LogX, lim: l.XLim}
	y := framed{name: "y", log: f.LogY, asked: l.LogY, lim: l.YLim}
	for _, a := range []*framed{&x, &y} {
		if a.asked != nil {
			a.log = *a.asked
		}
	}
	for _, p := range append(f.Parts(), f) {
		switch {
		case p.Heat != nil:
			x.names, y.names = "the names of its columns", "the names of its rows"
		case p.InRows():
			y.names, y.other = "the names of the bars", "x"
		case len(p.Categories) > 0:
			x.names, x.other = "names", "y"
		}
	}
	return []framed{x, y}
}

// check returns the mistakes in l for figure f.
func (l Layout) check(f Figure) (out []*OptionError) {
	wrong := func(option, value, rule, hint string) {
		out = append(out, &OptionError{Option: option, Message: option + " is " + value + "; " + rule, Hint: hint})
	}
	if l.Width != 0 && !(l.Width >= Narrowest && l.Width <= Widest) {
		wrong("width", fmt.Sprintf("%g", l.Width), fmt.Sprintf("it must be %g to %g columns", Narrowest, Widest), "")
	}
	if len(f.Units()) > 1 {
		const rule, hint = "the panels have different units", "draw the measures in two figures"
		if l.YLim != nil {
			wrong("ylim", limitsText(l.YLim), rule, hint)
		}
		if l.YLabel != nil {
			wrong("ylabel", fmt.Sprintf("%q", *l.YLabel), rule, hint)
		}
	}
	for _, a := range l.axes(f) {
		a.check(f, wrong)
	}
	return out
}

// limitsText returns the limits of an axis as text.
func limitsText(lim []float64) string {
	return "[" + strings.Join(lists.Map(lim, func(x float64) string { return decimal(x, 0) }), ", ") + "]"
}

// check calls wrong if the figure cannot have the axis limits or the scale in a.
func (a framed) check(f Figure, wrong func(option, value, rule, hint string)) {
	lim, log, logged := a.name+"lim", "log"+a.name, a.asked != nil && *a.asked
	if a.names != "" {
		rule, hint := fmt.Sprintf("the %s axis of this figure has %s, not numbers", a.name, a.names), ""
		if a.other != "" {
			hint = fmt.Sprintf("the numbers are along %s: give %[1]slim or log%[1]s", a.other)
		}
		if a.lim != nil {
			wrong(lim, limitsText(a.lim), rule, hint)
		}
		if logged {
			wrong(log, "true", rule, hint)
		}
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range lists.Where(valuesAlong(f, a.name), isFinite) {
		lo, hi = min(lo, v), max(hi, v)
	}
	switch {
	case logged && lo < 0:
		wrong(log, "true", fmt.Sprintf("a logarithmic axis needs values above 0, and %s is as low as %s", a.name, decimal(lo, 0)), "")
	case a.lim == nil:
	case len(a.lim) != 2 || !(a.lim[0] < a.lim[1]) || !isFinite(a.lim[0]) || !isFinite(a.lim[1]):
		wrong(lim, limitsText(a.lim), "it must be two numbers, the lower one first", "write "+lim+"=[0, 10]")
	case a.log && !(a.lim[0] > 0):
		wrong(lim, limitsText(a.lim), "both ends must be above 0, because the axis is logarithmic", log+"=false makes it linear")
	case lo <= hi && (a.lim[1] < lo || a.lim[0] > hi):
		wrong(lim, limitsText(a.lim), fmt.Sprintf("nothing lies there: %s is between %s and %s", a.name, decimal(lo, 0), decimal(hi, 0)), "")
	}
}

// valuesAlong returns the values of all series along an axis, "x" or "y". The values of horizontal bars are along x.
func valuesAlong(f Figure, axis string) []float64 {
	var out []float64
	for _, p := range f.Parts() {
		for _, s := range p.Series {
			values := s.X
			if (axis == "x") == p.InRows() {
				values = s.Y
			}
			out = append(out, values...)
		}
	}
	return out
}

// tokens matches the coloured parts of a script: the line %%cope, comments, texts, names and numbers. In a range such as
// 1..5, the dots belong to neither number.
var tokens = regexp.MustCompile(`(%%cope\b[^\n]*)` +
	`|(//[^\n]*|/\*(?s:.*?)(?:\*/|\z))` +
	`|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|` + "`[^`]*`?)" +
	`|([\pL_][\pL\pN_]*)` +
	`|\.\.` +
	`|(0[xXbBoO][0-9a-fA-F_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?)`)

// Colours splits a script into pieces, and yields each with a letter for its colour: k for the line %%cope, c comment, s
// text, f called function, d number, and "" for the rest. The script may be unfinished or wrong.
func Colours(source string) iter.Seq2[string, string] {
	return func(yield func(piece, class string) bool) {
		last := 0
		for _, m := range tokens.FindAllStringSubmatchIndex(source, -1) {
			class := ""
			for k, of := range []string{"k", "c", "s", "f", "d"} { // the groups of tokens, in order
				if m[2+2*k] >= 0 {
					class = of
				}
			}
			if class == "" || class == "f" && !strings.HasPrefix(strings.TrimLeft(source[m[1]:], " \t\r\n"), "(") {
				continue
			}
			if last < m[0] && !yield(source[last:m[0]], "") || !yield(source[m[0]:m[1]], class) {
				return
			}
			last = m[1]
		}
		if last < len(source) {
			yield(source[last:], "")
		}
	}
}

// highlight escapes a script for HTML and puts its tokens in spans with the classes of Colours. No span continues over a
// line end.
func highlight(source string) string {
	var b strings.Builder
	for piece, class := range Colours(source) {
		piece = html.EscapeString(piece)
		if class != "" {
			begin, end := `<span class="`+class+`">`, `</span>`
			piece = begin + strings.ReplaceAll(piece, "\n", end+"\n"+begin) + end
		}
		b.WriteString(piece)
	}
	return b.String()
}

// Mistake is an error in a script, with its position. Only Message is required.
type Mistake struct {
	Message string
	Place   string // position in words, for example "cell 5, line 3, column 16"
	Line    int    // line number, from 1; 0 if there is no position

	// The line with the mistake in three parts, and carets to show below the wrong part.
	Before, Wrong, After string
	Underline            string

	Cause string // error of a file or a computation; may have several lines
	Hint  string // what to write instead; may be ""
}

// MistakesHTML returns mistakes as HTML for a page or a notebook cell: a div with its own style. The wrong part of a line
// is marked and also has carets below, for readers who do not see the colour.
func MistakesHTML(mistakes []Mistake) string {
	h := newHTML("", false)
	h.writef("<div class=\"cope\">\n<style>\n%s</style>\n", notebookStyle)
	for _, m := range mistakes {
		h.mistake(m)
	}
	h.write("</div>\n")
	return h.b.String()
}

func (h *htmlWriter) mistake(m Mistake) {
	h.writef("<div class=\"error\" role=\"note\">\n<p><strong>Error:</strong> %s</p>\n", html.EscapeString(m.Message))
	if m.Line > 0 {
		number := fmt.Sprint(m.Line)
		h.writef("<p class=\"place\">%s</p>\n<pre><code><span class=\"n\">%s</span>%s<mark>%s</mark>%s\n<span "+
			"class=\"n\">%s</span><span class=\"carets\" aria-hidden=\"true\">%s</span></code></pre>\n",
			html.EscapeString(m.Place), number, html.EscapeString(m.Before), html.EscapeString(m.Wrong),
			html.EscapeString(strings.TrimRight(m.After, " \t")),
			strings.Repeat(" ", len(number)), html.EscapeString(m.Underline))
	}
	if m.Cause != "" {
		h.writef("<p>%s</p>\n", strings.ReplaceAll(html.EscapeString(m.Cause), "\n", "<br/>"))
	}
	if m.Hint != "" {
		h.writef("<p><strong>Hint:</strong> %s</p>\n", html.EscapeString(m.Hint))
	}
	h.write("</div>\n")
}
