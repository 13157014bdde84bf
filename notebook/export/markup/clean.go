package markup

import (
	"cmp"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Cleaner rebuilds markup from outside with only those elements and attributes that are known to be harmless. The zero
// value keeps IDs, drops style sheets and loads no images.
type Cleaner struct {
	ID   func(string) string                     // maps an ID in this markup to its ID in the page
	Load func(src string) (data, problem string) // returns an image as a data: URI, or why it is missing
	// receives each style sheet, which belongs in the page's head; nil drops style sheets
	Style func(css string)
	// tags of dropped elements that readers would have seen
	Lost []string
	// number of links that were removed, while their text was kept: links to files and unsafe links
	Links  int
	Limits *allowance.Allowance // limit on the memory of parsed trees; nil means a limit by the length of each source
	Files  bool                 // a picture element becomes its img, for reports with pictures in files
	Paths  bool                 // links to files are kept, for reports beside the notebook
	Plain  bool                 // a part is shown as source, because it is nested too deeply or too long
}

var (
	htmlTags = Names("a abbr article aside b bdi bdo blockquote br caption cite code col colgroup data dd del details dfn div " +
		"dl dt em figcaption " +
		"figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li mark meter ol p pre progress q s samp section small span " +
		"strong sub summary " +
		"sup table tbody td tfoot th thead time tr u ul var wbr")
	mathTags = Names("math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow " +
		"ms mspace msqrt mstyle " +
		"msub msubsup msup mtable mtd mtext mtr munder munderover none")
	// These elements are dropped with their content, which is not text for readers or could run or load something.
	dropped = Names("script style iframe object embed applet base link meta head title template noscript noembed noframes " +
		"textarea xmp select input " +
		"video audio canvas map param source track frame frameset math-field animate animateTransform animateMotion set foreignObject metadata")
	// These dropped elements would have shown something to readers.
	missed = Names("script iframe object embed applet video audio canvas foreignObject")
)

// parents maps elements to the only elements that may contain them directly.
var parents = map[string]map[string]bool{
	"tr": Names("table thead tbody tfoot"), "td": Names("tr"), "th": Names("tr"), "caption": Names("table"), "colgroup": Names("table"),
	"col":   Names("colgroup"),
	"thead": Names("table"), "tbody": Names("table"), "tfoot": Names("table"), "li": Names("ul ol"), "dt": Names("dl"), "dd": Names("dl"),
	"figcaption": Names("figure"), "summary": Names("details"),
}

// strict lists the elements that may directly contain only elements of parents, and no text.
var strict = Names("table thead tbody tfoot tr colgroup ul ol dl")

// Read parses HTML and returns the harmless part, below a node without tag.
func (c *Cleaner) Read(source string) *Node {
	if c.ID == nil {
		c.ID = func(id string) string { return id }
	}
	n, read := parse(source, c.Limits)
	c.Plain = c.Plain || !read
	return &Node{Children: c.clean(n, "", "")}
}

// clean returns the allowed part of n. parent is the tag of the enclosing element. space is its namespace: "" for HTML,
// svg or math. An unknown element is replaced by its children.
func (c *Cleaner) clean(n *Node, parent, space string) []*Node {
	if n.Tag == "" && n.Text != "" {
		if strict[parent] {
			return nil // only white space is allowed between rows or list items
		}
		return []*Node{Text(n.Text)}
	}
	if n.Tag == "style" && c.Style != nil {
		c.Style(n.Text)
	}
	if dropped[n.Tag] && !(space == "svg" && n.Tag == "title") {
		if n.Tag == "input" && n.Get("type") == "checkbox" {
			if n.Has("checked") {
				return []*Node{Text("☑")}
			}
			return []*Node{Text("☐")}
		}
		if missed[n.Tag] {
			c.Lost = append(c.Lost, n.Tag)
		}
		return nil
	}
	if n.Tag == "picture" && !c.Files {
		if svg := drawnSource(n); svg != nil {
			return c.clean(svg, parent, space)
		}
	}
	tag := n.Tag
	inner, allowed := known(tag, space)
	misplaced := (parents[tag] != nil || strict[parent]) && !parents[tag][parent]
	if !allowed || misplaced {
		return lists.Flat(n.Children, func(child *Node) []*Node { return c.clean(child, parent, space) })
	}
	out := &Node{Tag: tag}
	c.attributes(n, out, inner)
	if tag == "img" || tag == "image" {
		return c.image(n, out)
	}
	out.Children = lists.Flat(n.Children, func(child *Node) []*Node { return c.clean(child, tag, inner) })
	if tag == "svg" && space != "svg" && repeats(out) > mostRepeats {
		c.Lost = append(c.Lost, heavyDrawing)
		return []*Node{Element("span", []string{"class", "missing"}, Text("A drawing is left out: it repeats its parts too often."))}
	}
	return []*Node{out}
}

// known returns the namespace inside an element, and whether the element is allowed in the given namespace.
func known(tag, space string) (inner string, may bool) {
	switch {
	case tag == "svg":
		return tag, space != "math"
	case tag == "math":
		return tag, space == ""
	}
	return space, elements[space][tag]
}

// elements maps each namespace to its allowed elements.
var elements = map[string]map[string]bool{"": htmlTags, "svg": svgTags, "math": mathTags}

// drawnSource returns the SVG drawing among the sources of a picture element, or nil. It removes title and style, which
// only a separate file needs.
func drawnSource(picture *Node) *Node {
	for _, source := range picture.All("source") {
		encoded, isSVG := strings.CutPrefix(source.Get("srcset"), "data:image/svg+xml;base64,")
		data, err := base64.StdEncoding.DecodeString(encoded)
		if !isSVG || err != nil {
			continue
		}
		if found := Parse(string(data)).All("svg"); len(found) > 0 {
			svg := found[0]
			svg.Children = slices.DeleteFunc(svg.Children, func(n *Node) bool { return n.Tag == "style" || n.Tag == "title" })
			return svg
		}
	}
	return nil
}

// image returns the image with its data, or a note if the image is missing.
func (c *Cleaner) image(from, to *Node) []*Node {
	src := from.Get("src")
	if to.Tag == "image" {
		src = cmp.Or(from.Get("href"), from.Get("xlink:href"))
	}
	data, problem := src, ""
	switch {
	case imageData.MatchString(src):
	case c.Load == nil:
		problem = "not part of the output"
	default:
		data, problem = c.Load(src)
	}
	if problem == "" && heavyImage(data) {
		problem = "it repeats its parts too often"
		c.Lost = append(c.Lost, heavyDrawing)
	}
	switch {
	case to.Tag == "image" && problem != "":
		return nil
	case to.Tag == "image":
		to.Set("href", data)
	case problem != "":
		to = Element("span", []string{"class", "missing"}, Text(MissingImage(src, problem)))
	default:
		to.Set("src", data)
		if !to.Has("alt") {
			to.Set("alt", from.Get("title"))
		}
	}
	return []*Node{to}
}

// imageData matches data: URIs of images. SVG in an img element runs no scripts and loads nothing.
var imageData = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp|svg\+xml)(;[a-z0-9=-]+)*,[A-Za-z0-9+/=%._~!*'();:@&$,?-]*\s*$`)

// MissingImage returns the text that all reports show for a missing image.
func MissingImage(src, problem string) string {
	if r := []rune(src); len(r) > 80 {
		src = string(r[:77]) + "…"
	}
	return "Image " + src + " is missing: " + problem
}

var (
	global   = Names("id class title lang dir role style hidden")
	specific = map[string]map[string]bool{
		"a": Names("href"), "td": Names("colspan rowspan headers data-of"), "th": Names("colspan rowspan headers scope abbr"),
		"img": Names("alt width height"),
		"ol":  Names("start type reversed"), "li": Names("value"), "details": Names("open"), "time": Names("datetime"), "col": Names("span"),
		"colgroup": Names("span"), "data": Names("value"), "meter": Names("value min max low high optimum"), "progress": Names("value max"),
	}
	mathAttributes = Names("display displaystyle mathvariant stretchy symmetric fence separator accent accentunder columnalign " +
		"columnspacing rowspacing " +
		"width height depth lspace rspace minsize maxsize linethickness scriptlevel movablelimits largeop form notation id class data-tex")
	attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z-]*[A-Za-z0-9]*$`)
	safeLink      = regexp.MustCompile(`(?i)^(https?://|mailto:|#)`)
	positive      = regexp.MustCompile(`^\d+$`)
)

var namespaces = map[string]string{"svg": "http://www.w3.org/2000/svg", "math": "http://www.w3.org/1998/Math/MathML"}

// attributes copies the allowed attributes from one node to another.
func (c *Cleaner) attributes(from, to *Node, space string) {
	for _, a := range from.Attrs {
		keep := false
		switch {
		case strings.HasPrefix(a.Name, "aria-"):
			keep = space != "math" && attributeName.MatchString(a.Name)
		case space == "svg":
			if a.Name == "href" || a.Name == "xlink:href" { // must point into the drawing itself
				a.Name, keep = "href", strings.HasPrefix(a.Value, "#")
			} else {
				keep = svgAttributes[a.Name]
			}
		case space == "math":
			keep = mathAttributes[a.Name]
		default:
			keep = global[a.Name] || specific[to.Tag][a.Name]
		}
		if !keep || to.Has(a.Name) { // href and xlink:href become the same attribute
			continue
		}
		if a, keep = c.value(to.Tag, space, a); keep {
			to.Attrs = append(to.Attrs, a)
		} else if a.Name == "href" && to.Tag == "a" {
			c.Links++
		}
	}
	if s := namespaces[to.Tag]; s != "" {
		to.Set("xmlns", s)
	}
}

// value checks and converts the value of an allowed attribute. It returns false if the value is not allowed.
func (c *Cleaner) value(tag, space string, a Attr) (Attr, bool) {
	switch a.Name {
	case "id":
		a.Value = c.ID(a.Value)
		return a, a.Value != ""
	case "headers", "aria-labelledby", "aria-describedby", "aria-controls", "aria-owns", "aria-details":
		a.Value = strings.Join(lists.Map(strings.Fields(a.Value), c.ID), " ")
		return a, true
	case "href":
		if id, inside := strings.CutPrefix(a.Value, "#"); inside {
			a.Value = "#" + c.ID(id)
		}
		return a, safeLink.MatchString(a.Value) || c.Paths && !strings.Contains(a.Value, ":")
	case "style":
		a.Value = declarations(a.Value, c.ID)
		return a, a.Value != ""
	case "class":
		return a, strings.TrimSpace(a.Value) != ""
	case "hidden", "open", "reversed":
		a.Value = a.Name
		return a, true
	case "width", "height":
		return a, tag != "img" || positive.MatchString(a.Value)
	case "scope":
		return a, slices.Contains([]string{"col", "row", "colgroup", "rowgroup"}, a.Value)
	case "colspan", "rowspan", "span":
		return a, positive.MatchString(a.Value)
	}
	if space != "svg" || a.Name == "d" || a.Name == "points" || strings.HasPrefix(a.Name, "aria-") {
		return a, true // numbers and words that are not parsed as CSS
	}
	tokens, ok := harmless(cssTokens(a.Value), c.ID)
	if !ok {
		return a, false
	}
	a.Value, ok = plainText(tokens)
	return a, ok
}
