package export

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// attacks would run something, load something, or break out, in a browser that got them unchanged.
// Most are of the OWASP cheat sheet on filter evasion, and of the known ways to confuse sanitisers
// by a change of name space.
var attacks = []string{
	`<script>alert(1)</script>`,
	`<SCRIPT SRC=http://evil.example/x.js></SCRIPT>`,
	`<img src=x onerror=alert(1)>`,
	`<img src="jav&#x09;ascript:alert(1)">`,
	`<img """><script>alert("XSS")</script>">`,
	`<img src=http://evil.example/track.png>`,
	`<img srcset="http://evil.example/a 1x" src="data:image/png;base64,AAAA">`,
	`<img src="data:text/html,<script>alert(1)</script>">`,
	`<img src='data:image/svg+xml,"><script>alert(1)</script>'>`,
	`<svg onload=alert(1)><rect width=1 height=1 /></svg>`,
	`<svg><script>alert(1)</script><rect width="1"/></svg>`,
	`<svg><script href="http://evil.example/x.js"/><text>t</text></svg>`,
	`<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>`,
	`<svg><use href="http://evil.example/x.svg#a"/><text>t</text></svg>`,
	`<svg><image href="http://evil.example/x.png"/><text>t</text></svg>`,
	`<svg><foreignObject><iframe src="http://evil.example"></iframe></foreignObject><text>t</text></svg>`,
	`<svg><animate attributeName=href values="javascript:alert(1)"/><set attributeName=onmouseover to=alert(1) /><text>t</text></svg>`,
	`<svg><rect fill="url(http://evil.example/x)"/><rect style="fill: url('http://evil.example/x')"/><text>t</text></svg>`,
	`<svg><style>@import "http://evil.example/x.css"; rect { fill: url(http://evil.example/x) }</style><text>t</text></svg>`,
	`<iframe src="http://evil.example"></iframe>text`,
	`<object data="http://evil.example/x.swf"></object>text`,
	`<embed src="http://evil.example/x.swf">text`,
	`<link rel=stylesheet href=http://evil.example/x.css>text`,
	`<base href="http://evil.example/">text`,
	`<meta http-equiv=refresh content="0;url=http://evil.example">text`,
	`<a href="javascript:alert(1)">x</a>`,
	`<a href=" javascript:alert(1)">x</a><a href="java&#10;script:alert(1)">x</a><a href="data:text/html,x">x</a><a href="vbscript:x">x</a>`,
	`<a href="#" onclick="alert(1)">x</a>`,
	`<div style="background: url(http://evil.example/x)">x</div><div style="background: u\72l(http://evil.example)">x</div>`,
	`<div style="width: expression(alert(1)); position: fixed; inset: 0">x</div>`,
	`<style>body { display: none } @import url(http://evil.example/x.css); p { background: url(http://evil.example/x) } </style>text`,
	`<style></style><script>alert(1)</script></style>text`,
	`<style>a { color: red </style><img src=x onerror=alert(1)>`,
	`<table background="http://evil.example/x"><tr><td background="javascript:alert(1)">x</table>`,
	`<form action="http://evil.example"><input type=image src=http://evil.example/x><button formaction="javascript:alert(1)">x</button></form>`,
	`<video src=http://evil.example/x poster=http://evil.example/y onerror=alert(1)></video>text`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<math href="javascript:alert(1)"><mi xlink:href="javascript:alert(1)">x</mi></math>`,
	`<math><annotation-xml encoding="text/html"><img src=x onerror=alert(1)></annotation-xml><mi>x</mi></math>`,
	`<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">text`,
	`<textarea><img title="</textarea><img src=x onerror=alert(1)>">text`,
	`<xmp><img title="</xmp><img src=x onerror=alert(1)>">text`,
	`<!--><script>alert(1)</script>--><p>text`,
	`<![CDATA[<script>alert(1)</script>]]>text`,
	`<?xml version="1.0"?><script>alert(1)</script>text`,
	"<p title=\"\x00\x01\x08\">a\x00\x0b\ufffe</p>",
	`<p id="cell-1" class="a&quot;&gt;<script>">x</p></div></main></body></html><p>y`,
	`</details></div></div></main><script>alert(1)</script>text`,
	`<p <script>alert(1)</script>>x`,
	`<div onmouseover="alert(1)" ONCLICK=alert(1) oNfOcUs=alert(1)>x</div>`,
	"<a\x0chref=\"javascript:alert(1)\">x</a>",
	`<details ontoggle=alert(1) open><summary>x</summary>y</details>`,
	`<isindex action=javascript:alert(1) type=image>text`,
	`<template><script>alert(1)</script></template>text`,
	`<portal src=http://evil.example></portal><fencedframe src=http://evil.example></fencedframe>text`,
	"<svg><p><style><img src=x onerror=alert(1)></style></p></svg>text",
	"<pre>\n\n<</pre><b><i>x</b></i>",
}

// TestAttacks: whichever way an attack comes in, the page stays well-formed, has
// our script alone, and asks for nothing.
func TestAttacks(t *testing.T) {
	for _, a := range attacks {
		withTitle := shows("text/html", a)
		withTitle.Metadata = map[string]any{"caption": a, "alt": a}
		failed := notebook.Output{Type: notebook.Error, ErrorName: a, ErrorValue: a, Traceback: []string{a}}
		_, root := rendered(t, book(markdownCell("# "+a+"\n\n"+a+"\n\n!["+a+"]("+a+") ["+a+"]("+a+")\n\n`"+a+"`\n\n$"+a+"$"),
			codeCell(a, nil, withTitle, shows("image/svg+xml", a), shows("text/markdown", a), shows("text/latex", a), shows("text/plain", a), printed("stdout", a), failed,
				shows("image/png", a))), Options{Provenance: report.Provenance{Command: a, Notebook: a, Parameters: []report.Parameter{{Name: a, Value: a, Default: a}}}})
		checkPage(t, root)
		if scripts := root.All("script"); len(scripts) != 1 || strings.TrimSpace(scripts[0].Plain()) != strings.TrimSpace(script) {
			t.Errorf("%s: scripts %v", a, scripts)
		}
		if body := root.Child("html").Child("body"); len(body.All("main")) != 1 || body.Child("main") == nil || len(body.Children) > 4 {
			t.Errorf("%s broke out of its place", a)
		}
		if t.Failed() {
			t.Fatalf("after %s:\n%s", a, root.Child("html").Child("body"))
		}
	}
}

// A drawing as a file keeps its looks and nothing that runs or asks, and is XML whatever
// it was.
func TestDrawingFile(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`<?xml version="1.0"?><!DOCTYPE svg><svg width="4" xmlns:xlink="x" onload="alert(1)"><style>*{stroke-linejoin:round} @import "x";</style><use xlink:href="#a"/><script>alert(1)</script></svg>`,
			`<svg width="4" xmlns="http://www.w3.org/2000/svg" id="drawing"><style>#drawing * { stroke-linejoin:round }` + "\n" + `</style><use href="#a"></use></svg>`},
		{"<svg><text>a\x00\x1b[1m\xff &nbsp;b</text>", "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>a\ufffd[1m\ufffd \u00a0b</text></svg>"},
		{"no drawing", ""},
	} {
		if got := string(drawingFile(c.in)); got != c.want {
			t.Errorf("%s\n becomes %s\n    want %s", c.in, got, c.want)
		}
	}
}

// A Markdown report has no control characters, whatever names and outputs hold.
func TestMarkdownOfControls(t *testing.T) {
	const wild = "a\x00\x07\u0085b\x1b]0;title\x07c\xff"
	folder := t.TempDir()
	path := filepath.Join(folder, "r.md")
	nb := book(markdownCell(wild), codeCell(wild, nil, printed("stdout", wild), shows("text/plain", wild), shows("text/markdown", wild), shows("text/html", wild)))
	try.To(Save(context.Background(), path, nb, Options{Title: wild}))
	data := try.Of(os.ReadFile(path))
	if i := bytes.IndexFunc(data, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' || r == utf8.RuneError && !utf8.Valid(data)
	}); i >= 0 {
		t.Errorf("the report has %q", data[i:min(i+20, len(data))])
	}
}

// TestAttacksOnMarkdown: no attack is HTML in a Markdown report, and none is raw text for Quarto.
func TestAttacksOnMarkdown(t *testing.T) {
	for _, a := range append(attacks,
		`<pre><code class="language-{=html}">&lt;script&gt;f()&lt;/script&gt;</code></pre>`,
		`<math data-tex="x$ <script>f()</script> $y"><mi>x</mi></math>`,
		`<math display="block" data-tex="x$$ <script>f()</script> $$y"><mi>x</mi></math>`,
		`<math display="block" data-tex="\begin{align}x\end{align} <script>f()</script>"><mi>x</mi></math>`,
		`<math display="block" data-tex="\begin{align}x\end{align} <script>f()</script> \begin{gather}x\end{align}"><mi>x</mi></math>`,
		`<a class="eqref">}&lt;script>f()&lt;/script></a>`, `<a class="ref eqref">}&lt;script>f()&lt;/script></a>`,
		"<details><summary>x\n\n```{=html}\n&lt;script>f()&lt;/script>\n```\n</summary>y</details>",
		`<code>&lt;script>f()&lt;/script></code>{=html}`, `<p>&lt;script>f()&lt;/script> &amp;lt;script></p><table><tr><th>&lt;script>f()&lt;/script><td>&lt;script>f()&lt;/script></table>`) {
		nb := book(markdownCell(a+"\n\n!["+a+"]("+a+") ["+a+"]("+a+")\n\n`"+a+"`"), codeCell("x", nil, shows("text/html", a), shows("text/markdown", a)))
		for _, ending := range []string{".md", ".qmd"} {
			text := saved(t, nb, ending, Options{Title: a})
			if ending == ".qmd" && regexp.MustCompile("(?m)^[ >]*```+ *\\{=|`\\{=").MatchString(text) {
				t.Errorf("%s: raw text in %s:\n%s", a, ending, text)
			}
			if _, body, yaml := strings.Cut(text, "toc: true\n---\n"); yaml {
				text = body
			}
			k := markup.Cleaner{}
			prose(markdownOf(text), &k)
			if len(k.Lost) > 0 {
				t.Errorf("%s: %s has %v:\n%s", a, ending, k.Lost, text)
			}
		}
	}
}

// FuzzClean: whatever is in a cell and its outputs, the page is well-formed, runs no script
// and has each id once. The parts that are the same in every page are left out (TestPage has
// them), and one text in eight is coloured as source: both take most of the time of a page.
func FuzzClean(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd") // as reading JSON does
		source := ""
		if len(s)%8 == 0 {
			source = s
		}
		p := newPage(book(markdownCell(s), codeCell(source, nil, shows("text/html", s), shows("image/svg+xml", s), printed("stdout", s))),
			Options{Title: s}.limited(context.Background()), true, nil)
		body := p.body()
		uniqueIDs(body)
		var b strings.Builder
		b.WriteString("<html><style>" + strings.Join(p.sheets, "") + "</style>")
		body.Write(&b)
		b.WriteString("</html>")
		root := strictly(t, []byte(b.String()))
		if n := len(root.All("script")); n != 0 {
			t.Fatalf("%d scripts", n)
		}
		ids := map[string]bool{}
		root.Walk(func(n *markup.Node) bool {
			if id := n.Get("id"); id != "" {
				if ids[id] {
					t.Fatalf("id %q twice", id)
				}
				ids[id] = true
			}
			return true
		})
	})
}
