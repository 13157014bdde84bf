package report

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// The blocks of texts that people write, and of outputs of other programs. Package export makes them from notebooks.
// Markdown and LaTeX write them; pages of notebooks are written from the cleaned HTML instead.
type (
	// Prose is a paragraph. It may also be a cell or a heading of a Table.
	Prose []Inline

	// Heading is a heading below the title, whose level is 1.
	Heading struct {
		Level int
		Text  Prose
	}

	// List is a list of items.
	List struct {
		Ordered bool
		First   int // number of the first item of an ordered list
		Items   [][]Block
	}

	// Quote sets blocks apart.
	Quote []Block

	// Image is a picture in a file, with its caption.
	Image struct {
		File, Alt string
		Caption   Prose
	}

	// Group is a part of a notebook: a cell, an output, or a part that readers can unfold.
	Group struct {
		Class   string // class for Quarto; "" if it has none
		Summary string // title of a folded part; "" if the group is not folded
		Blocks  []Block
	}
)

// IsBlock marks a block.
func (Prose) IsBlock()   {}
func (Heading) IsBlock() {}
func (List) IsBlock()    {}
func (Quote) IsBlock()   {}
func (Image) IsBlock()   {}
func (Group) IsBlock()   {}

// InlineKind is the kind of a piece of running text.
type InlineKind int

// The kinds of pieces. The kinds from Emphasis have other pieces inside.
const (
	Words   InlineKind = iota
	Literal            // Text is code
	Raw                // Text is markup of the document's own language, for example a formula
	Break              // a new line
	Picture            // Text is a description, To a file
	Emphasis
	Strong
	Struck
	Raised
	Lowered
	Footnote
	Link // To is an address
)

// Inline is a piece of running text.
type Inline struct {
	Kind     InlineKind
	Text, To string
	Inside   Prose
}

// String returns the text without markup.
func (p Prose) String() string {
	return strings.Join(lists.Map(p, func(in Inline) string { return in.Text + in.Inside.String() }), "")
}

// inline returns running text in the markup language.
func (p *markWriter) inline(text Prose) string {
	var b strings.Builder
	for _, in := range text {
		switch in.Kind {
		case Words:
			b.WriteString(p.words(in.Text))
		case Literal:
			b.WriteString(p.source(in.Text))
		case Raw:
			b.WriteString(in.Text)
		case Break:
			b.WriteString(p.runs[Break])
		case Picture:
			fmt.Fprintf(&b, p.runs[Picture], p.escape(in.Text), in.To)
		case Footnote:
			fmt.Fprintf(&b, p.runs[Footnote], p.oneLine(in.Inside))
		case Link:
			fmt.Fprintf(&b, p.runs[Link], p.inline(in.Inside), in.To)
		default: // blanks inside the marks would switch them off
			inner := p.inline(in.Inside)
			if middle := strings.TrimSpace(inner); middle != "" {
				before, after, _ := strings.Cut(inner, middle)
				b.WriteString(before + fmt.Sprintf(p.runs[in.Kind], middle) + after)
			}
		}
	}
	return b.String()
}

// words escapes text and keeps its line ends.
func (p *markWriter) words(s string) string {
	return strings.Join(lists.Map(strings.Split(s, "\n"), p.escape), "\n")
}

// oneLine returns running text in one line.
func (p *markWriter) oneLine(text Prose) string {
	return strings.TrimSpace(strings.ReplaceAll(p.inline(text), "\n", " "))
}

// cellMarkup returns a cell in the markup language. text is its plain text.
func (p *markWriter) cellMarkup(v any, text string) string {
	if prose, ok := v.(Prose); ok {
		return p.oneLine(prose)
	}
	return p.escape(text)
}

// headingMarkup returns the heading of a column in the markup language.
func (p *markWriter) headingMarkup(c Column) string {
	if c.Prose != nil {
		return p.oneLine(c.Prose)
	}
	return p.escape(c.heading())
}

// within returns the markup of blocks inside another block.
func (p *markWriter) within(m medium, blocks []Block) string {
	outer := p.b
	p.b = new(strings.Builder)
	p.blocks(m, blocks)
	inner := p.b.String()
	p.b = outer
	return strings.Trim(inner, "\n")
}

// MarkdownOf writes blocks as Markdown. If quarto is true, groups are Quarto's divs, and pictures have descriptions beside
// their captions.
func MarkdownOf(blocks []Block, quarto bool) string {
	m := newMarkdown()
	m.prose = m.writeProse
	if m.quarto = quarto; quarto { // braces state attributes
		m.escape = func(s string) string { return strings.ReplaceAll(inlineMarkdown(s), "{", `\{`) }
	}
	m.blocks(m, blocks)
	return m.b.String()
}

// startsBlock matches the beginning of a line that Markdown would read as a list, a quote or a rule.
var startsBlock = regexp.MustCompile(`(?m)^([ \t]*\d*)([-+.)](?:[ \t]|$)|[>=]|--+$)`)

// plainTitle replaces what Quarto would read as markup in the title of a folded part.
var plainTitle = strings.NewReplacer(`"`, "'", "`", "'", "<", "‹", "{", "(")

// indented writes blocks whose first line begins with first and whose other lines begin with rest.
func (m *markdownWriter) indented(first, rest string, blocks []Block) {
	m.write(first + strings.ReplaceAll(m.within(m, blocks), "\n", "\n"+rest) + "\n")
}

func (m *markdownWriter) writeProse(b Block) {
	switch b := b.(type) {
	case Prose:
		m.writef(m.paragraph, startsBlock.ReplaceAllString(strings.TrimSpace(m.inline(b)), `$1\$2`))
	case Heading:
		m.writef("\n%s %s\n", strings.Repeat("#", min(b.Level, 6)), m.oneLine(b.Text))
	case List:
		m.write("\n")
		for i, item := range b.Items {
			mark := "- "
			if b.Ordered {
				mark = fmt.Sprintf("%d. ", b.First+i)
			}
			m.indented(mark, strings.Repeat(" ", len(mark)), item)
		}
	case Quote:
		m.write("\n")
		m.indented("> ", "> ", b)
	case Image:
		caption, alt := m.oneLine(b.Caption), m.escape(b.Alt)
		if m.quarto {
			alt = strings.NewReplacer("[", "(", "]", ")", `"`, "'", "\n", " ").Replace(b.Alt)
			m.writef("\n![%s](%s){fig-alt=\"%s\"}\n", cmp.Or(caption, m.escape(alt)), b.File, alt)
			return
		}
		if m.word {
			alt = cmp.Or(caption, alt)
		}
		m.writef("\n![%s](%s)\n", alt, b.File)
	case Group:
		inner := m.within(m, b.Blocks)
		switch colons := strings.Repeat(":", 3+strings.Count(b.Class+" ", "cell ")); {
		case inner == "":
		case m.quarto && b.Summary != "":
			m.writef("\n::: {.callout-note collapse=\"true\" title=\"%s\"}\n\n%s\n\n:::\n", plainTitle.Replace(b.Summary), inner)
		case m.quarto && b.Class != "":
			m.writef("\n%s {%s}\n\n%s\n\n%s\n", colons, b.Class, inner, colons)
		case b.Summary != "" && !m.word:
			m.writef("\n<details><summary>%s</summary>\n\n%s\n\n</details>\n", html.EscapeString(b.Summary), inner)
		default:
			m.writef("\n%s\n", inner)
		}
	}
}

// LaTeXOf writes blocks as LaTeX for an article with the packages booktabs, float and graphicx, and with the environment
// fitted, which makes its content at most as wide as the text.
func LaTeXOf(blocks []Block) string {
	l := newLaTeX(true)
	l.article, l.prose = true, l.writeProse
	l.blocks(l, blocks)
	return l.b.String()
}

// sections are the commands of headings, from level 2.
var sections = []string{"section", "subsection", "subsubsection", "paragraph", "subparagraph"}

func (l *latexWriter) writeProse(b Block) {
	switch b := b.(type) {
	case Prose:
		l.writef(l.paragraph, strings.TrimSpace(l.inline(b)))
	case Heading:
		l.writef("\n\\%s{%s}\n", sections[min(max(b.Level, 2), 6)-2], l.oneLine(b.Text))
	case List:
		kind := "itemize"
		if b.Ordered {
			kind = "enumerate"
		}
		if len(b.Items) > 0 {
			l.writef("\n\\begin{%s}\n%s\\end{%[1]s}\n", kind, strings.Join(lists.Map(b.Items, func(item []Block) string {
				return "\\item " + l.within(l, item) + "\n"
			}), ""))
		}
	case Quote:
		l.writef("\n\\begin{quote}\n%s\n\\end{quote}\n", l.within(l, b))
	case Image:
		l.writef("\n\\begin{figure}[H]\n\\centering\n\\includegraphics{%s}\n\\caption{%s}\n\\end{figure}\n",
			b.File, cmp.Or(l.oneLine(b.Caption), l.escape(b.Alt)))
	case Group:
		l.blocks(l, b.Blocks)
	}
}
