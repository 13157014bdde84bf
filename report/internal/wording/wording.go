// Package wording puts numbers, counts and lists into words, the same in documents and in figures.
package wording

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Absent represents a missing number.
const Absent = "—"

// Decimal prints x with the given significant digits (0: 4). From 1,000 on it
// prints whole numbers in groups of three; very large and very small ones in
// Scientific notation; what is not finite as a word.
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
	// Round first: 9.9996 has one digit before the point, but prints as 10.
	s := strconv.FormatFloat(x, 'e', digits-1, 64)
	e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return trimZeros(strconv.FormatFloat(x, 'f', max(0, digits-1-e), 64))
}

// ToStep prints x to two digits of a step, so that numbers which lie steps apart read differently: 42.29924 at a step of 0.00075, and
// 1,000,000,012 at a step of 2. Without a step it prints up to 12 digits.
func ToStep(x, step float64) string {
	if !IsFinite(x) {
		return Decimal(x, 0)
	}
	const mostPlaces, digits = 9, 17 // digits of a float64
	place := 0                       // of the last digit, as a power of ten
	switch {
	case IsFinite(step) && step > 0:
		place = int(math.Floor(math.Log10(step))) - 1
	case math.Abs(x) >= 1e-4:
		place = max(int(math.Floor(math.Log10(math.Abs(x))))-11, -mostPlaces)
	case x != 0:
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
	if x == 0 {
		return "0"
	}
	return Scientific(x, min(max(int(math.Floor(math.Log10(math.Abs(x))))-place+1, 1), digits))
}

// Scientific prints 1.23e-5 rather than 1.230e-05.
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

// Group puts a comma between groups of three digits.
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

// Plural returns "1 task", "5 tasks".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Group(strconv.Itoa(n)) + " " + noun + "s"
}

// Join lists words: "a", "a and b", "a, b and c"; beyond most it counts the rest.
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

// IsFinite reports whether x is a number and not infinite.
func IsFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// latexEscapes covers the special characters and the symbols that reports use,
// so that pdflatex needs no further packages.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "[", `{[}`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`,
	"d_eff", `$d_{\mathrm{eff}}$`, "ρ_1", `$\rho_1$`, "ρ*", `$\rho^*$`, "θ*", `$\theta^*$`, "T*", `$T^*$`, "K_Z", `$K_Z$`, "K_X", `$K_X$`,
	"Δ_min", `$\Delta_{\min}$`, "_", `\_`, "Υ", `$\Upsilon$`, "ω", `$\omega$`, "ρ", `$\rho$`, "β", `$\beta$`, "✓", `$\surd$`, "✗",
	`$\times$`, "ξ", `$\xi$`, "δ", `$\delta$`, "Δ", `$\Delta$`,
	"ε", `$\varepsilon$`, "σ", `$\sigma$`, "θ", `$\theta$`, "λ", `$\lambda$`, "d̃", `$\tilde d$`, "‖", `$\|$`, "±", `$\pm$`, "×", `$\times$`,
	"≤", `$\le$`, "≥", `$\ge$`, "²", `$^2$`, "√", `$\surd$`, "∞", `$\infty$`, "−", `$-$`, "³", `$^3$`, "¹", `$^1$`, "₂", `$_2$`, "→",
	`$\to$`, "—", "---", "–", "--", "…", `\dots{}`, "\u00a0", "~", "█", `\rule{0.4em}{1.2ex}`, "░", `\rule{0.4em}{0.2ex}`, "\n", " ",
)

// LaTeX escapes text for LaTeX. Letters that pdflatex has no font for are written by XeLaTeX and LuaLaTeX, and by
// pdflatex as their code.
func LaTeX(s string) string {
	var b strings.Builder
	for _, r := range latexEscapes.Replace(s) {
		switch name := greekLetters[r]; {
		case name != "":
			b.WriteString("$\\" + name + "$")
		case r < 0x80 || unicode.Is(unicode.Latin, r) && r < 0x180 || strings.ContainsRune("¡§©«°µ¶·»¿÷‘’“”„†‡•€™", r):
			b.WriteRune(r)
		// it changes the letter before it, which alone is read as well
		case unicode.Is(unicode.Mn, r) || r == '\u200d' || r >= 0xfe00 && r <= 0xfe0f:
		default:
			fmt.Fprintf(&b, `{\ifdefined\Umathchar %c\else[U+%04X]\fi}`, r, r)
		}
	}
	return b.String()
}

// greekLetters are the names of the letters that latexEscapes leaves.
var greekLetters = map[rune]string{
	'α': "alpha", 'γ': "gamma", 'ζ': "zeta", 'η': "eta", 'ι': "iota", 'κ': "kappa", 'μ': "mu", 'ν': "nu", 'ο': "mathrm{o}", 'π': "pi",
	'ς': "varsigma", 'τ': "tau", 'υ': "upsilon", 'φ': "varphi", 'χ': "chi", 'ψ': "psi", 'ϕ': "phi", 'ϑ': "vartheta",
	'Α': "mathrm{A}", 'Β': "mathrm{B}", 'Γ': "Gamma", 'Ε': "mathrm{E}", 'Ζ': "mathrm{Z}", 'Η': "mathrm{H}", 'Θ': "Theta", 'Ι': "mathrm{I}",
	'Κ': "mathrm{K}", 'Λ': "Lambda", 'Μ': "mathrm{M}", 'Ν': "mathrm{N}", 'Ξ': "Xi", 'Ο': "mathrm{O}", 'Π': "Pi", 'Ρ': "mathrm{P}",
	'Σ': "Sigma",
	'Τ': "mathrm{T}", 'Φ': "Phi", 'Χ': "mathrm{X}", 'Ψ': "Psi", 'Ω': "Omega",
}
