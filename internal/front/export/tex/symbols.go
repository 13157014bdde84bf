package tex

import (
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/export/markup"
)

// symbols are the TeX commands that stand for one character. The first name of a
// character is the one that the LaTeX report writes for it.
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
	fences = pairs(`langle ⟨ rangle ⟩ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ lVert ‖ rVert ‖ Vert ‖ lvert | rvert | vert | lbrace { rbrace } lbrack [ rbrack ]`)
	large  = pairs(`sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀`)
	// Commands that print their own name; commands of the second list take what
	// stands below and above them as limits.
	functions = markup.Names("log ln exp sin cos tan sinh cosh tanh arcsin arccos arctan cot sec csc deg dim hom ker arg rank tr diag")
	limits    = markup.Names("max min sup inf lim limsup liminf argmax argmin det Pr gcd")
	accents   = pairs("hat ^ widehat ^ tilde ~ widetilde ~ bar ¯ overline ¯ vec → dot ˙ ddot ¨ check ˇ breve ˘ overbrace ⏞ overrightarrow →")
	unders    = pairs("underline _ underbrace ⏟ underbar _")
	spaces    = map[string]string{",": "0.167em", ":": "0.222em", ";": "0.278em", ">": "0.222em", "!": "-0.167em", " ": "0.25em",
		"quad": "1em", "qquad": "2em", "enspace": "0.5em", "~": "0.25em"}
	ignored = markup.Names("displaystyle textstyle scriptstyle limits nolimits big Big bigg Bigg bigl bigr Bigl Bigr biggl " +
		"biggr Biggl Biggr bigm Bigm notag nonumber hfill")
)

// pairs reads "name character name character".
func pairs(list string) map[string]string {
	m := map[string]string{}
	words := strings.Fields(list)
	for i := 0; i+1 < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}

// alphabet holds where Unicode keeps the letters of a mathematical alphabet, and the ones that had
// a place before.
type alphabet struct {
	upper, lower, digit rune // of A, a and 0; 0 where the alphabet lacks them
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

func init() {
	alphabets["mathscr"] = alphabets["mathcal"]
	alphabets["boldsymbol"], alphabets["bm"] = alphabets["mathbf"], alphabets["mathbf"]
}

func (a alphabet) letter(r rune) string {
	switch s := a.before[string(r)]; {
	case s != "":
		return s
	case 'A' <= r && r <= 'Z':
		return string(a.upper + r - 'A')
	case 'a' <= r && r <= 'z':
		return string(a.lower + r - 'a')
	case '0' <= r && r <= '9' && a.digit != 0:
		return string(a.digit + r - '0')
	}
	return string(r)
}
