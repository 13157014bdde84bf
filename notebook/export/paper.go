package export

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// paperCode is the largest number of lines of folded text that is kept on one page.
const paperCode = 24

// sheetStyle returns the CSS for paper size and page numbers, or "" for the screen.
func (p *page) sheetStyle() string {
	if !p.paper {
		return ""
	}
	return fmt.Sprintf("@page { size: %s; margin: 17mm 16mm 18mm; @bottom-center { content: counter(page) \" / \" counter(pages); "+
		"font: 8.5pt \"Liberation Sans\", Arial, sans-serif; color: #3d444b; } }\n", cmp.Or(p.opt.Paper, A4))
}

// fitPaper unfolds folded parts, and splits tables that are wider than a page. Package report's long tables
// stay hidden: its style sheet omits them in print.
func fitPaper(body *markup.Node) {
	for _, d := range body.All("details") {
		d.Set("open", "open")
		if strings.Count(d.Plain(), "\n") > paperCode {
			d.Set("class", strings.TrimSpace(d.Get("class")+" pages"))
		}
	}
	for _, around := range body.All("div") {
		if table := around.Child("table"); table != nil && around.HasClass("scroll") {
			around.Children = lists.Flat(around.Children, func(n *markup.Node) []*markup.Node {
				if n == table {
					return split(n)
				}
				return []*markup.Node{n}
			})
		}
	}
}

// These widths are in millimetres: the text width (for both paper sizes), a letter, and the margins of a table cell, as in
// the print style sheet.
const (
	sheetWidth  = 176
	letterWidth = 1.9
	cellMargin  = 2.7
	longestWord = 40 // longer words are broken
)

// split returns a table as several tables, each at most as wide as a page. Each begins with the columns of row names. A
// table with cells that span several columns or rows is returned unchanged.
func split(table *markup.Node) []*markup.Node {
	names := 0 // number of columns with row names
	var widths []float64
	for _, row := range table.All("tr") {
		for j, c := range cellsOf(row) {
			if spans(c) {
				return []*markup.Node{table}
			}
			if j == len(widths) {
				widths = append(widths, 0)
			}
			words := strings.Fields(c.Plain())
			if c.Tag == "th" && c.HasClass("short") { // the style sheet does not break these
				words = []string{c.Plain()}
			}
			for _, word := range words {
				widths[j] = max(widths[j], cellMargin+letterWidth*float64(min(utf8.RuneCountInString(word), longestWord)))
			}
			if c.Tag == "th" && c.Get("scope") == "row" {
				names = max(names, j+1)
			}
		}
	}
	var parts []*markup.Node
	used := 0.0
	for _, w := range widths[:min(names, len(widths))] {
		used += w
	}
	from, width := names, used
	for j := names; j < len(widths); j++ {
		if width += widths[j]; width > sheetWidth && j > from {
			parts = append(parts, columnsOf(table, names, from, j, len(parts) > 0))
			from, width = j, used+widths[j]
		}
	}
	if len(parts) == 0 {
		return []*markup.Node{table}
	}
	return append(parts, columnsOf(table, names, from, len(widths), true))
}

// spans reports whether a cell spans more than one column or row.
func spans(cell *markup.Node) bool {
	return cmp.Or(cell.Get("colspan"), "1") != "1" || cmp.Or(cell.Get("rowspan"), "1") != "1"
}

// cellsOf returns the th and td cells of a row.
func cellsOf(row *markup.Node) []*markup.Node {
	return lists.Where(row.Children, func(c *markup.Node) bool { return c.Tag == "th" || c.Tag == "td" })
}

// columnsOf returns a copy of a table with columns [0, names) and [from, to). If continued is set, the copy has no caption
// and no IDs, because these must not occur twice.
func columnsOf(n *markup.Node, names, from, to int, continued bool) *markup.Node {
	out := *n
	if continued {
		out.Attrs = lists.Where(n.Attrs, func(a markup.Attr) bool { return a.Name != "id" })
	}
	children := n.Children
	if n.Tag == "tr" {
		cells := cellsOf(n)
		children = append(cells[:min(names, len(cells)):min(names, len(cells))], cells[min(from, len(cells)):min(to, len(cells))]...)
	}
	out.Children = nil
	for _, c := range children {
		if continued && c.Tag == "caption" || c.Tag == "colgroup" {
			continue
		}
		out.Children = append(out.Children, columnsOf(c, names, from, to, continued))
	}
	return &out
}
