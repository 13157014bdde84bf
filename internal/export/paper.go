package export

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/export/markup"
)

// How much of a table goes to paper. The page for the screen and the executed notebook have all.
const (
	paperRows = 16 // of a table that is printed whole
	paperHead = 12 // rows of a longer one, before the line that says how many follow
	shortName = 16 // letters of a name that is not broken
)

// sheetStyle returns the size of the sheet and the number at its foot; "" for the screen.
func (p *page) sheetStyle() string {
	if !p.paper {
		return ""
	}
	return fmt.Sprintf("@page { size: %s; margin: 17mm 16mm 18mm; @bottom-center { content: counter(page) \" / \" counter(pages); "+
		"font: 8.5pt \"Liberation Sans\", Arial, sans-serif; color: #3d444b; } }\n", cmp.Or(p.opt.Paper, A4))
}

// fitPaper opens what is folded on the screen, and shortens long tables: those that were folded are
// left out, and of others the first rows stay.
func fitPaper(body *markup.Node) {
	for _, d := range body.All("details") {
		d.Set("open", "open")
		if !d.HasClass("data") && len(d.All("tr")) > paperRows+1 {
			d.Set("class", strings.TrimSpace(d.Get("class")+" long"))
		}
	}
	for _, output := range body.All("div") {
		if !output.HasClass("output") {
			continue
		}
		for _, table := range output.All("table") {
			shortenTable(table)
		}
	}
}

// shortenTable keeps the first rows of a long table, and keeps short names in one line.
// Facts, each of its own kind, stay.
func shortenTable(table *markup.Node) {
	for _, body := range table.All("tbody") {
		if rows := len(body.Children); rows > paperRows && !table.HasClass("facts") {
			columns := len(body.Children[0].Children)
			note := markup.Element("td", []string{"colspan", strconv.Itoa(columns), "class", "more"},
				markup.Text(fmt.Sprintf("… %d more rows in the page for the screen", rows-paperHead)))
			body.Children = append(body.Children[:paperHead:paperHead], markup.Element("tr", nil, note))
		}
		for _, cell := range slices.Concat(body.All("th"), body.All("td")) {
			if utf8.RuneCountInString(cell.Plain()) <= shortName && !cell.HasClass("r") {
				cell.Set("class", strings.TrimSpace(cell.Get("class")+" short"))
			}
		}
	}
}

var (
	pdfObject      = regexp.MustCompile(`(?s)(?:^|\n)(\d+) 0 obj\s*(<<.*?>>)\s*(?:endobj|stream)`)
	pdfKids        = regexp.MustCompile(`/Kids\s*\[([^\]]*)\]`)
	pdfReference   = regexp.MustCompile(`(\d+) 0 R`)
	pdfDestination = regexp.MustCompile(`/([^\s/<>\[\]()]+)\s*\[(\d+) 0 R /XYZ`)
	pdfEscape      = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)
)

// destinations returns the page, from 1, of each place that the links in a PDF of Chromium lead to,
// by id. It is empty for a PDF without links, and for one of another make.
func destinations(pdf []byte) map[string]int {
	objects := map[string]string{}
	root := ""
	for _, m := range pdfObject.FindAllSubmatch(pdf, -1) {
		number, text := string(m[1]), string(m[2])
		objects[number] = text
		if strings.Contains(text, "/Type /Pages") && !strings.Contains(text, "/Parent") {
			root = number
		}
	}
	order := map[string]int{} // of pages, by object
	var walk func(number string)
	walk = func(number string) {
		text, known := objects[number]
		if !known {
			return
		}
		delete(objects, number) // a tree has each once
		kids := pdfKids.FindStringSubmatch(text)
		if kids == nil {
			order[number] = len(order) + 1
			return
		}
		for _, k := range pdfReference.FindAllStringSubmatch(kids[1], -1) {
			walk(k[1])
		}
	}
	walk(root)
	out := map[string]int{}
	for _, m := range pdfDestination.FindAllSubmatch(pdf, -1) {
		id := pdfEscape.ReplaceAllStringFunc(string(m[1]), func(s string) string {
			b, _ := strconv.ParseUint(s[1:], 16, 8) // two digits
			return string([]byte{byte(b)})
		})
		if n := order[string(m[2])]; n > 0 && id != "Dest" { // which is the key of an outline's place
			out[id] = n
		}
	}
	return out
}
