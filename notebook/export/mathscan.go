package export

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// formula is a formula in Markdown. source[start:stop] is the formula with its delimiters, and tex is the TeX inside.
type formula struct {
	start, stop int
	tex         string
	display     bool // display formula
	reference   bool // \eqref or \ref in text; tex is the whole command
}

// findFormulas returns the formulas in Markdown, in order, except those in code. It runs before the Markdown is parsed, as in
// JupyterLab. So the parser does not interpret bars, brackets and underscores inside formulas. A formula has one of the forms
//
//	$…$ and \\(…\\)              within a line
//	$$…$$ and \\[…\\]            displayed
//	\begin{name}…\end{name}      displayed
//	\eqref{label}, \ref{label}   a reference to a formula
//
// A dollar before a space, or one whose closing dollar precedes a digit, is money.
func findFormulas(source []byte) []formula {
	if !bytes.ContainsAny(source, `$\`) {
		return nil
	}
	s := &mathScanner{source: source, ticks: tickRuns(source), blank: -1}
	for s.at < len(source) {
		if s.at == 0 || source[s.at-1] == '\n' {
			if end := s.fence(); end > 0 {
				s.at = end
				continue
			}
		}
		switch source[s.at] {
		case '`':
			s.at = s.code()
		case '\\':
			s.backslash()
		case '$':
			s.dollar()
		default:
			s.at++
		}
	}
	return s.found
}

type mathScanner struct {
	source []byte
	at     int
	found  []formula
	ticks  map[int]int // start of a run of backticks → end of the next run of the same length
	blank  int         // position of the next empty line; invalid if below at
	none   map[string]bool
}

// tickRuns maps the start of each run of backticks to the end of the next run of the same length.
func tickRuns(source []byte) map[int]int {
	runs := map[int]int{}
	next := map[int]int{} // length of a run → end of the nearest such run
	for at := len(source) - 1; at >= 0; at-- {
		if source[at] != '`' {
			continue
		}
		end := at + 1
		for at > 0 && source[at-1] == '`' {
			at--
		}
		if n, there := next[end-at]; there {
			runs[at] = n
		}
		next[end-at] = end
	}
	return runs
}

var fenceLine = regexp.MustCompile("^[ \t>]*(?:(?:[*+-]|\\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)(?:\n|$)")

// fence returns the end of the fenced code that begins on this line, or 0 if none begins.
func (s *mathScanner) fence() int {
	line := s.source[s.at:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	m := fenceLine.FindSubmatch(line)
	if m == nil || m[1][0] == '`' && bytes.IndexByte(m[2], '`') >= 0 {
		return 0
	}
	at := s.at + len(line)
	for at < len(s.source) {
		line := s.source[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		at += len(line)
		closing := bytes.TrimLeft(bytes.TrimRight(line, " \t\r\n"), " \t>")
		if len(closing) >= len(m[1]) && len(bytes.Trim(closing, string(m[1][:1]))) == 0 {
			break
		}
	}
	return at
}

// code returns the end of the inline code that begins at these backticks. If no code begins here, it returns the end of
// the backticks.
func (s *mathScanner) code() int {
	if end := s.ticks[s.at]; end > 0 && end <= s.paragraphEnd() {
		return end
	}
	at := s.at
	for at < len(s.source) && s.source[at] == '`' {
		at++
	}
	return at
}

var emptyLine = regexp.MustCompile(`\n[ \t\r>]*\n`)

// paragraphEnd returns the position of the next empty line, or the end of the source.
func (s *mathScanner) paragraphEnd() int {
	if s.blank < s.at {
		s.blank = len(s.source)
		if m := emptyLine.FindIndex(s.source[s.at:]); m != nil {
			s.blank = s.at + m[0]
		}
	}
	return s.blank
}

var (
	beginAny  = regexp.MustCompile(`^\\begin\{([A-Za-z]+\*?)\}`)
	reference = regexp.MustCompile(`^\\(?:eq)?ref\{[^{}\n$]{1,200}\}`)
)

func (s *mathScanner) backslash() {
	rest := s.source[s.at:]
	switch {
	case bytes.HasPrefix(rest, []byte(`\\(`)):
		s.until(3, `\\)`, false)
	case bytes.HasPrefix(rest, []byte(`\\[`)):
		s.until(3, `\\]`, true)
	case bytes.HasPrefix(rest, []byte(`\begin{`)):
		m := beginAny.FindSubmatch(rest[:min(len(rest), 64)])
		if m == nil {
			s.at++
			return
		}
		s.until(0, `\end{`+string(m[1])+"}", true)
	default:
		if m := reference.Find(rest[:min(len(rest), 256)]); m != nil {
			s.add(formula{start: s.at, stop: s.at + len(m), tex: string(m), reference: true})
			return
		}
		s.at += 2 // skips the backslash and the character after it
	}
}

// until adds the formula that begins here and ends with the text end. Its opening delimiter has open bytes. For an
// environment, open is 0 and the TeX contains \begin and \end. A formula may contain empty lines only if it is a display
// formula at the beginning of a line. Without an end, until skips the delimiter.
func (s *mathScanner) until(open int, end string, display bool) {
	from := s.at + max(open, 1)
	i := -1
	if !s.none[end] {
		i = bytes.Index(s.source[from:], []byte(end))
	}
	if i < 0 { // end does not occur in the rest of the source either
		if s.none == nil {
			s.none = map[string]bool{}
		}
		s.none[end] = true
		s.at += max(open, 1)
		return
	}
	inner, stop := from+i, from+i+len(end)
	if stop > s.paragraphEnd() && !(display && s.beginsLine()) {
		s.at += max(open, 1)
		return
	}
	f := formula{start: s.at, stop: stop, display: display}
	if open > 0 {
		f.tex = s.inner(s.at+open, inner)
	} else {
		f.tex = s.inner(s.at, stop)
	}
	if f.tex == "" {
		s.at = stop
		return
	}
	s.add(f)
}

// container matches the Markdown signs of quotes and lists before the text of a line.
var container = regexp.MustCompile(`^[ \t]*(?:>[ \t]?|(?:[*+-]|\d{1,9}[.)])[ \t]+)*[ \t]*$`)

// beginsLine reports whether only signs of quotes and lists precede the current position on its line.
func (s *mathScanner) beginsLine() bool {
	line := s.before()
	return len(line) < mostPrefix && container.Match(line)
}

// before returns the text of the line before the current position, at most the last mostPrefix bytes.
func (s *mathScanner) before() []byte {
	near := s.source[max(s.at-mostPrefix, 0):s.at]
	return near[bytes.LastIndexByte(near, '\n')+1:]
}

// mostPrefix limits the bytes that before returns.
const mostPrefix = 200

var quoteSigns = regexp.MustCompile(`(?m)^[ \t]*(?:>[ \t]?)+`)

// inner returns the TeX in source[from:to]. It removes the quote signs (>) at the beginning of further lines.
func (s *mathScanner) inner(from, to int) string {
	text := string(s.source[from:to])
	if first, more, several := strings.Cut(text, "\n"); several && quoteSigns.Match(s.before()) {
		text = first + "\n" + quoteSigns.ReplaceAllString(more, "")
	}
	return strings.TrimSpace(text)
}

// dollar adds the formula that begins at this dollar, or skips the dollar if none begins.
func (s *mathScanner) dollar() {
	if bytes.HasPrefix(s.source[s.at:], []byte("$$")) {
		s.until(2, "$$", true)
		return
	}
	end := s.closingDollar()
	if end < 0 {
		s.at++
		return
	}
	s.add(formula{start: s.at, stop: end + 1, tex: s.inner(s.at+1, end)})
}

// closingDollar returns the position of the dollar that ends the formula beginning here, or -1. A dollar within braces
// ends the formula only if there is no other candidate within mostWithin bytes. The reason is \text{a $x$ b}, which
// contains such dollars.
func (s *mathScanner) closingDollar() int {
	depth, within := 0, -1
	for i := s.at + 1; i < s.paragraphEnd() && (within < 0 || i < within+mostWithin); i++ {
		switch s.source[i] {
		case '\\':
			i++
		case '`': // skip code, whose dollars do not count
			if end := s.ticks[i]; end > 0 && end <= s.paragraphEnd() {
				i = end - 1
			}
		case '{':
			depth++
		case '}':
			depth = max(depth-1, 0)
		case '\n':
			if s.endsWithLine(i) {
				return within
			}
		case '$':
			switch {
			case depth > 0 && within < 0 && s.mayClose(i):
				within = i
			case depth == 0 && s.mayClose(i):
				return i
			case depth == 0:
				return within
			}
		}
	}
	return within
}

// mostWithin is the distance in bytes in which closingDollar searches for a better candidate after a dollar within braces.
const mostWithin = 500

// endsWithLine reports whether the current line ends at this newline: it is a heading, or the next line is a table row.
func (s *mathScanner) endsWithLine(newline int) bool {
	next := bytes.TrimLeft(s.source[newline+1:min(len(s.source), newline+9)], " \t")
	if bytes.HasPrefix(next, []byte("|")) {
		return true
	}
	return bytes.HasPrefix(bytes.TrimLeft(s.before(), " "), []byte("#"))
}

// mayClose reports whether the dollar at position at can end the formula that begins here. If both dollars have blanks
// inside, the text must contain a TeX character or no blank.
func (s *mathScanner) mayClose(at int) bool {
	body := s.source[s.at+1 : at]
	inner := bytes.TrimSpace(body)
	if len(inner) == 0 || at+1 < len(s.source) && '0' <= s.source[at+1] && s.source[at+1] <= '9' {
		return false
	}
	before, after := blank(body[0]), blank(body[len(body)-1])
	if before && after {
		return bytes.ContainsAny(inner, `\^_={}`) || !bytes.ContainsAny(inner, " \n")
	}
	return !before && !after
}

func (s *mathScanner) add(f formula) {
	s.found = append(s.found, f)
	s.at = f.stop
}

// masked returns the source with each formula replaced by letters between two dollars. Positions do not change.
func masked(source []byte, found []formula) []byte {
	if len(found) == 0 {
		return source
	}
	out := slices.Clone(source)
	for _, f := range found {
		for i := f.start; i < f.stop; i++ {
			out[i] = 'x'
		}
		out[f.start], out[f.stop-1] = '$', '$'
	}
	return out
}

// formulaAt returns the formula that begins at a position, or false.
func formulaAt(found []formula, at int) (formula, bool) {
	i, there := slices.BinarySearchFunc(found, at, func(f formula, at int) int { return f.start - at })
	if !there {
		return formula{}, false
	}
	return found[i], true
}
