// Package export converts an executed notebook into a report: an HTML page, a PDF of this page, a .docx file, Markdown
// for code hosts or for Quarto, a LaTeX article, or the notebook itself. It executes nothing and computes no results: a
// report shows the outputs of the notebook.
//
//	notebook ──prose──▶ Markdown as markup, outline ───────────┐
//	         ──choose──▶ one representation of each output ────┼─▶ tree ──▶ HTML page ──print──▶ PDF
//	         ──facts──▶ provenance ────────────────────────────┘     └──▶ blocks of package report ──▶ Markdown, LaTeX
//
// All reports come from the cleaned tree of the page (page.go). For Markdown, .docx files and LaTeX it becomes blocks of
// package report (blocks.go), which writes them (article.go has what surrounds them). Pictures of these reports are files
// in a folder.
//
// # Untrusted content is rebuilt
//
// Package markup parses the notebook's Markdown (as HTML), HTML, drawings and style sheets, and keeps only what is
// known to be harmless. The page is written from the resulting tree. So no output can run code, load anything from a
// network, or leave an element open, and the page is also well-formed XML. A content policy in the head enforces the
// same in the browser. A rule of page.css keeps drawings of an output inside its area. LaTeX of outputs may contain
// only the commands and environments listed in package tex.
//
// In the tree of the page, IDs are made unique, figures and tables get numbers, and headings get levels. The only
// script of a page is ours. It sorts tables and unfolds folded parts before printing; the page also works without it.
//
// # Omissions are visible
//
// A note replaces images that cannot be read, scripts in outputs, and very long outputs. Cell tags, mostly Jupyter
// Book's, state what is hidden (see the constants in hidden.go).
package export
