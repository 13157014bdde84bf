// Package export turns an executed notebook into a report: an HTML page, a PDF
// of that page, a .docx file, Markdown for code hosts or for Quarto, a LaTeX article, or the notebook
// itself. It executes nothing and computes nothing; what a cell has put out is
// what the report shows.
//
// The way through the package:
//
//	notebook ──prose──▶ headings, outline, Markdown as markup ─┐
//	         ──choose──▶ one representation of each output ────┼─▶ page ──print──▶ PDF
//	         ──facts──▶ provenance ────────────────────────────┘
//	                                                           └─▶ Markdown, LaTeX, with files beside
//
// # What comes from outside is rebuilt
//
// Package markup reads Markdown (as HTML), HTML and drawings of a notebook into a tree
// and keeps of it, and of style sheets, what is known to be harmless. The page is
// written from that tree. So nothing that a cell wrote can run, load anything from a
// network, or leave an element open; and the page is well-formed XML besides being
// HTML. A content policy in the head says the same to the browser, and a rule of
// page.css keeps what an output draws within its place. LaTeX of outputs may use the
// commands and environments that package tex lists. On the tree of the page, ids are
// made unique, figures and tables are numbered, and headings find their level.
// The only script of a page is our own: it sorts tables and opens what is folded
// before printing, and the page works without it.
//
// # What the author wrote stays
//
// All reports take title, headings, links and images from the tree of the Markdown
// (written.go). A Markdown report changes the source at their places and nowhere else.
//
// # Omissions, and how a reader sees them
//
// Images that cannot be read, scripts of outputs and very long outputs are replaced by a visible
// note that states so. Tags of cells rule what is hidden (see the constants in hidden.go); they are
// Jupyter Book's.
package export
