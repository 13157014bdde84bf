package export

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// blocksFor returns the title of a report and its blocks.
func blocksFor(ctx context.Context, nb *notebook.Notebook, opt Options, t target) (title string, blocks []report.Block) {
	p := newPage(nb, opt, t.paper, nil)
	p.to = &t
	main := p.body().Child("main")
	return strings.Join(strings.Fields(main.Children[0].Plain()), " "), blocksOf(ctx, main, t)
}

// pictures are the media types of images, and texts those of other representations, best first.
var (
	pictures = []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"}
	texts    = []string{"text/html", "text/markdown", "text/latex", "application/json", "text/plain"}
)

// markdown returns the report as Markdown for code hosts, or for Quarto.
func markdown(ctx context.Context, nb *notebook.Notebook, opt Options, quarto bool, put putter) []byte {
	t := target{put: put, quarto: quarto, figures: pictures[:2], media: slices.Concat(pictures, texts), anchor: hostAnchor, deepest: 20}
	if quarto {
		t.anchor = slug
	}
	title, blocks := blocksFor(ctx, nb, opt, t)
	head := report.MarkdownOf([]report.Block{report.Heading{Level: 1, Text: report.Prose{{Text: title}}}}, false)
	if quarto {
		date := ""
		if t := opt.Provenance.Started; !t.IsZero() {
			date = "date: " + t.Format(time.DateOnly) + "\n"
		}
		head = fmt.Sprintf("---\ntitle: \"%s\"\n%sexecute:\n  enabled: false\nformat:\n  html:\n    embed-resources: true\n    toc: true\n---\n",
			strings.NewReplacer(`\`, `\\`, `"`, `\"`, "<", `\\<`, "`", "\\\\`", "{", `\\{`).Replace(title), date) // Quarto reads it as Markdown
	}
	text := strings.TrimLeft(head+report.MarkdownOf(blocks, quarto), "\n")
	if !quarto && opt.Source != "" {
		text += fmt.Sprintf("\n"+madeFrom+"\n", opt.Source)
	}
	return []byte(markup.XMLText(text))
}

// hostAnchor returns the anchor that a code host gives to a heading.
func hostAnchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case unicode.IsSpace(r):
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
}

// madeFrom is a comment in a Markdown report that contains the notebook's path and is invisible to readers.
const madeFrom = "<!-- gonb-cope report of %s -->"

var madeFromLine = regexp.MustCompile(`(?m)^` + fmt.Sprintf(madeFrom, "(.+)") + `$`)

// Outputs returns a Markdown report without its provenance, which differs from run to run. source is the notebook's path
// relative to the report's folder. If the text is not such a report, Outputs returns it unchanged and source is "".
func Outputs(report string) (text, source string) {
	m := madeFromLine.FindStringSubmatchIndex(report)
	if m == nil {
		return report, ""
	}
	text, source = report[:m[0]], report[m[2]:m[3]]
	if at := strings.LastIndex(text, provenanceMark); at >= 0 {
		text = text[:at]
	}
	return strings.TrimRight(text, "\n"), source
}

// provenanceMark is the text before the provenance.
const provenanceMark = "\n<!-- provenance -->\n"

// docx returns the report as a .docx file. pandoc converts Markdown with embedded images.
func docx(ctx context.Context, nb *notebook.Notebook, opt Options, _ putter) ([]byte, error) {
	inline := func(name string, data []byte) string {
		_, media, _ := sniffed(data)
		return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)
	}
	// Word does not show SVG everywhere.
	media := slices.Concat(pictures[1:], pictures[:1], texts)
	title, blocks := blocksFor(ctx, nb, opt, target{put: inline, paper: true, figures: pictures[1:2], media: media, deepest: 20})
	text := markup.XMLText(report.MarkdownOf(blocks, false))
	file, warnings, err := pandoc.Docx(ctx, pandoc.Source{Title: title, Markdown: []byte(text), Raise: true, Math: true})
	for _, w := range warnings {
		if opt.Notice != nil {
			opt.Notice(w)
		}
	}
	return file, err
}

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

// latex returns the report as an article for pdfLaTeX. A picture is PDF if the output has its data or a PDF, or if a
// browser can print its SVG. Otherwise the picture is PNG or JPEG.
func latex(ctx context.Context, nb *notebook.Notebook, opt Options, put putter) []byte {
	drawings := pictures
	if _, err := chromium.Find(); err != nil {
		drawings = slices.Concat(pictures[1:3], pictures)
	}
	title, blocks := blocksFor(ctx, nb, opt, target{put: put, latex: true, paper: true, figures: []string{pdfMedia, pictures[1]},
		media: slices.Concat([]string{pdfMedia}, drawings, []string{"text/latex"}, texts), deepest: 4})
	date := ""
	if !opt.Provenance.Started.IsZero() {
		date = opt.Provenance.Started.Format("2 January 2006")
	}
	return fmt.Appendf(nil, "%s\\title{%s}\n\\author{}\n\\date{%s}\n\\begin{document}\n\\maketitle\n%s\n\\end{document}\n",
		strings.Replace(preamble, "PAPERpaper", string(cmp.Or(opt.Paper, A4))+"paper", 1),
		strings.TrimSpace(report.LaTeXOf([]report.Block{report.Prose{{Text: title}}})), date, report.LaTeXOf(blocks))
}
