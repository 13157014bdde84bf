// Package wording formats numbers, counts and lists as text, for documents and figures alike.
package wording

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Absent is the text for a missing value.
const Absent = "—"

// Decimal formats x with the given number of significant digits; 0 means 4. From 1,000 on, it writes whole numbers with
// commas. It uses Scientific for very large and very small numbers, and words for NaN and infinity.
func Decimal(x float64, digits int) string {
	digits = cmp.Or(digits, 4)
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return Absent
	case math.IsInf(x, 1):
		return "infinite"
	case math.IsInf(x, -1):
		return "-infinite"
	case x == 0:
		return "0"
	case a >= 1e9 || a < 1e-4:
		return Scientific(x, digits)
	case a >= 999.5:
		return Group(strconv.FormatFloat(x, 'f', 0, 64))
	}
	// Round before counting digits: 9.9996 becomes 10.
	s := strconv.FormatFloat(x, 'e', digits-1, 64)
	e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return trimZeros(strconv.FormatFloat(x, 'f', max(0, digits-1-e), 64))
}

// ToStep formats x to two digits of step, so that numbers which differ by a step have different texts. Examples are
// 42.29924 for a step of 0.00075, and 1,000,000,012 for a step of 2. If step is 0, it writes up to 12 digits.
func ToStep(x, step float64) string {
	if x == 0 || !IsFinite(x) {
		return Decimal(x, 0)
	}
	const mostPlaces, digits = 9, 17 // a float64 has at most 17 significant digits
	place := 0                       // power of ten of the last digit
	switch {
	case IsFinite(step) && step > 0:
		place = int(math.Floor(math.Log10(step))) - 1
	case math.Abs(x) >= 1e-4:
		place = max(int(math.Floor(math.Log10(math.Abs(x))))-11, -mostPlaces)
	default:
		place = int(math.Floor(math.Log10(math.Abs(x)))) - 11
	}
	if place >= -mostPlaces && math.Abs(x) < 1e15 {
		whole, fraction, found := strings.Cut(strconv.FormatFloat(x, 'f', max(0, -place), 64), ".")
		if whole = Group(whole); !found {
			return whole
		}
		if !(step > 0) {
			return trimZeros(whole + "." + fraction)
		}
		return whole + "." + fraction
	}
	return Scientific(x, min(max(int(math.Floor(math.Log10(math.Abs(x))))-place+1, 1), digits))
}

// Scientific formats x with an exponent, for example 1.23e-5 instead of 1.230e-05.
func Scientific(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'e', digits-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	return trimZeros(mantissa) + "e" + strconv.Itoa(e)
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Group inserts a comma between groups of three digits.
func Group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Plural returns a count with its noun, for example "1 task" or "5 tasks".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Group(strconv.Itoa(n)) + " " + noun + "s"
}

// Join lists words as "a", "a and b" or "a, b and c". If there are more words than most, it counts the rest.
func Join(words []string, most int) string {
	rest := ""
	if len(words) > most+1 {
		rest = fmt.Sprintf("%d more", len(words)-most)
		words = append(append([]string{}, words[:most]...), rest)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// IsFinite reports whether x is neither NaN nor infinite.
func IsFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// latexEscapes replaces special characters, and the symbols that reports use. The result needs no LaTeX packages in
// pdflatex.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "[", `{[}`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`,
	"---", "-{}-{}-{}", "--", "-{}-{}", "``", "`{}`{}", "''", "'{}'{}", ",,", ",{},{}", "|", `\textbar{}`, "\t", " ", "\u200b", `\allowbreak{}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`,
	"d_eff", `$d_{\mathrm{eff}}$`, "ρ_1", `$\rho_1$`, "ρ*", `$\rho^*$`, "θ*", `$\theta^*$`, "T*", `$T^*$`, "*", `{*}`, "K_Z", `$K_Z$`, "K_X", `$K_X$`,
	"Δ_min", `$\Delta_{\min}$`, "_", `\_`, "Υ", `$\Upsilon$`, "ω", `$\omega$`, "ρ", `$\rho$`, "β", `$\beta$`, "✓", `$\surd$`, "✗",
	`$\times$`, "ξ", `$\xi$`, "δ", `$\delta$`, "Δ", `$\Delta$`,
	"ε", `$\varepsilon$`, "σ", `$\sigma$`, "θ", `$\theta$`, "λ", `$\lambda$`, "d̃", `$\tilde d$`, "‖", `$\|$`, "±", `$\pm$`, "×", `$\times$`,
	"≤", `$\le$`, "≥", `$\ge$`, "²", `$^2$`, "√", `$\surd$`, "∞", `$\infty$`, "−", `$-$`, "³", `$^3$`, "¹", `$^1$`, "₂", `$_2$`, "→",
	`$\to$`, "—", "---", "–", "--", "…", `\dots{}`, "\u00a0", "~", "█", `\rule{0.4em}{1.2ex}`, "░", `\rule{0.4em}{0.2ex}`, "\n", " ",
	"─", "-", "━", "-", "═", "=", "│", `\textbar{}`, "┃", `\textbar{}`, "║", `\textbar{}`, "┌", "+", "┐", "+", "└", "+", "┘", "+", "├", "+",
	"┤", "+", "┬", "+", "┴", "+", "┼", "+", "╭", "+", "╮", "+", "╰", "+", "╯", "+", "☐", "{[}~{]}", "☑", "{[}x{]}", "✔", `$\surd$`,
	"⁰", `$^0$`, "⁴", `$^4$`, "⁵", `$^5$`, "⁶", `$^6$`, "⁷", `$^7$`, "⁸", `$^8$`, "⁹", `$^9$`, "⁻", `$^-$`, "ᵀ", `$^{\top}$`, "ⁿ", `$^n$`,
	"₀", `$_0$`, "₁", `$_1$`, "₃", `$_3$`, "₄", `$_4$`, "ᵢ", `$_i$`, "ₙ", `$_n$`, "‑", "-",
)

// LaTeX escapes text for LaTeX. A letter that pdflatex has no font for becomes a command: XeLaTeX and LuaLaTeX print the
// letter, and pdflatex prints its code point.
func LaTeX(s string) string {
	s = longWord.ReplaceAllStringFunc(s, func(w string) string { return sixteen.ReplaceAllString(w, "$0\u200b") })
	var b strings.Builder
	for _, r := range latexEscapes.Replace(s) {
		switch name := commands[r]; {
		// Omit a mark that combines with the letter before it; the letter is readable without it.
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) || unicode.IsControl(r):
		case name != "":
			b.WriteString("$\\" + name + "$")
		case r < 0x80 || unicode.Is(unicode.Latin, r) && r < 0x180 || strings.ContainsRune("¡§©«°µ¶·»¿÷‘’“”„†‡•€™", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `{\ifdefined\Umathchar %c\else[U+%04X]\fi}`, r, r)
		}
	}
	return b.String()
}

// A line may break within a word of more than 40 letters, such as a checksum, after each sixteen of them.
var (
	longWord = regexp.MustCompile(`[^\s\x{200b}]{41,}`)
	sixteen  = regexp.MustCompile(`.{16}`)
)

// commands are the commands of formulas for Greek letters and signs that latexEscapes does not replace.
var commands = map[rune]string{
	'∑': "sum", '∏': "prod", '∫': "int", '∈': "in", '∉': "notin", '∀': "forall", '∃': "exists", '∂': "partial", '∇': "nabla", '∩': "cap",
	'∪': "cup", '⊂': "subset", '⊆': "subseteq", '≈': "approx", '≠': "neq", '≡': "equiv", '∼': "sim", '∝': "propto", '⋅': "cdot", '≪': "ll",
	'≫': "gg", '←': "leftarrow", '↑': "uparrow", '↓': "downarrow", '↔': "leftrightarrow", '⇒': "Rightarrow", '⇔': "Leftrightarrow",
	'↦': "mapsto", 'ℓ': "ell", '⟨': "langle", '⟩': "rangle", '∘': "circ", '⋆': "star", '⊥': "perp", '⊤': "top", '∧': "wedge", '∨': "vee",
	'⊕': "oplus", '⊗': "otimes", '∅': "emptyset", '●': "bullet", '▲': "triangle", 'ℝ': "mathbf{R}", 'ℕ': "mathbf{N}", '′': "prime",
	'α': "alpha", 'γ': "gamma", 'ζ': "zeta", 'η': "eta", 'ι': "iota", 'κ': "kappa", 'μ': "mu", 'ν': "nu", 'ο': "mathrm{o}", 'π': "pi",
	'ς': "varsigma", 'τ': "tau", 'υ': "upsilon", 'φ': "varphi", 'χ': "chi", 'ψ': "psi", 'ϕ': "phi", 'ϑ': "vartheta",
	'Α': "mathrm{A}", 'Β': "mathrm{B}", 'Γ': "Gamma", 'Ε': "mathrm{E}", 'Ζ': "mathrm{Z}", 'Η': "mathrm{H}", 'Θ': "Theta", 'Ι': "mathrm{I}",
	'Κ': "mathrm{K}", 'Λ': "Lambda", 'Μ': "mathrm{M}", 'Ν': "mathrm{N}", 'Ξ': "Xi", 'Ο': "mathrm{O}", 'Π': "Pi", 'Ρ': "mathrm{P}",
	'Σ': "Sigma",
	'Τ': "mathrm{T}", 'Φ': "Phi", 'Χ': "mathrm{X}", 'Ψ': "Psi", 'Ω': "Omega",
}
