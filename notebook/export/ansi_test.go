package export

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

func TestANSI(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"\x1b[31mred\x1b[0m.", `<span class="a1">red</span>.`},
		{"\x1b[1;4;92mx\x1b[22my\x1b[mz", `<span class="ab au a10">x</span><span class="au a10">y</span>z`},
		{"\x1b[7mx\x1b[27my", `<span class="ar">x</span>y`},
		{"\x1b[44mx\x1b[49my", `<span class="p4">x</span>y`},
		// xterm's table of 256: 9 is the bright red of the theme, 16 + 36·5 + 6·2 + 0 = 208 is
		// ff8700, 244 is 808080.
		{"\x1b[38;5;9mx\x1b[38;5;208my\x1b[38;5;244mz", `<span class="a9">x</span><span style="color: #ff8700">y</span><span style="color: #808080">z</span>`},
		{"\x1b[48;2;1;2;255mx", `<span style="background-color: #0102ff">x</span>`},
		{"\x1b[38:5:208mx", `<span style="color: #ff8700">x</span>`},
		{"\x1b[38;2;999;0;0mx\x1b[38;5;300my\x1b[38my", "xyy"},
		{"\x1b[2K\x1b[1Aup\x1b[?25l", "up"},
		{"\x1b]0;title\x07x\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "xlink"},
		{"10%\r 50%\r100%\ndone\r\n", "100%\ndone\n"},
		{"100%\r", "100%"},
		{"ab\b\bcd", "cd"},
		{"a<b>&\x1b[31m<", `a&lt;b&gt;&amp;<span class="a1">&lt;</span>`},
		{"cut \x1b[3", "cut [3"},
	} {
		root := &markup.Node{Children: ansi(c.in)}
		if got := root.String(); got != c.want {
			t.Errorf("%q\n  is %s\nwant %s", c.in, got, c.want)
		}
		if got, want := stripANSI(c.in), root.Plain(); strings.ReplaceAll(got, "\x1b", "") != strings.ReplaceAll(want, "\x1b", "") {
			t.Errorf("%q without colours is %q, want %q", c.in, got, want)
		}
	}
}

func TestHighlight(t *testing.T) {
	for _, c := range []struct{ lang, in, want string }{
		{"cope", "%%cope\nr = fc(p, delta=0.05) // why\n", `<span class="k">%%cope</span>` + "\n" + `r = <span class="f">fc</span>(p, delta=<span class="d">0.05</span>) <span class="c">// why</span>` + "\n"},
		{"cope", `x = "a//b" + 'c'; 1..8`, `x = <span class="s">&#34;a//b&#34;</span> + <span class="s">&#39;c&#39;</span>; <span class="d">1</span>..<span class="d">8</span>`},
		{"cope", "/* a\nb */ 1e-6", "<span class=\"c\">/* a\nb */</span> <span class=\"d\">1e-6</span>"},
		{"go", "func f() { return \"x\" }", `<span class="k">func</span> <span class="f">f</span>() { <span class="k">return</span> <span class="s">&#34;x&#34;</span> }`},
		{"no-such-language", "<x>", "&lt;x&gt;"},
	} {
		root := &markup.Node{Children: highlight(c.in, c.lang, noLimits)}
		if got := root.String(); got != c.want {
			t.Errorf("%s\n  is %s\nwant %s", c.in, got, c.want)
		}
		if root.Plain() != c.in {
			t.Errorf("%q reads %q", c.in, root.Plain())
		}
	}
	for source, want := range map[string]string{"%%cope\nx": "cope", "\n// note\n%%cope\nx": "cope", "//gonb:%%cope\nx": "cope", "x := 1\n%%cope": "go", "%%copepod": "go", "": "go", "%% \nx": "go"} {
		if got := cellLanguage(&notebook.Cell{Source: source}, golang).name; got != want {
			t.Errorf("%q is %s, want %s", source, got, want)
		}
	}
}
