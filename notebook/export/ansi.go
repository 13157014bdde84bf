package export

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// escapes matches escape sequences for terminals: colours (ending in m, with the codes as group 1), other commands, and
// titles.
var escapes = regexp.MustCompile(
	"\x1b\\[([0-9;:]*)m|\x1b\\[[0-9;?<=>]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\^_=>()][0-9AB]?")

// ansi converts terminal output to text and span nodes. Colours 0 to 15 become classes, which the page's style makes
// readable in light and dark mode. Other colours become style attributes.
func ansi(text string) []*markup.Node {
	text = overwrite(text)
	var out []*markup.Node
	var pen pen
	add := func(s string) {
		if s == "" {
			return
		}
		n := markup.Text(s)
		if attrs := pen.attributes(); attrs != nil {
			n = markup.Element("span", attrs, n)
		}
		out = append(out, n)
	}
	last := 0
	for _, m := range escapes.FindAllStringSubmatchIndex(text, -1) {
		add(text[last:m[0]])
		last = m[1]
		if m[2] >= 0 {
			pen.apply(text[m[2]:m[3]])
		}
	}
	add(text[last:])
	return out
}

// stripANSI returns terminal output as plain text.
func stripANSI(text string) string { return escapes.ReplaceAllString(overwrite(text), "") }

// overwrite applies carriage returns and backspaces as a terminal does. After a carriage return, as in progress bars, only
// the last version of a line remains.
func overwrite(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.ContainsAny(text, "\r\b") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		parts := strings.Split(strings.TrimRight(line, "\r"), "\r")
		line = parts[len(parts)-1]
		if strings.Contains(line, "\b") {
			var runes []rune
			for _, r := range line {
				if r != '\b' {
					runes = append(runes, r)
				} else if len(runes) > 0 {
					runes = runes[:len(runes)-1]
				}
			}
			line = string(runes)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// pen is the current text style of a terminal: the active codes of codeClasses and the two colours. A colour is ""
// (default), a number from 0 to 15, or #rrggbb.
type pen struct {
	on         [len(codeClasses)]bool
	ink, paper string
}

// codeClasses are the CSS classes for bold, faint, italic, underlined and inverse text. The index is the terminal's code.
var codeClasses = [...]string{1: "ab", 2: "af", 3: "ai", 4: "au", 7: "ar"}

func (p pen) attributes() (attrs []string) {
	var classes, styles []string
	for code, name := range codeClasses {
		if p.on[code] && name != "" {
			classes = append(classes, name)
		}
	}
	for _, c := range []struct{ colour, class, property string }{{p.ink, "a", "color"}, {p.paper, "p", "background-color"}} {
		if strings.HasPrefix(c.colour, "#") {
			styles = append(styles, c.property+": "+c.colour)
		} else if c.colour != "" {
			classes = append(classes, c.class+c.colour)
		}
	}
	if classes != nil {
		attrs = append(attrs, "class", strings.Join(classes, " "))
	}
	if styles != nil {
		attrs = append(attrs, "style", strings.Join(styles, "; "))
	}
	return attrs
}

// apply applies a list of codes separated by ; or :. Unknown codes are ignored.
func (p *pen) apply(list string) {
	var codes []int
	for s := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ';' || r == ':' }) {
		n, _ := strconv.Atoi(s)
		codes = append(codes, n)
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	for len(codes) > 0 {
		n := codes[0]
		codes = codes[1:]
		colour := &p.ink
		if n >= 40 && n < 50 || n >= 100 && n < 108 { // background codes are foreground codes plus 10
			colour, n = &p.paper, n-10
		}
		switch {
		case n == 0:
			*p = pen{}
		case n > 0 && n < len(codeClasses):
			p.on[n] = true
		case n == 22:
			p.on[1], p.on[2] = false, false
		case n > 22 && n < 20+len(codeClasses):
			p.on[n-20] = false
		case n >= 30 && n <= 37:
			*colour = strconv.Itoa(n - 30)
		case n == 38:
			*colour, codes = extended(codes)
		case n == 39:
			*colour = ""
		case n >= 90 && n <= 97:
			*colour = strconv.Itoa(n - 82)
		}
	}
}

// extended reads a colour from the codes after 38 or 48: "5;n" (one of 256 colours) or "2;r;g;b". It also returns the
// remaining codes. An invalid colour is "".
func extended(codes []int) (colour string, rest []int) {
	switch {
	case len(codes) >= 2 && codes[0] == 5:
		return indexed(codes[1]), codes[2:]
	case len(codes) >= 4 && codes[0] == 2:
		if slices.Max(codes[1:4]) > 255 {
			return "", codes[4:]
		}
		return fmt.Sprintf("#%02x%02x%02x", codes[1], codes[2], codes[3]), codes[4:]
	}
	return "", nil
}

// indexed returns colour n of xterm's palette: 16 theme colours as numbers, then a 6×6×6 cube and 24 greys as #rrggbb. For
// other n it returns "".
func indexed(n int) string {
	switch {
	case n < 0 || n > 255:
		return ""
	case n < 16:
		return strconv.Itoa(n)
	case n >= 232:
		return "#" + strings.Repeat(fmt.Sprintf("%02x", 8+10*(n-232)), 3)
	}
	levels := []int{0, 95, 135, 175, 215, 255}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", levels[n/36], levels[n/6%6], levels[n%6])
}
