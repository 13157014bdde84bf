package markup

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
)

// mostRepeats is the number of elements that a drawing may have when all of its references are followed.
const mostRepeats = 200_000

// heavyDrawing names a drawing that comes to more.
const heavyDrawing = "drawing that repeats its parts too often"

// inPaint is a reference in a property, such as fill="url(#a)".
var inPaint = regexp.MustCompile(`url\(["']?#([^"')]+)`)

// repeats returns the number of elements that a drawing has when each reference to a part counts as the part: ten references to what has
// ten references, and so on, make a small drawing one that no browser ends.
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
		if under[n] { // a circle, which browsers do not follow
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

// heavyImage reports whether a data: address holds such a drawing.
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

// HeavyDrawing reports whether the source of a drawing comes to too many elements when its references are followed.
func HeavyDrawing(source string) bool {
	if !strings.Contains(source, "#") {
		return false
	}
	return repeats(Parse(source)) > mostRepeats
}
