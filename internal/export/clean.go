package export

import (
	"regexp"
	"slices"
	"strings"
)

// cleaner rebuilds foreign markup from what is known to be harmless. The zero value keeps
// ids as they are, drops style sheets, and loads no image.
type cleaner struct {
	id    func(string) string                     // the id in the page of an id in this markup
	load  func(src string) (data, problem string) // an image as data: URI, or why it is missing
	style func(css string)                        // takes the style sheets, which belong into the head
	lost  []string                                // tags of what was dropped and could have shown something
}

var (
	htmlTags = set("a abbr article aside b bdi bdo blockquote br caption cite code col colgroup data dd del details dfn div dl dt em figcaption " +
		"figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li mark meter ol p pre progress q s samp section small span strong sub summary " +
		"sup table tbody td tfoot th thead time tr u ul var wbr")
	mathTags = set("math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle " +
		"msub msubsup msup mtable mtd mtext mtr munder munderover none")
	// What these hold is no text for a reader, or could do something.
	dropped = set("script style iframe object embed applet base link meta head title template noscript noembed noframes textarea xmp select input " +
		"video audio canvas map param source track frame frameset math-field animate animateTransform animateMotion set foreignObject metadata")
	// What a reader would have seen.
	missed = set("script iframe object embed applet video audio canvas foreignObject")
)

// parents lists the elements that stand in certain others alone.
var parents = map[string]map[string]bool{
	"tr": set("table thead tbody tfoot"), "td": set("tr"), "th": set("tr"), "caption": set("table"), "colgroup": set("table"), "col": set("colgroup"),
	"thead": set("table"), "tbody": set("table"), "tfoot": set("table"), "li": set("ul ol"), "dt": set("dl"), "dd": set("dl"),
	"figcaption": set("figure"), "summary": set("details"),
}

// strict are the elements that hold such elements and nothing else.
var strict = set("table thead tbody tfoot tr colgroup ul ol dl")

// read reads HTML and returns what may stay of it, below a node without tag.
func (c *cleaner) read(source string) *node {
	return &node{children: c.clean(parse(source), "", "")}
}

// idOf is the id in the page of an id in this markup.
func (c *cleaner) idOf(id string) string {
	if c.id == nil {
		return id
	}
	return c.id(id)
}

// clean returns what may stay of n, below an element with tag parent and in a
// space of names ("" for HTML, svg, math). An element that is not known is
// replaced by what it holds.
func (c *cleaner) clean(n *node, parent, space string) []*node {
	if n.tag == "" && n.text != "" {
		if strict[parent] {
			return nil // between rows or items there is only white space
		}
		return []*node{textNode(n.text)}
	}
	if n.tag == "style" && c.style != nil {
		c.style(n.text)
	}
	if dropped[n.tag] && !(space == "svg" && n.tag == "title") {
		if n.tag == "input" && n.get("type") == "checkbox" {
			return []*node{textNode(checkbox(n))}
		}
		if missed[n.tag] {
			c.lost = append(c.lost, n.tag)
		}
		return nil
	}
	tag, inner, known := c.name(n.tag, space)
	if p := parents[tag]; known && p != nil && !p[parent] || strict[parent] && (parents[tag] == nil || !parents[tag][parent]) {
		known = false
	}
	if !known {
		var out []*node
		for _, child := range n.children {
			out = append(out, c.clean(child, parent, space)...)
		}
		return out
	}
	out := &node{tag: tag}
	c.attributes(n, out, inner)
	if tag == "img" || tag == "image" {
		return c.image(n, out)
	}
	for _, child := range n.children {
		out.children = append(out.children, c.clean(child, tag, inner)...)
	}
	return []*node{out}
}

// name is the tag as written in the page and the space of names inside it.
func (c *cleaner) name(tag, space string) (name, inner string, known bool) {
	switch {
	case tag == "svg":
		return tag, "svg", space != "math"
	case tag == "math":
		return tag, "math", space == ""
	case space == "svg":
		return tag, "svg", svgTags[tag]
	case space == "math":
		return tag, "math", mathTags[tag]
	}
	return tag, "", htmlTags[tag]
}

func checkbox(n *node) string {
	if n.has("checked") {
		return "☑"
	}
	return "☐"
}

// image puts the image into the page, or a note in its place.
func (c *cleaner) image(from, to *node) []*node {
	src := from.get("src")
	if to.tag == "image" {
		if src = from.get("href"); src == "" {
			src = from.get("xlink:href")
		}
	}
	data, problem := src, ""
	if !imageData.MatchString(src) {
		if c.load == nil {
			problem = "not part of the output"
		} else {
			data, problem = c.load(src)
		}
	}
	if to.tag == "image" {
		if problem != "" {
			return nil
		}
		to.set("href", data)
		return []*node{to}
	}
	if problem != "" {
		return []*node{element("span", []string{"class", "missing"}, textNode(missingImage(src, problem)))}
	}
	to.set("src", data)
	if !to.has("alt") {
		to.set("alt", from.get("title"))
	}
	return []*node{to}
}

// imageData are images that bring their bytes along. SVG as an image neither runs
// scripts nor loads anything.
var imageData = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp|svg\+xml)(;[a-z0-9=-]+)*,[A-Za-z0-9+/=%._~!*'();:@&$,?-]*\s*$`)

// missingImage says that an image is not there, and why.
func missingImage(src, problem string) string {
	if r := []rune(src); len(r) > 80 {
		src = string(r[:77]) + "…"
	}
	return "Image " + src + " is missing: " + problem
}

var (
	global   = set("id class title lang dir role style hidden")
	specific = map[string]map[string]bool{
		"a": set("href"), "td": set("colspan rowspan headers"), "th": set("colspan rowspan headers scope abbr"), "img": set("alt width height"),
		"ol": set("start type reversed"), "li": set("value"), "details": set("open"), "time": set("datetime"), "col": set("span"),
		"colgroup": set("span"), "data": set("value"), "meter": set("value min max low high optimum"), "progress": set("value max"),
	}
	mathAttributes = set("display displaystyle mathvariant stretchy symmetric fence separator accent accentunder columnalign columnspacing rowspacing " +
		"width height depth lspace rspace minsize maxsize linethickness scriptlevel movablelimits largeop form notation id class")
	attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z-]*[A-Za-z0-9]*$`)
	safeLink      = regexp.MustCompile(`(?i)^(https?://|mailto:|#)`)
	positive      = regexp.MustCompile(`^\d+$`)
)

// attributes copies what may stay.
func (c *cleaner) attributes(from, to *node, space string) {
	for _, a := range from.attrs {
		keep := false
		switch {
		case strings.HasPrefix(a.name, "aria-"):
			keep = space != "math" && attributeName.MatchString(a.name)
		case space == "svg":
			a, keep = svgAttribute(a)
		case space == "math":
			keep = mathAttributes[a.name]
		default:
			keep = global[a.name] || specific[to.tag][a.name]
		}
		if !keep || to.has(a.name) { // href and xlink:href are one
			continue
		}
		if a, keep = c.value(to.tag, space, a); keep {
			to.attrs = append(to.attrs, a)
		}
	}
	if to.tag == "svg" {
		to.set("xmlns", "http://www.w3.org/2000/svg")
	}
	if to.tag == "math" {
		to.set("xmlns", "http://www.w3.org/1998/Math/MathML")
	}
}

// svgAttribute is an attribute of a drawing and whether it may stay. Addresses only point into
// the drawing.
func svgAttribute(a attr) (attr, bool) {
	if a.name == "href" || a.name == "xlink:href" {
		return attr{"href", a.value}, strings.HasPrefix(a.value, "#")
	}
	return a, svgAttributes[a.name]
}

// value checks and adapts the value of an attribute that may stay.
func (c *cleaner) value(tag, space string, a attr) (attr, bool) {
	switch a.name {
	case "id":
		a.value = c.idOf(a.value)
		return a, a.value != ""
	case "headers", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details":
		ids := strings.Fields(a.value)
		for i := range ids {
			ids[i] = c.idOf(ids[i])
		}
		a.value = strings.Join(ids, " ")
		return a, true
	case "href":
		if id, inside := strings.CutPrefix(a.value, "#"); inside {
			a.value = "#" + c.idOf(id)
		}
		return a, safeLink.MatchString(a.value)
	case "style":
		a.value = declarations(a.value, c.idOf)
		return a, a.value != ""
	case "class":
		return a, strings.TrimSpace(a.value) != ""
	case "hidden", "open", "reversed":
		a.value = a.name
		return a, true
	case "width", "height":
		return a, tag != "img" || positive.MatchString(a.value)
	case "scope":
		return a, slices.Contains([]string{"col", "row", "colgroup", "rowgroup"}, a.value)
	case "colspan", "rowspan", "span":
		return a, positive.MatchString(a.value)
	}
	if space != "svg" || a.name == "d" || a.name == "points" || strings.HasPrefix(a.name, "aria-") {
		return a, true // numbers and words, which nothing reads as CSS
	}
	tokens, ok := harmless(cssTokens(a.value), c.idOf)
	if !ok {
		return a, false
	}
	a.value, ok = plainText(tokens)
	return a, ok
}
