package export

import (
	"regexp"
	"strings"

	"github.com/gonb-cope/gonb-cope/report"
)

// look is the style sheet of package report, as it comes with every fragment.
func look() string {
	var b strings.Builder
	if err := report.Fragment(&b, report.Display{Value: ""}, "look"); err != nil {
		panic("export: the report has no style: " + err.Error()) // a builder does not fail
	}
	if s := parse(b.String()).all("style"); len(s) == 1 {
		return s[0].text
	}
	panic("export: the report has no style")
}

var url = regexp.MustCompile(`(?i)url\(\s*['"]?([^)'"]*)['"]?\s*\)`)

// localURLs adapts url(#id) and refuses any other address.
func localURLs(value string, id func(string) string) (string, bool) {
	ok := true
	value = url.ReplaceAllStringFunc(value, func(u string) string {
		target := strings.TrimSpace(url.FindStringSubmatch(u)[1])
		if !strings.HasPrefix(target, "#") {
			ok = false
			return ""
		}
		return "url(#" + id(target[1:]) + ")"
	})
	low := strings.ToLower(value)
	return value, ok && strings.Count(low, "url(") == strings.Count(low, "url(#") && !strings.Contains(low, "javascript:")
}

// unsafe declarations reach outside their element or their page. A backslash
// could spell any of them.
var unsafe = regexp.MustCompile(`(?i)expression\s*\(|behavior\s*:|-moz-binding|image-set|src\s*:|position\s*:\s*(fixed|sticky|absolute)|[@\\<&{}]`)

// declarations are the harmless ones of a list "name: value; …".
func declarations(css string, id func(string) string) string {
	var out []string
	for d := range strings.SplitSeq(css, ";") {
		d, ok := localURLs(strings.TrimSpace(d), id)
		if ok && strings.Contains(d, ":") && !unsafe.MatchString(d) {
			out = append(out, d)
		}
	}
	return strings.Join(out, "; ")
}

var (
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	idInRule = regexp.MustCompile(`#([A-Za-z_][\w-]*)`)
)

// scoped lets a style sheet of an output reach only inside the element with id
// scope. Rules at @media are kept so, other @ rules are dropped.
func scoped(css, scope string, id func(string) string) string {
	var b strings.Builder
	rest := comment.ReplaceAllString(css, "")
	rest = strings.NewReplacer("<!--", "", "-->", "").Replace(rest)
	for {
		head, body, after, ok := rule(rest)
		if !ok {
			return b.String()
		}
		rest = after
		head = strings.TrimSpace(head)
		if i := strings.LastIndexByte(head, ';'); i >= 0 { // @import …; and @charset …;
			head = strings.TrimSpace(head[i+1:])
		}
		switch {
		case strings.ContainsAny(head, `<&\`):
		case strings.HasPrefix(head, "@media"):
			b.WriteString(head + " {\n" + scoped(body, scope, id) + "}\n")
		case strings.HasPrefix(head, "@"):
		default:
			if d := declarations(body, id); d != "" {
				b.WriteString(selectors(head, scope, id) + " { " + d + " }\n")
			}
		}
	}
}

// rule splits the first rule off a style sheet.
func rule(css string) (head, body, rest string, ok bool) {
	open := strings.IndexByte(css, '{')
	if open < 0 {
		return "", "", "", false
	}
	depth := 0
	for i := open; i < len(css); i++ {
		switch css[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return css[:open], css[open+1 : i], css[i+1:], true
			}
		}
	}
	return "", "", "", false
}

func selectors(list, scope string, id func(string) string) string {
	out := strings.Split(list, ",")
	for i, s := range out {
		s = idInRule.ReplaceAllStringFunc(strings.TrimSpace(s), func(m string) string { return "#" + id(m[1:]) })
		out[i] = "#" + scope + " " + s
	}
	return strings.Join(out, ", ")
}
