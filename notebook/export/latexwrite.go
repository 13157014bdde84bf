package export

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// latexWriter writes a notebook as an article for pdfLaTeX. A picture is PDF if the output has its data or a PDF, or if a
// browser can print its SVG. Otherwise the picture is PNG or JPEG.
type latexWriter struct {
	textWriter
	ctx   context.Context
	shift int // subtracted from the levels of headings
}

// These are options of the Verbatim environment for code and for outputs.
const (
	codeFrame   = `fontsize=\footnotesize,frame=leftline,framesep=2mm`
	outputFrame = `fontsize=\footnotesize,xleftmargin=2.5mm`
)

// preamble uses only packages among TeX Live's recommended ones. Pictures and tables are never wider than the text. latex
// replaces PAPER by the paper size.
const preamble = `\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage[PAPERpaper,margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb,booktabs,fancyvrb,float,graphicx,textcomp}
\usepackage[hidelinks]{hyperref}
\providecommand{\bm}[1]{\boldsymbol{#1}}
\providecommand{\mathscr}[1]{\mathcal{#1}}
\providecommand{\coloneqq}{:=}
\providecommand{\argmax}{\operatorname*{arg\,max}}
\providecommand{\argmin}{\operatorname*{arg\,min}}
\providecommand{\rank}{\operatorname{rank}}
\providecommand{\tr}{\operatorname{tr}}
\providecommand{\diag}{\operatorname{diag}}
\setlength{\parindent}{0pt}
\setlength{\parskip}{.5\baselineskip}
\setlength{\emergencystretch}{3em}
\newsavebox{\fitbox}
\newenvironment{fitted}{\begin{lrbox}{\fitbox}}{\end{lrbox}\ifdim\wd\fitbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\fitbox}}\else\usebox{\fitbox}\fi}
\makeatletter
\def\maxwidth{\ifdim\Gin@nat@width>\linewidth\linewidth\else\Gin@nat@width\fi}
\makeatother
\setkeys{Gin}{width=\maxwidth,keepaspectratio}
`

// latex returns the report as a LaTeX article.
func latex(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) []byte {
	title, strip := titleOf(nb, opt)
	l := &latexWriter{newTextWriter(nb, opt, put, strip, true), ctx, sectionShift(nb, opt, strip)}
	l.body(nb, l, "\n\\noindent\\textbf{This run failed.} %s\n", "\n\\section*{Provenance}\n")
	date := ""
	if !opt.Provenance.Started.IsZero() {
		date = opt.Provenance.Started.Format("2 January 2006")
	}
	head := fmt.Sprintf("\\title{%s}\n\\author{}\n\\date{%s}\n", tex.Text(title), date)
	return []byte(strings.Replace(preamble, "PAPERpaper", string(cmp.Or(opt.Paper, A4))+"paper", 1) +
		tex.Characters(head+l.b.String()) + head + "\\begin{document}\n\\maketitle\n" + l.b.String() + "\n\\end{document}\n")
}

// sectionShift returns 0 if a heading of level 1 exists besides the title, and otherwise 1.
func sectionShift(nb *notebook.Notebook, opt Options, strip bool) int {
	for h := range headings(nb, opt) {
		if !strip && h.heading.Level == 1 {
			return 0
		}
		strip = false
	}
	return 1
}

func (*latexWriter) escape(s string) string { return tex.Text(s) }

func (*latexWriter) emphasis(s string) string { return `\emph{` + tex.Text(s) + "}" }

// raw writes a raw cell whose format is LaTeX, Markdown, plain text or missing. It returns false for other formats, and
// for LaTeX that would not compile.
func (l *latexWriter) raw(number int, c *notebook.Cell, format string) bool {
	switch format {
	case "", "text/plain":
		l.b.WriteString(tex.Verbatim(c.Source, outputFrame))
	case "text/markdown":
		l.b.WriteString(l.markdown(l.opt.read(c.Source, fmt.Sprintf("c%d", number)), c, true))
	case "text/latex":
		if !tex.Compilable(c.Source) {
			return false
		}
		l.writef("\n%s\n", placed(c.Source))
	default:
		return false
	}
	return true
}

func (l *latexWriter) prose(number int, c *notebook.Cell) {
	l.b.WriteString(l.markdown(l.opt.finalText(c, fmt.Sprintf("c%d", number)), c, false))
}

// source writes code. It writes the name of the language above the code if it is not the notebook's language.
func (l *latexWriter) source(c *notebook.Cell, _ bool) {
	if lang := cellLanguage(c, l.own); lang != l.own && lang != cope {
		l.writef("\n\\noindent{\\footnotesize\\textit{%s}}\n", tex.Text(lang.title))
	}
	l.b.WriteString(tex.Verbatim(c.Source, codeFrame))
}

func (l *latexWriter) output(number int, c *notebook.Cell, o notebook.Output) {
	switch o.Type {
	case notebook.Stream:
		if text, _ := shorten(stripANSI(o.Text)); strings.TrimSpace(text) != "" {
			l.b.WriteString(tex.Verbatim(text, outputFrame))
		}
	case notebook.Error:
		l.writef("\n\\noindent\\textbf{Error:} %s\n", tex.Text(errorLine(o)))
		if trace := strings.TrimSpace(stripANSI(strings.Join(o.Traceback, "\n"))); trace != "" {
			l.b.WriteString(tex.Verbatim(trace, outputFrame))
		}
	default:
		l.rich(number, c, o)
	}
}

// float matches the start of environments that LaTeX could move to another page.
var float = regexp.MustCompile(`\\begin\{(table|figure)\}(\[[a-zA-Z!]*\])?`)

// placed returns LaTeX in which tables keep their position and fit the width of the page.
func placed(source string) string {
	source = float.ReplaceAllString(strings.TrimSpace(source), `\begin{$1}[H]`)
	return strings.NewReplacer(`\begin{tabular}`, `\begin{fitted}\begin{tabular}`, `\end{tabular}`,
		`\end{tabular}\end{fitted}`).Replace(source)
}

func (l *latexWriter) rich(number int, c *notebook.Cell, o notebook.Output) {
	if p, ok := drawn(number, o, true, ".pdf", ".svg", ".png", ".jpg"); ok {
		if p.ending == ".svg" {
			l.svg(p, number, o)
			return
		}
		l.figure(p)
		return
	}
	media, source := textOf(o, "text/latex", "text/markdown", "text/plain", "application/json", "text/html")
	switch media {
	case "text/latex":
		if formula, ok := loneFormula(source); ok {
			l.b.WriteString(displayMath(formula))
		} else {
			l.writef("\n%s\n", placed(source))
		}
	case "text/markdown":
		l.b.WriteString(l.markdown(l.opt.read(source, "o"), c, true))
	case "text/plain", "application/json":
		text, _ := shorten(stripANSI(source))
		l.b.WriteString(tex.Verbatim(text, outputFrame))
	case "text/html":
		if text, _ := shorten(htmlText(source)); strings.TrimSpace(text) != "" {
			l.b.WriteString(tex.Verbatim(text, outputFrame))
		}
	}
	l.b.WriteString(l.notShown(media, o, l.emphasis))
}

// svg writes a drawing of another program as PDF if a browser can print it, or else as the output's PNG or JPEG. Without
// either it writes a note.
func (l *latexWriter) svg(p picture, number int, o notebook.Output) {
	if data, err := svgPDF(l.ctx, string(p.data)); err == nil {
		p.data, p.ending = data, ".pdf"
		l.figure(p)
		return
	}
	if png, ok := drawn(number, o, true, ".png", ".jpg"); ok {
		l.figure(png)
		return
	}
	l.writef("\n\\emph{The drawing in %s is not shown: without Chromium there is no PDF of it.}\n", tex.Text(l.file("figure", ".svg", p.data)))
}

func (l *latexWriter) figure(p picture) {
	l.writef("\n\\begin{figure}[H]\n\\centering\n\\includegraphics{%s}\n\\caption{%s}\n\\end{figure}\n",
		l.file("figure", p.ending, p.data), tex.Text(cmp.Or(p.caption, p.alt)))
}

// image returns an \includegraphics command for an image in running text, or a note if the image cannot be used.
func (l *latexWriter) image(src string, c *notebook.Cell) string {
	data, media, problem := imageBytes(src, c, l.opt.Folder)
	ending := endings[media]
	switch {
	case media == "image/svg+xml":
		var err error
		if data, err = svgPDF(l.ctx, string(data)); err != nil {
			problem = "without Chromium there is no PDF of it"
		}
		ending = ".pdf"
	case problem == "" && media != "image/png" && media != "image/jpeg":
		problem = "LaTeX cannot use " + strings.TrimPrefix(media, "image/")
	}
	if problem != "" {
		return `\emph{` + tex.Text(markup.MissingImage(unescapePath(src), problem)) + "}"
	}
	return fmt.Sprintf("\\includegraphics{%s}", l.file("image", ending, data))
}

func (l *latexWriter) facts(t facts) {
	sides := `lp{.7\linewidth}`
	if len(t.heads) == 3 {
		sides = `lp{.35\linewidth}p{.35\linewidth}`
	}
	title := fmt.Sprintf("\\textbf{%s}\n\n", tex.Text(t.caption))
	l.b.WriteString(tabular(title, sides, t.heads, lists.Map(t.rows, func(r []string) []string { return lists.Map(r, tex.Text) })))
}
