package kernelspec

import (
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestWordsOfMode: the front ends colour the words that the two languages have.
func TestWordsOfMode(t *testing.T) {
	source := try.Of(os.ReadFile("assets/mode.js"))
	want := map[string][]string{"constants": {"true", "false"}}
	_, _, items := dsl.NewSession(dsl.Options{}).CompleteItems("", 0)
	for _, item := range items {
		if item.Type == dsl.CompletesInstance { // an empty session has the constants alone
			want["constants"] = append(want["constants"], item.Text)
		}
	}
	for t := range token.VAR + 1 {
		if t.IsKeyword() {
			want["goKeywords"] = append(want["goKeywords"], t.String())
		}
	}
	for _, name := range types.Universe.Names() {
		list := "goConstants"
		switch types.Universe.Lookup(name).(type) {
		case *types.TypeName:
			list = "goTypes"
		case *types.Builtin:
			list = "goBuiltins"
		}
		want[list] = append(want[list], name)
	}
	for list, words := range want {
		call := regexp.MustCompile(`\b` + list + ` = set\(([^;,]*(?:, "[^;]*)?)[;,]`).FindSubmatch(source)
		if call == nil {
			t.Errorf("mode.js has no list %s", list)
			continue
		}
		var got []string
		for _, text := range regexp.MustCompile(`"([\w ]+)"`).FindAllSubmatch(call[1], -1) {
			got = append(got, strings.Fields(string(text[1]))...)
		}
		slices.Sort(got)
		slices.Sort(words)
		if !slices.Equal(got, words) {
			t.Errorf("%s of mode.js are\n%v, the language has\n%v", list, got, words)
		}
	}
}
