package report

import (
	"strings"
	"testing"
)

func TestHighlight(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"r = fc(p, delta=0.05) // why", `r = <f>fc</>(p, delta=<d>0.05</>) <c>// why</>`},
		{"/* a\n\"b\" */ rbf (1e-6)", "<c>/* a</>\n<c>&#34;b&#34; */</> <f>rbf</> (<d>1e-6</>)"},
		{`'it\'s // one' + "a//b" + x` + "`\\`", `<s>&#39;it\&#39;s // one&#39;</> + <s>&#34;a//b&#34;</> + x<s>` + "`\\`</>"},
		{"1..8 + .5 + 1_000.5 + 0xff + x2 + 1.5.y", `<d>1</>..<d>8</> + <d>.5</> + <d>1_000.5</> + <d>0xff</> + x2 + <d>1.5</>.y`},
		{"%%cope report\nξ(1)\n'open", "<k>%%cope report</>\n<f>ξ</>(<d>1</>)\n<s>&#39;open</>"},
		{"/* open\n1", "<c>/* open</>\n<c>1</>"},
	} {
		got := highlight(c.in)
		for _, class := range []string{"k", "c", "s", "f", "d"} {
			c.want = strings.ReplaceAll(c.want, "<"+class+">", `<span class="`+class+`">`)
		}
		if want := strings.ReplaceAll(c.want, "</>", "</span>"); got != want {
			t.Errorf("%q\n  is %s\nwant %s", c.in, got, want)
		}
	}
	all := ""
	for piece := range Colours("a /* b */ 'c' 1") {
		all += piece
	}
	if all != "a /* b */ 'c' 1" {
		t.Errorf("the pieces are %q", all)
	}
}
