package tex

import (
	"errors"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// Formula converts TeX to MathML, which browsers draw without scripts. It supports symbols, scripts, fractions, roots,
// sums, accents, alphabets, text, delimiters, aligned lines, cases and matrices. A formula with anything else, or of more
// than Longest bytes, is shown as TeX source.
func Formula(tex string, display bool) *markup.Node {
	m := &mathParser{rest: tex}
	var content *markup.Node
	if len(tex) <= Longest {
		content = m.whole()
	}
	if content != nil && display {
		content = m.numbered(content, false)
	}
	if content == nil {
		n := markup.Element("code", []string{"class", "math"}, markup.Text(tex))
		if display {
			return markup.Element("div", []string{"class", "display"}, n)
		}
		return n
	}
	n := markup.Element("math", []string{"data-tex", tex}, content)
	if display {
		n.Set("display", "block")
	}
	return n
}

// Longest is the largest size in bytes of a formula that Formula converts.
const Longest = 20_000

var errMath = errors.New("not a formula that is known")

// whole parses the whole formula, and returns nil if it contains something unknown. It recovers the panics with errMath.
func (m *mathParser) whole() (content *markup.Node) {
	defer func() {
		if r := recover(); r == errMath {
			content = nil
		} else if r != nil {
			panic(r)
		}
	}()
	content = m.row("")
	require(m.rest == "")
	return content
}

// require panics with errMath if rule is false.
func require(rule bool) {
	if !rule {
		panic(errMath)
	}
}

// leaf returns an element that contains only text.
func leaf(tag, text string, attrs ...string) *markup.Node {
	return markup.Element(tag, attrs, markup.Text(text))
}

// mostDepth limits the nesting of groups.
const mostDepth = 50

type mathParser struct {
	rest  string
	depth int
	// state of the current row: its \tag, its \label, and whether it has \notag
	tag, label string
	noNumber   bool
}

// next removes and returns the next token: a command with its backslash, or one character. White space and comments are
// skipped.
func (m *mathParser) next() string {
	m.skip()
	sign, isCommand := strings.CutPrefix(m.rest, `\`)
	after := strings.TrimLeftFunc(sign, unicode.IsLetter)
	if !isCommand || after == sign { // one character
		_, n := utf8.DecodeRuneInString(sign)
		after = sign[n:]
	}
	token := m.rest[:len(m.rest)-len(after)]
	m.rest = after
	return token
}

// skip skips white space and comments.
func (m *mathParser) skip() {
	for m.rest = strings.TrimLeftFunc(m.rest, unicode.IsSpace); strings.HasPrefix(m.rest, "%"); {
		_, m.rest, _ = strings.Cut(m.rest, "\n")
		m.rest = strings.TrimLeftFunc(m.rest, unicode.IsSpace)
	}
}

func (m *mathParser) peek() string {
	save := m.rest
	t := m.next()
	m.rest = save
	return t
}

// row parses up to and including the token end; "" means the end of the formula.
func (m *mathParser) row(end string) *markup.Node {
	m.depth++
	require(m.depth <= mostDepth)
	defer func() { m.depth-- }()
	out := markup.Element("mrow", nil)
	for m.peek() != end {
		if n := m.scripted(); n != nil {
			out.Children = append(out.Children, n)
		}
	}
	m.next()
	return out
}

// scripted parses an atom with its subscript and superscript.
func (m *mathParser) scripted() *markup.Node {
	base := m.atom()
	var below, above *markup.Node
	for {
		t := m.peek()
		switch {
		case t == `\limits` || t == `\nolimits`:
			m.next()
			continue
		case t == "_" && below == nil:
			m.next()
			below = m.argument()
		case t == "^" && above == nil:
			m.next()
			above = m.argument()
		case t == "'" && above == nil:
			marks := ""
			for ; m.peek() == "'"; m.next() {
				marks += "′"
			}
			above = leaf("mo", marks)
		default:
			if base == nil && (below != nil || above != nil) {
				base = markup.Element("mrow", nil)
			}
			return attach(base, below, above)
		}
	}
}

func attach(base, below, above *markup.Node) *markup.Node {
	names := []string{"msub", "msup", "msubsup"}
	if base != nil && (base.Has("movablelimits") || base.Tag == "munder" || base.Tag == "mover") {
		names = []string{"munder", "mover", "munderover"}
	}
	switch {
	case below != nil && above != nil:
		return markup.Element(names[2], nil, base, below, above)
	case below != nil:
		return markup.Element(names[0], nil, base, below)
	case above != nil:
		return markup.Element(names[1], nil, base, above)
	}
	return base
}

// argument parses a command's argument: a group, a digit or an atom.
func (m *mathParser) argument() *markup.Node {
	if t := m.peek(); len(t) == 1 && unicode.IsDigit(rune(t[0])) {
		m.next()
		return leaf("mn", t)
	}
	n := m.atom()
	require(n != nil)
	return n
}

// number returns the number element of the current row, or nil. A row has a number if it has a \tag or \label, or if its
// environment counts rows and the row has no \notag. Number later fills in the text.
func (m *mathParser) number(counts bool) *markup.Node {
	tag, label, shown := m.tag, m.label, m.tag != "" || m.label != "" || counts && !m.noNumber
	m.tag, m.label, m.noNumber = "", "", false
	if !shown {
		return nil
	}
	return markup.Element("mrow", []string{"class", numberClass}, leaf("mtext", tag), leaf("mtext", label))
}

// numbered returns a formula with its number, if it has one. Set counts if its environment numbers rows.
func (m *mathParser) numbered(content *markup.Node, counts bool) *markup.Node {
	if n := m.number(counts); n != nil {
		return markup.Element("mrow", nil, content, markup.Element("mspace", []string{"width", "2em"}), n)
	}
	return content
}

// raw returns the text of the next group in braces, without parsing it.
func (m *mathParser) raw() string {
	m.skip()
	require(strings.HasPrefix(m.rest, "{"))
	depth := 0
	for i, r := range m.rest {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				s := m.rest[1:i]
				m.rest = m.rest[i+1:]
				return s
			}
		}
	}
	panic(errMath)
}

// atom parses one group, command, number or character. It returns nil for commands such as \label that show nothing.
func (m *mathParser) atom() *markup.Node {
	t := m.next()
	switch r, _ := utf8.DecodeRuneInString(t); {
	case strings.Contains("}^_&$#", t): // also at the end, where t is ""
		panic(errMath)
	case t == "{":
		return m.row("}")
	case r == '\\':
		return m.command(t[1:])
	case t == "~":
		return markup.Element("mspace", []string{"width", "0.25em"})
	case unicode.IsDigit(r):
		more := digits.FindString(m.rest)
		m.rest = m.rest[len(more):]
		return leaf("mn", t+more)
	case unicode.IsLetter(r):
		return leaf("mi", t)
	case strings.ContainsRune("()[]|‖", r):
		return leaf("mo", t, "stretchy", "false")
	}
	return leaf("mo", strings.NewReplacer("-", "−", "*", "∗").Replace(t))
}

// digits matches the rest of a number.
var digits = regexp.MustCompile(`^(?:\.?\p{Nd})*`)

// These are the TeX commands for one character, by kind, as pairs of name and character. If a character has several names,
// the LaTeX report uses the shortest.
var (
	identifiers = pairs(`alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ
		pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
		Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
		infty ∞ ell ℓ hbar ℏ Re ℜ Im ℑ aleph ℵ emptyset ∅ varnothing ∅ triangle △ partial ∂ nabla ∇ top ⊤ bot ⊥ ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ prime ′`)
	operators = pairs(`pm ± mp ∓ times × div ÷ cdot · ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ otimes ⊗ odot ⊙ wedge ∧ vee ∨ cap ∩ cup ∪
		setminus ∖ le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ll ≪ gg ≫ ne ≠ neq ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ prec ≺ succ ≻ preceq ⪯ succeq ⪰
		in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ supsetneq ⊋ forall ∀ exists ∃ neg ¬ to → rightarrow → leftarrow ← gets ← leftrightarrow ↔
		mapsto ↦ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ implies ⇒ uparrow ↑ downarrow ↓ mid ∣ parallel ∥ perp ⊥ colon : lnot ¬ models ⊨
		triangleq ≜ coloneqq ≔ dagger † surd √ gtrsim ≳ lesssim ≲ succcurlyeq ≽ preccurlyeq ≼`)
	fences = pairs(`langle ⟨ rangle ⟩ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lVert ‖ rVert ‖ Vert ‖ lvert | rvert | vert | lbrace { rbrace } lbrack [ rbrack ]
		{ { } } | ‖`)
	characters = pairs("% % # # & & $ $ _ _")
	integrals  = pairs("int ∫ iint ∬ oint ∮")
	large      = pairs(`sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀`)
	// functions are commands that print their own name. limits are such commands whose scripts are set below and above.
	functions = markup.Names("log ln exp sin cos tan sinh cosh tanh arcsin arccos arctan cot sec csc deg dim hom ker arg rank tr diag")
	limits    = markup.Names("max min sup inf lim limsup liminf argmax argmin det Pr gcd")
	accents   = pairs("hat ^ widehat ^ tilde ~ widetilde ~ bar ¯ overline ¯ vec → dot ˙ ddot ¨ check ˇ breve ˘ overbrace ⏞ overrightarrow →")
	unders    = pairs("underline _ underbrace ⏟ underbar _")
	spaces    = map[string]string{",": "0.167em", ":": "0.222em", ";": "0.278em", ">": "0.222em", "!": "-0.167em", " ": "0.25em",
		"quad": "1em", "qquad": "2em", "enspace": "0.5em", "~": "0.25em"}
	ignored = markup.Names("displaystyle textstyle scriptstyle limits nolimits big Big bigg Bigg bigl bigr Bigl Bigr biggl " +
		"biggr Biggl Biggr bigm Bigm hfill")
)

// symbols maps commands without arguments to functions that make their element.
var symbols = map[string]func() *markup.Node{}

func init() {
	fill := func(texts map[string]string, tag string, attrs ...string) {
		for name, text := range texts {
			symbols[name] = func() *markup.Node { return leaf(tag, text, attrs...) }
		}
	}
	fill(identifiers, "mi")
	fill(operators, "mo")
	fill(fences, "mo", "stretchy", "false")
	fill(characters, "mo", "stretchy", "false")
	fill(integrals, "mo")
	fill(large, "mo", "movablelimits", "true")
	for name := range functions {
		symbols[name] = func() *markup.Node { return leaf("mi", name) }
	}
	for name := range limits {
		symbols[name] = func() *markup.Node { return leaf("mo", name, "movablelimits", "true", "form", "prefix") }
	}
	for name, width := range spaces {
		symbols[name] = func() *markup.Node { return markup.Element("mspace", []string{"width", width}) }
	}
	for name := range ignored {
		symbols[name] = func() *markup.Node { return markup.Element("mrow", nil) }
	}
	alphabets["mathscr"] = alphabets["mathcal"]
	alphabets["boldsymbol"], alphabets["bm"] = alphabets["mathbf"], alphabets["mathbf"]
}

// pairs parses "name character name character …".
func pairs(list string) map[string]string {
	m := map[string]string{}
	words := strings.Fields(list)
	for i := 0; i+1 < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}

// alphabet states where Unicode has the letters of a mathematical alphabet, and its exceptions.
type alphabet struct {
	upper, lower, digit rune // code points of A, a and 0; digit is 0 if there are no digits
	before              map[string]string
}

var alphabets = map[string]alphabet{
	"mathcal":  {0x1d49c, 0x1d4b6, 0, pairs("B ℬ E ℰ F ℱ H ℋ I ℐ L ℒ M ℳ R ℛ e ℯ g ℊ o ℴ")},
	"mathbb":   {0x1d538, 0x1d552, 0x1d7d8, pairs("C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ")},
	"mathbf":   {0x1d400, 0x1d41a, 0x1d7ce, nil},
	"mathsf":   {0x1d5a0, 0x1d5ba, 0x1d7e2, nil},
	"mathtt":   {0x1d670, 0x1d68a, 0x1d7f6, nil},
	"mathfrak": {0x1d504, 0x1d51e, 0, pairs("C ℭ H ℌ I ℑ R ℜ Z ℨ")},
}

func (a alphabet) letter(r rune) rune {
	switch {
	case a.before[string(r)] != "":
		r, _ = utf8.DecodeRuneInString(a.before[string(r)])
	case 'A' <= r && r <= 'Z':
		r += a.upper - 'A'
	case 'a' <= r && r <= 'z':
		r += a.lower - 'a'
	case '0' <= r && r <= '9' && a.digit != 0:
		r += a.digit - '0'
	}
	return r
}
