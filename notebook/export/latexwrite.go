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

// latexWriter writes a notebook as an article for pdfLaTeX. Pictures are PDF where
// the output has its data or a PDF, or a browser can print its SVG; else PNG.
type latexWriter struct {
	textWriter
	ctx   context.Context
	shift int // of the levels of headings
}

// How code and outputs are set.
const (
	codeFrame   = `fontsize=\footnotesize,frame=leftline,framesep=2mm`
	outputFrame = `fontsize=\footnotesize,xleftmargin=2.5mm`
)

// preamble needs nothing beyond TeX Live's recommended packages. Pictures and tables
// are never wider than the text. PAPER is the size of the paper.
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

// latex returns the report as an article.
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

// sectionShift returns 0 when headings of level 1 remain besides the title, else 1.
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

// raw writes a raw cell for LaTeX that can be in the article, one for Markdown, and one for no format in particular, which is text.
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

// source writes code, under the name of its language if it is not the notebook's.
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

// float matches what LaTeX would move to another page.
var float = regexp.MustCompile(`\\begin\{(table|figure)\}(\[[a-zA-Z!]*\])?`)

// placed keeps the tables of an output where they were put out, and on the page.
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

// svg prints a foreign drawing as PDF where a browser is at hand; else it takes the
// output's PNG, or states what is missing.
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

// image returns a picture in running text.
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
