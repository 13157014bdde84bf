package markup

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
)

// mostRepeats limits the elements of a drawing when each reference counts as a copy of its target.
const mostRepeats = 200_000

// heavyDrawing is the name, in Cleaner.Lost, of drawings above mostRepeats.
const heavyDrawing = "drawing that repeats its parts too often"

// inPaint matches a reference in a property, such as fill="url(#a)".
var inPaint = regexp.MustCompile(`url\(["']?#([^"')]+)`)

// repeats returns the number of elements in a drawing when each reference counts as a copy of its target. Nested
// references make this number exponential, so a browser may never finish a small drawing.
func repeats(drawing *Node) float64 {
	parts, found := map[string]*Node{}, map[*Node]float64{}
	drawing.Walk(func(n *Node) bool {
		if id := n.Get("id"); id != "" && parts[id] == nil {
			parts[id] = n
		}
		return true
	})
	under := map[*Node]bool{}
	var count func(n *Node) float64
	count = func(n *Node) float64 {
		if v, known := found[n]; known {
			return v
		}
		if under[n] { // a cycle, which browsers ignore
			return 0
		}
		under[n] = true
		total := 1.
		for _, c := range n.Children {
			total += count(c)
		}
		for _, a := range n.Attrs {
			if id, inside := strings.CutPrefix(a.Value, "#"); inside && strings.HasSuffix(a.Name, "href") && parts[id] != nil {
				total += count(parts[id])
			} else if strings.Contains(a.Value, "url(") {
				for _, m := range inPaint.FindAllStringSubmatch(a.Value, -1) {
					if parts[m[1]] != nil {
						total += count(parts[m[1]])
					}
				}
			}
		}
		delete(under, n)
		found[n] = total
		return total
	}
	return count(drawing)
}

// heavyImage reports whether a data: URI contains a drawing above mostRepeats.
func heavyImage(address string) bool {
	rest, isDrawing := strings.CutPrefix(address, "data:image/svg+xml")
	form, text, found := strings.Cut(rest, ",")
	if !isDrawing || !found {
		return false
	}
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	if strings.HasSuffix(form, ";base64") {
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return false
		}
		text = string(data)
	}
	return HeavyDrawing(text)
}

// HeavyDrawing reports whether an SVG source has more than mostRepeats elements when references count as copies.
func HeavyDrawing(source string) bool {
	if !strings.Contains(source, "#") {
		return false
	}
	return repeats(Parse(source)) > mostRepeats
}
