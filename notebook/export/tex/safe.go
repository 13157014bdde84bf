package tex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// commandNames are the commands that LaTeX of an output may contain besides those in mathml.go. None of them reads or
// writes a file, defines anything, or changes how TeX parses the following text.
var commandNames = markup.Names(
	`frac dfrac tfrac cfrac binom stackrel overset underset substack sqrt left right middle mathrm operatorname operatornamewithlimits mathit mathnormal
	tag label ref eqref notag nonumber boxed pmod bmod not phantom hphantom vphantom
	text textrm textit textbf texttt textsf textsc textsl textup textmd textnormal textsuperscript textsubscript emph mbox fbox
	tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge bfseries mdseries itshape slshape scshape upshape ttfamily rmfamily sffamily normalfont
	centering raggedright raggedleft noindent indent par newline linebreak allowbreak smallskip medskip bigskip hspace vspace hfill vfill strut
	hline cline toprule midrule bottomrule cmidrule addlinespace multicolumn tabularnewline shortstack caption item rule parbox makebox raisebox
	linewidth textwidth columnwidth ensuremath footnote section subsection subsubsection paragraph subparagraph
	textbackslash textasciitilde textasciicircum textless textgreater textbar textquotedbl textquotesingle textendash textemdash textellipsis textbullet
	textperiodcentered textdegree textmu textpm texttimes copyright pounds ss ae AE oe OE o O aa AA l L i j S P c v u H k r t b d`)

// signNames are the allowed commands of one character other than a letter: spaces, accents, and escaped special
// characters.
const signNames = "\\,:;>!/- \n{}|%#&$_~^'\"`=."

// environmentNames are the environments that LaTeX of an output may contain besides environments of formulas.
var environmentNames = markup.Names(
	"tabular tabular* table figure center flushleft flushright quote quotation itemize enumerate description minipage math displaymath")

// mayUse reports whether LaTeX of an output may contain a command (without backslash).
func mayUse(name string) bool {
	if len(name) > 0 && !letter(name[0]) {
		return strings.Contains(signNames, name)
	}
	_, isAlphabet := alphabets[name]
	return isAlphabet || symbols[name] != nil || accents[name] != "" || unders[name] != "" || commandNames[name]
}

// mayOpen reports whether LaTeX of an output may contain an environment.
func mayOpen(name string) bool {
	_, isMath := environments[strings.TrimSuffix(name, "*")]
	return isMath || environmentNames[name]
}

// Compilable reports whether LaTeX of an output may be copied into our document. All its commands and environments must be
// known, and all groups closed. It must not contain ^^, which can encode any character, or @ after a command, which is
// part of an internal name.
func Compilable(source string) bool {
	if strings.TrimSpace(source) == "" || strings.ContainsFunc(source, controls) || !utf8.ValidString(source) ||
		strings.Contains(source, "^^") {
		return false
	}
	r := reader{rest: source}
	for r.rest != "" {
		if !r.next() {
			return false
		}
	}
	return len(r.open) == 0
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// reader splits LaTeX into tokens as TeX does. This is valid as long as no command changes TeX's rules, and commandNames
// has no such command.
type reader struct {
	rest string
	open []string // closing tokens of the open groups, formulas and environments
}

// next consumes one character or command, and reports whether it is allowed here.
func (r *reader) next() bool {
	c := r.rest[0]
	r.rest = r.rest[1:]
	switch c {
	case '\\':
		return r.command()
	case '{':
		r.open = append(r.open, "}")
	case '}':
		return r.end("}")
	case '%':
		_, r.rest, _ = strings.Cut(r.rest, "\n")
	case '$':
		return r.dollar()
	case '#':
		return false
	}
	return true
}

// end closes the innermost open group. It returns false if the group does not end with by.
func (r *reader) end(by string) bool {
	last := len(r.open) - 1
	if last < 0 || r.open[last] != by {
		return false
	}
	r.open = r.open[:last]
	return true
}

// dollar begins or ends a formula. The first dollar has been consumed.
func (r *reader) dollar() bool {
	last := len(r.open) - 1
	if last >= 0 && r.open[last] == "$" {
		return r.end("$")
	}
	sign := "$"
	if rest, two := strings.CutPrefix(r.rest, "$"); two {
		sign, r.rest = "$$", rest
	}
	if last >= 0 && r.open[last] == "$$" {
		return r.end(sign)
	}
	r.open = append(r.open, sign)
	return true
}

// command consumes the command after a backslash and reports whether it is allowed.
func (r *reader) command() bool {
	n := 0
	for n < len(r.rest) && letter(r.rest[n]) {
		n++
	}
	if n == 0 && r.rest != "" {
		_, n = utf8.DecodeRuneInString(r.rest)
	}
	name := r.rest[:n]
	r.rest = r.rest[n:]
	switch name {
	case "":
		return false
	case "(":
		r.open = append(r.open, ")")
		return true
	case "[":
		r.open = append(r.open, "]")
		return true
	case ")", "]":
		return r.end(name)
	case "begin", "end":
		return r.environment(name == "begin")
	}
	return mayUse(name) && !strings.HasPrefix(r.rest, "@")
}

// environment consumes the name after \begin or \end and reports whether it is allowed.
func (r *reader) environment(begins bool) bool {
	name, rest, closed := strings.Cut(r.rest, "}")
	name, opened := strings.CutPrefix(name, "{")
	if !opened || !closed || !mayOpen(name) {
		return false
	}
	r.rest = rest
	if begins {
		r.open = append(r.open, name)
		return true
	}
	return r.end(name)
}

func controls(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
