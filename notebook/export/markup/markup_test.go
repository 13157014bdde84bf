package markup

import (
	"regexp"
	"strings"
	"testing"
)

// TestClean: what is harmless stays, and what was left open is closed.
func TestClean(t *testing.T) {
	id := func(s string) string { return "o-" + s }
	for _, c := range []struct{ in, want string }{
		{`a <b>c</b> &amp; d`, `a <b>c</b> &amp; d`},
		{`<p>a<p>b`, `<p>a</p><p>b</p>`},
		{`<ul><li>a<li>b<ul><li>c</ul></ul>`, `<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>`},
		{`<table><tr><td>1<td>2<tr><td>3</table>x`, `<table><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></tbody></table>x`},
		{`<table><tr><td><table><tr><td>in</table>out</table>`, `<table><tbody><tr><td><table><tbody><tr><td>in</td></tr></tbody></table>out</td></tr></tbody></table>`},
		{`<b><i>x</b>y`, `<b><i>x</i></b><i>y</i>`},
		{`<p>a<div>b</div>c</p>`, `<p>a</p><div>b</div>c<p></p>`},
		{`<br><hr/><wbr>`, `<br/><hr/><wbr/>`},
		{`<font color=red>x</font><center>y</center>`, `xy`},
		{`<a href="https://x.example/?a=1&b=2" target=_blank>x</a>`, `<a href="https://x.example/?a=1&amp;b=2">x</a>`},
		{`<p id=a aria-describedby="b c" CLASS="k">x</p><a href="#a">y</a>`, `<p id="o-a" aria-describedby="o-b o-c" class="k">x</p><a href="#o-a">y</a>`},
		{`<svg VIEWBOX="0 0 1 1"><lineargradient id=g /><rect fill="url(#g)"/></svg>`,
			`<svg viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg"><linearGradient id="o-g"></linearGradient><rect fill="url(#o-g)"></rect></svg>`},
		{`<p style="color: red; background: url(x); margin:1px">x</p>`, `<p style="color: red; margin:1px">x</p>`},
		{`<p style="--c: #fff; color: VAR(--c) !important; position: Relative; width: calc(1px + 2em); position: static !important">x</p>`,
			`<p style="--c: #fff; color: VAR(--c) !important; position: Relative; width: calc(1px + 2em); position: static !important">x</p>`},
		{`<p style="content: 'A;B'; margin/**/:/**/1px; trans/**/form: none; color: u/**/rl(x)">x</p>`, `<p style="content: &#39;A;B&#39;; margin : 1px">x</p>`},
		{`<p style="color:expression(alert(1)); color:rgb(1; 2); content:'a; b">x</p>`, `<p>x</p>`},
		{`<svg STYLE="fill:url( '#a' )"><path D="M0,0" data-x="1" onclick="x" filter="url(#f)" clip-path="url(x#y)" transform="rotate(3) translate(1,2)"/></svg>`,
			`<svg style="fill:url(#o-a)" xmlns="http://www.w3.org/2000/svg"><path d="M0,0" filter="url(#o-f)" transform="rotate(3) translate(1,2)"></path></svg>`},
		{`1 < 2 and <3`, `1 &lt; 2 and &lt;3`},
		{`<input type=checkbox checked disabled> done`, `☑ done`},
		{`<td>lost</td><li>too</li>`, `losttoo`},
		{`<svg><use href="#a" xlink:href="#b" HREF="#c"/></svg>`, `<svg xmlns="http://www.w3.org/2000/svg"><use href="#o-a"></use></svg>`},
		// deeper than browsers go
		{strings.Repeat("<i>", 600), "<p class=\"missing\">This part is too deep or too long to be laid out. Its source is shown:</p><pre>" + strings.Repeat("&lt;i&gt;", 600) + "</pre>"},
	} {
		k := Cleaner{ID: id}
		tree := k.Read(c.in)
		if got := tree.String(); got != c.want {
			t.Errorf("%s\n becomes %s\n    want %s", c.in, got, c.want)
		}
	}
}

// sheets are style sheets and what is left of them below #o.
var sheets = []struct{ in, want string }{
	{"th, td { color: red }", "#o th, #o td { color: red }\n"},
	{"#T_1 .a > b {margin:0;}", "#o #o-T_1 .a > b { margin:0 }\n"},
	{"/* x */ @import 'y'; @font-face { src: url(z) } p { top: 0 }", "#o p { top: 0 }\n"},
	{"@media print { p { top: 0 } }", "@media print {\n#o p { top: 0 }\n}\n"},
	{"p { background: url(http://x) }", ""},
	{"th:is(.a, .b), td { top: 0 }", "#o th:is(.a, .b), #o td { top: 0 }\n"},
	{"a[href='#x,y;{'] { content: \"A;B}\" }", "#o a[href='#x,y;{'] { content: \"A;B}\" }\n"},
	{"@supports (display: grid) { @media (width > 9px) { p { top: 0 } } }", "@supports (display: grid) {\n@media (width > 9px) {\n#o p { top: 0 }\n}\n}\n"},
	{"p { top: 0; .q { top: 1 } left: 2 }", "#o p { top: 0; left: 2 }\n"},
	{"> p, *, .a { top: 0 }", "#o > p, #o *, #o .a { top: 0 }\n"},
	{"+ p { top: 0 }", ""}, {"~ * { top: 0 }", ""}, {"p, + p { top: 0 }", ""}, {"{ top: 0 }", ""}, {", { top: 0 }", ""}, {"/* */ { top: 0 }", ""}, {"|| p { top: 0 }", ""},
	{"p) { top: 0 }", ""}, {"p[a { top: 0 }", ""}, {"p\\+ { top: 0 }", ""}, {"& p { top: 0 }", ""}, {"@media x\\{ { p { top: 0 } }", ""}, {"@media '</style>' { p { top: 0 } }", ""},
	{"@keyframes k { from { top: 0 } } @font-face { src: url(x) } @page { margin: 0 }", ""},
	{strings.Repeat("@media print { ", 100) + "p { top: 0 }" + strings.Repeat(" }", 100), strings.Repeat("@media print {\n", 16) + strings.Repeat("}\n", 16)},
	{"p { color: red", ""},
	{"</style><script> { x: y }", ""},
}

func TestScoped(t *testing.T) {
	id := func(s string) string { return "o-" + s }
	for _, c := range sheets {

		if got := Scoped(c.in, "o", id); got != c.want {
			t.Errorf("%s\n becomes %q\n    want %q", c.in, got, c.want)
		}
	}
}

// sheetAttacks ask for something, hide what is beside them, or would do so in other spellings.
var sheetAttacks = []string{
	`body { display: none } @import url(http://evil.example/x.css); p { background: url(http://evil.example/x) } `,
	`@import "http://evil.example/x.css"; rect { fill: url(http://evil.example/x) }`,
	`p { background: \75 rl(//x/e.png) } @import "//x/e.css"; @im\70ort "//x/e.css"; @font-face { font-family: f; src: url(//x/e.woff) } p { font-family: f }`,
	`rect { fill: u\72l(//x/e.svg#f); background: u/**/rl(//x/d.png), src('//x/d.png'), image('//x/d.png') }`,
	`p { background: -webkit-image-set(u\72l(//x/d.png) 1x), cross-fade(url(//x/d.png), red); --a:url(//x/d.png);background:var(--a) }`,
	`p { --p:fixed;position:var(--p);inset:0;background:white;z-index:9999 } p { position:f\69xed } p { position:/**/fixed }`,
	`+ *, ~ * { display: none } p { color: red }`,
	`a { color: red </style><img src=x onerror=alert(1)>`,
	`width: expression(alert(1)); position: fixed; inset: 0; background: url('http://evil.example/x')`,
}

// quoted is a text of a style sheet.
var quoted = regexp.MustCompile(`"[^"\n]*"|'[^'\n]*'`)

// foreignURL matches an address; a longer name that ends so is another function, and #url( is a hash.
var foreignURL = regexp.MustCompile(`(?:^|[^\w\x{80}-\x{10ffff}#-])url\(`)

// FuzzScoped: what is left of a style sheet is made of rules below its scope, loads
// nothing, and stays unchanged when it is read again.
func FuzzScoped(f *testing.F) {
	for _, c := range sheets {
		f.Add(c.in)
	}
	for _, s := range sheetAttacks {
		f.Add(s)
	}
	same := func(s string) string { return s }
	f.Fuzz(func(t *testing.T, sheet string) {
		out := Scoped(sheet, "o", same)
		for line := range strings.Lines(out) {
			line = strings.TrimSpace(line)
			begins := strings.HasPrefix(line, "#o ") || strings.HasPrefix(line, "@")
			if !begins && strings.Contains(line, "{") && !strings.Contains(sheet, "\n") {
				t.Errorf("the rule %q reaches outside", line)
			}
		}
		// A text in quotes is not an address. Nothing in it ends it early: there is no backslash.
		low := quoted.ReplaceAllString(strings.ToLower(out), "")
		if strings.ContainsAny(out, `\<&`) || foreignURL.MatchString(strings.ReplaceAll(low, "url(#", "")) || strings.Contains(low, "@import") {
			t.Errorf("%q is left of the sheet", out)
		}
		again := declarations(declarations(sheet, same), same)
		if again != declarations(sheet, same) {
			t.Errorf("declarations %q become %q", declarations(sheet, same), again)
		}
	})
}
