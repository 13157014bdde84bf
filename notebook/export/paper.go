package export

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// paperCode is the most lines of a cell's source that are kept on one page.
const paperCode = 24

// sheetStyle returns the size of the sheet and the number at its foot; "" for the screen.
func (p *page) sheetStyle() string {
	if !p.paper {
		return ""
	}
	return fmt.Sprintf("@page { size: %s; margin: 17mm 16mm 18mm; @bottom-center { content: counter(page) \" / \" counter(pages); "+
		"font: 8.5pt \"Liberation Sans\", Arial, sans-serif; color: #3d444b; } }\n", cmp.Or(p.opt.Paper, A4))
}

// fitPaper opens what is folded on the screen, and splits tables that are wider than a sheet. All rows
// of a table are printed, except for long tables that are folded on the screen.
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

// Widths in millimetres: of the text on a sheet of either size, and of a letter and of the margins of a cell
// in the print of the style sheet.
const (
	sheetWidth  = 176
	letterWidth = 1.9
	cellMargin  = 2.7
	longestWord = 40 // letters of a word that is not broken
)

// split returns a table as several tables, one below the other, each at most as wide as a sheet. Each
// begins with the names of the rows. A table with cells that span columns is returned whole.
func split(table *markup.Node) []*markup.Node {
	names := 0 // columns with the names of the rows
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
			if c.Tag == "th" && c.HasClass("short") { // kept in one line
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

// spans reports whether a cell is larger than one column and row.
func spans(cell *markup.Node) bool {
	return cmp.Or(cell.Get("colspan"), "1") != "1" || cmp.Or(cell.Get("rowspan"), "1") != "1"
}

// cellsOf returns the cells of a row.
func cellsOf(row *markup.Node) []*markup.Node {
	return lists.Where(row.Children, func(c *markup.Node) bool { return c.Tag == "th" || c.Tag == "td" })
}

// columnsOf returns a copy of a table with the columns before names and those from one to before another. A
// continued table has no caption and no ids, which a page has once.
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
