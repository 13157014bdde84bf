package markup

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Parse parses HTML as browsers do inside a body element. It accepts unclosed and wrongly nested elements and any letter
// case. Names in SVG drawings get SVG's spelling. Comments and declarations are dropped. HTML nested deeper than 512
// elements becomes text, as does HTML whose tree would need too much memory. The result is a node without tag.
func Parse(source string) *Node {
	n, _ := parse(source, nil)
	return n
}

// These are the default limits on the memory of a tree, in bytes: per tag, per byte of source, and a constant.
const (
	bytesOfTag  = 500
	bytesByByte = 120
	bytesAtAll  = 16 << 20
)

// formatting are the elements that HTML parsers reopen if their parent ends before they do.
var formatting = Names("a b big code em font i nobr s small strike strong tt u")

// Reopened estimates how often a parser reopens unclosed elements. Some hundred unclosed elements before thousands of
// paragraphs turn a small source into a tree of millions of nodes.
func Reopened(source string) int {
	count, total := 0, 0
	open, same := map[string][]string{}, map[string]int{} // name → raw tags of open elements; raw tag → number of open copies
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
		case kind == html.StartTagToken && (name == "a" || name == "nobr") && len(list) > 0: // ends the previous element of that name
		case kind == html.StartTagToken && same[text] < 3: // HTML keeps at most three equal tags
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

// parse parses HTML within the limits; nil means the default limits. It returns false if the HTML became plain text.
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
	if err != nil { // the nesting is too deep; no other error is possible
		return plain, false
	}
	return &Node{Children: lists.Flat(list, converted)}, true
}

// plainNote is the note above HTML that is shown as source.
const plainNote = "This part is too deep or too long to be laid out. Its source is shown:"

// mostAttributes is the largest number of attributes that is kept per element. Real elements have fewer.
const mostAttributes = 200

// converted returns a node of package html as our nodes. It returns nil for nodes that show nothing.
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
			if len(out.Attrs) < mostAttributes && !out.Has(a.Key) { // of attributes with the same name, the first is kept
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
	// svgTags are the allowed elements of drawings.
	svgTags = Names("svg g path rect circle ellipse line polyline polygon text tspan textPath defs clipPath mask linearGradient " +
		"radialGradient stop " +
		"pattern marker symbol use title desc image filter feBlend feColorMatrix feComponentTransfer feComposite " +
		"feConvolveMatrix feFlood feFuncA " +
		"feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile")

	// svgAttributes are the allowed attributes of these elements, besides href and aria-*. Values of attributes that are
	// also CSS properties are checked as CSS.
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
