package markup

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Parse reads HTML as browsers do inside of a body: unclosed, wrongly nested, in any case
// of letters. Elements and attributes of drawings get the spelling of SVG. Comments and
// declarations are dropped. HTML that nests deeper than browsers go, 512 elements, is not
// read: it becomes text, and so does HTML with so many tags that its tree would take more than a few
// hundred bytes for each byte. The result is a node without tag.
func Parse(source string) *Node {
	n, _ := parse(source, nil)
	return n
}

// The memory that the trees of HTML may take if nothing else limits them.
const (
	bytesOfTag  = 500
	bytesByByte = 120
	bytesAtAll  = 16 << 20
)

// formatting are the elements that HTML opens again after the end of what they were opened in.
var formatting = Names("a b big code em font i nobr s small strike strong tt u")

// Reopened returns about how often elements that are left open are opened again in elements that follow: a few hundred that are
// open, before thousands of paragraphs, make a small source a tree of millions.
func Reopened(source string) int {
	count, total := 0, 0
	open, same := map[string][]string{}, map[string]int{} // their texts by name, and how often each is open
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return total
		}
		if kind != html.StartTagToken && kind != html.EndTagToken {
			continue
		}
		text := string(z.Raw())
		b, _ := z.TagName()
		name := string(b)
		list := open[name]
		switch {
		case !formatting[name] && kind == html.StartTagToken:
			total += count
		case !formatting[name]:
		case kind == html.StartTagToken && (name == "a" || name == "nobr") && len(list) > 0: // which ends the one before
		case kind == html.StartTagToken && same[text] < 3: // of more that are the same, HTML keeps three
			open[name] = append(list, text)
			same[text]++
			count++
		case kind == html.EndTagToken && len(list) > 0:
			same[list[len(list)-1]]--
			open[name] = list[:len(list)-1]
			count--
		}
	}
}

// parse reads HTML; false states that it became text. Without limits it has ones of its own.
func parse(source string, limits *allowance.Allowance) (*Node, bool) {
	if limits == nil {
		limits = allowance.New(context.Background(), "the HTML", bytesAtAll+bytesByByte*int64(len(source)), allowance.NoLimit)
	}
	plain := Element("", nil, Element("p", []string{"class", "missing"}, Text(plainNote)), Element("pre", nil, Text(source)))
	if limits.Make(int64(strings.Count(source, "<")+Reopened(source))*bytesOfTag) != nil {
		return plain, false
	}
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	list, err := html.ParseFragment(strings.NewReader(source), body)
	if err != nil { // the depth; reading a text has no other
		return plain, false
	}
	return &Node{Children: lists.Flat(list, converted)}, true
}

// plainNote precedes HTML that is shown as text.
const plainNote = "This part is too deep or too long to be laid out. Its source is shown:"

// mostAttributes limits the attributes read per element. No element that draws something has so many.
const mostAttributes = 200

// converted returns a node of package html as ours, and nothing for what shows nothing.
func converted(n *html.Node) []*Node {
	switch n.Type {
	case html.TextNode:
		return []*Node{Text(n.Data)}
	case html.ElementNode:
		out := &Node{Tag: n.Data}
		for _, a := range n.Attr {
			if a.Namespace != "" {
				a.Key = a.Namespace + ":" + a.Key
			}
			if len(out.Attrs) < mostAttributes && !out.Has(a.Key) { // of two with one name the first counts
				out.Attrs = append(out.Attrs, Attr{a.Key, a.Val})
			}
		}
		for c := range n.ChildNodes() {
			out.Children = append(out.Children, converted(c)...)
		}
		if n.Data == "style" {
			out.Text, out.Children = Element("", nil, out.Children...).Plain(), nil
		}
		return []*Node{out}
	}
	return nil
}

var (
	// svgTags are the elements of a drawing that draw or are drawn with.
	svgTags = Names("svg g path rect circle ellipse line polyline polygon text tspan textPath defs clipPath mask linearGradient " +
		"radialGradient stop " +
		"pattern marker symbol use title desc image filter feBlend feColorMatrix feComponentTransfer feComposite " +
		"feConvolveMatrix feFlood feFuncA " +
		"feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile")

	// svgAttributes are their attributes, besides href and what is said to those who
	// cannot see. Those that are CSS properties too are read as CSS.
	svgAttributes = Names("alignment-baseline amplitude azimuth baseFrequency baseline-shift bias class clip clip-path " +
		"clip-rule clipPathUnits color color-interpolation " +
		"color-interpolation-filters color-rendering cursor cx cy d diffuseConstant direction display divisor dominant-baseline dx " +
		"dy edgeMode elevation exponent fill " +
		"fill-opacity fill-rule filter filterUnits flood-color flood-opacity font font-family font-size font-size-adjust " +
		"font-stretch font-style font-variant font-weight " +
		"fr fx fy gradientTransform gradientUnits height id image-rendering in in2 intercept isolation k1 k2 k3 k4 kernelMatrix " +
		"kernelUnitLength kerning lang lengthAdjust " +
		"letter-spacing lighting-color limitingConeAngle line-height marker-end marker-mid marker-start markerHeight markerUnits " +
		"markerWidth mask mask-type maskContentUnits " +
		"maskUnits method mix-blend-mode mode numOctaves offset opacity operator order orient overflow paint-order pathLength " +
		"patternContentUnits patternTransform " +
		"patternUnits pointer-events points pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits r " +
		"radius refX refY result role rotate rx ry scale " +
		"seed shape-rendering side slope spacing specularConstant specularExponent spreadMethod startOffset stdDeviation " +
		"stitchTiles stop-color stop-opacity stroke " +
		"stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width style " +
		"surfaceScale tableValues targetX targetY " +
		"text-anchor text-decoration text-rendering textLength transform transform-origin type unicode-bidi values vector-effect " +
		"version viewBox visibility white-space " +
		"width word-spacing writing-mode x x1 x2 xChannelSelector y y1 y2 yChannelSelector z")
)
