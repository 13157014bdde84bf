package markup

import (
	"encoding/base64"
	"testing"
)

// A picture becomes its drawing, without the title and the style of a file; one without a drawing
// that can be read becomes its image.
func TestPicture(t *testing.T) {
	svg := base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg"><title>t</title><style>svg { --ink: red }</style><path d="M0,0" onclick="x()"/><script>y()</script></svg>`))
	image := `<img alt="a" src="data:image/png;base64,iVBORw0KGgo="/>`
	for source, want := range map[string]string{
		`<picture><source type="image/svg+xml" srcset="data:image/svg+xml;base64,` + svg + `"/>` + image + `</picture>`:              `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0,0"></path></svg>`,
		`<picture><source srcset="https://x.example/a.svg"/>` + image + `</picture>`:                                                 image,
		`<picture><source srcset="data:image/svg+xml;base64,%%%"/>` + image + `</picture>`:                                           image,
		`<picture><source srcset="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte("words")) + `"/></picture>`: "",
	} {
		if got := new(Cleaner).Read(source).String(); got != want {
			t.Errorf("%.80s\n becomes %s\n    want %s", source, got, want)
		}
	}
}
