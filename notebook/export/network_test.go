package export

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// beacons ask the server %[1]s for something, in a browser that gets them unchanged.
var beacons = []string{
	`<svg><rect width="9" height="9" cursor="u\72l(%[1]s/a.png), auto"/></svg>`,
	`<svg><rect width="9" height="9" mask="u\72l(%[1]s/a.svg#m)"/></svg>`,
	`<svg><rect width="9" height="9" clip-path="u\72l(%[1]s/a.svg#c)"/></svg>`,
	`<svg><rect width="9" height="9" fill="u\72l(%[1]s/a.svg#f)"/></svg>`,
	`<svg><path d="M0,0L9,9" stroke="red" marker-end="u\72l(%[1]s/a.svg#m)"/></svg>`,
	`<svg STYLE="background:u\72l(%[1]s/b.png)"><rect width="9" height="9"/></svg>`,
	`<svg sTyle="mask-image:u\72l(%[1]s/b.png)"><rect width="9" height="9"/></svg>`,
	`<svg STYLE="background-image:image-set('%[1]s/c.png' 1x)"><rect width="9" height="9"/></svg>`,
	`<p style="background:u\72l(%[1]s/d.png)">x</p>`,
	`<p style="background:u/**/rl(%[1]s/d.png)">x</p>`,
	`<p style="background:src('%[1]s/d.png')">x</p>`,
	`<p style="background:image('%[1]s/d.png')">x</p>`,
	`<p style="background:-webkit-image-set(u\72l(%[1]s/d.png) 1x)">x</p>`,
	`<p style="background:cross-fade(url(%[1]s/d.png), red)">x</p>`,
	`<p style="--a:url(%[1]s/d.png);background:var(--a)">x</p>`,
	`<p style='list-style-image:url("%[1]s/d.png");display:list-item'>x</p>`,
	`<p style="content:url(%[1]s/d.png)">x</p>`,
	`<style>p { background: \75 rl(%[1]s/e.png) } @import "%[1]s/e.css"; @im\70ort "%[1]s/e.css"; @font-face { font-family: f; src: url(%[1]s/e.woff) } p { font-family: f }</style><p>x</p>`,
	`<svg><style>rect { fill: u\72l(%[1]s/e.svg#f); background: url(%[1]s/e.png) } @import url(%[1]s/e.css);</style><rect width="9" height="9"/></svg>`,
	`<img src="%[1]s/f.png"><img srcset="%[1]s/f.png 1x"><picture><source srcset="%[1]s/f.png"><img></picture>`,
	`<svg><image href="%[1]s/g.png" width="9" height="9"/><use href="%[1]s/g.svg#x"/><filter id="f"><feImage href="%[1]s/g.png"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>`,
	`<link rel="stylesheet" href="%[1]s/h.css"><link rel="preload" as="image" href="%[1]s/h.png"><iframe src="%[1]s/h.html"></iframe><object data="%[1]s/h.png"></object><embed src="%[1]s/h.png">`,
	`<video src="%[1]s/i.mp4" poster="%[1]s/i.png" autoplay></video><audio src="%[1]s/i.mp3" autoplay></audio><input type="image" src="%[1]s/i.png">`,
	`<body background="%[1]s/j.png"><table background="%[1]s/j.png"><tr><td background="%[1]s/j.png">x</table>`,
	`<script>fetch("%[1]s/k")</script><script src="%[1]s/k.js"></script><img src=x onerror="fetch('%[1]s/k')">`,
}

// counter is a server that counts who connects to it, and who then asks for something.
type counter struct {
	net.Listener
	address         string
	calls, requests atomic.Int64
}

// ownPath is the path that the test itself asks for.
const ownPath = "/own"

// Accept implements net.Listener.
func (c *counter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.calls.Add(1)
	}
	return conn, err
}

func listening(t *testing.T) *counter {
	t.Helper()
	l := try.Of(net.Listen("tcp", "127.0.0.1:0"))
	c := &counter{Listener: l, address: "http://" + l.Addr().String()}
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != ownPath {
			c.requests.Add(1)
		}
	})}
	go func() { _ = server.Serve(c) }()
	t.Cleanup(func() { _ = server.Close() })
	return c
}

// called returns the number of connections since the last call. Connections are accepted in their
// order, so that none is behind our own.
func (c *counter) called(t *testing.T) int64 {
	t.Helper()
	conn := try.Of(net.Dial("tcp", strings.TrimPrefix(c.address, "http://")))
	defer conn.Close()
	try.Of(fmt.Fprintf(conn, "GET %s HTTP/1.0\r\n\r\n", ownPath))
	try.Of(conn.Read(make([]byte, 1)))
	return c.calls.Swap(0) - 1
}

// beaconBook returns a notebook whose outputs and text ask a server in all ways.
func beaconBook(address string) *notebook.Notebook {
	cells := []notebook.Cell{markdownCell("# Title")}
	for _, b := range beacons {
		b = fmt.Sprintf(b, address)
		cells = append(cells, markdownCell("text\n\n"+b), codeCell("x", nil, shows("text/html", b), shows("image/svg+xml", b), shows("text/markdown", b)))
	}
	return book(cells...)
}

// Nobody is asked for anything when a report is opened, when it is printed, and when a
// drawing in it becomes PDF for LaTeX.
func TestNoRequests(t *testing.T) {
	program, server := browser(t), listening(t)
	raw := strings.ReplaceAll("<!DOCTYPE html><p>x</p>"+strings.Join(beacons[:8], ""), "%[1]s", server.address)
	try.Of(opened(t, program, []byte(raw), "--dump-dom"))
	if server.called(t) == 0 || server.requests.Load() == 0 {
		t.Fatal("the browser asks for nothing even where nobody hinders it: the test shows nothing")
	}
	nb := beaconBook(server.address)
	page, root := rendered(t, nb, Options{})
	checkPage(t, root)
	try.Of(opened(t, program, page, "--dump-dom"))
	if n := server.called(t); n != 0 {
		t.Errorf("the page asks %d times", n)
	}
	try.Of(PDF(context.Background(), nb, Options{}))
	if n := server.called(t); n != 0 {
		t.Errorf("printing the page asks %d times", n)
	}
	drawings := []notebook.Cell{}
	for _, b := range beacons {
		if strings.HasPrefix(b, "<svg") {
			drawings = append(drawings, codeCell("x", nil, shows("image/svg+xml", fmt.Sprintf(b, server.address))))
		}
	}
	folder := t.TempDir()
	try.To(Save(context.Background(), filepath.Join(folder, "r.tex"), book(drawings...), Options{Title: "T"}))
	if pdfs, err := filepath.Glob(filepath.Join(folder, "r_files", "*.pdf")); err != nil || len(pdfs) != len(drawings) {
		t.Errorf("%d drawings became PDF, want %d, %v", len(pdfs), len(drawings), err)
	}
	if n := server.called(t); n != 0 {
		t.Errorf("turning drawings into PDF asks %d times", n)
	}
}

// The policy of a page alone, without the cleaner, lets nothing be asked for. Chromium
// may open a connection ahead of a request that the policy then forbids, and says nothing on it.
func TestPolicyAlone(t *testing.T) {
	program, server := browser(t), listening(t)
	page, _ := rendered(t, book(markdownCell("# Title")), Options{})
	raw := strings.ReplaceAll(strings.Join(beacons, "\n"), "%[1]s", server.address)
	hostile := bytes.Replace(page, []byte("</main>"), []byte(raw+"</main>"), 1)
	try.Of(opened(t, program, hostile, "--dump-dom"))
	server.called(t)
	if n := server.requests.Load(); n != 0 {
		t.Errorf("the page asks %d times", n)
	}
}

// overlays would cover a page, or hide what is beside them.
var overlays = []string{
	`<p style="position:/**/fixed;inset:0;background:white;z-index:9999">cover</p>`,
	`<p style="--p:fixed;position:var(--p);inset:0;background:white;z-index:9999">cover</p>`,
	`<style>p { --p:fixed;position:var(--p);inset:0;background:white;z-index:9999 }</style><p>cover</p>`,
	`<svg STYLE="position:fixed;inset:0;background:white;z-index:9999" width="2000" height="2000"><rect width="2000" height="2000" fill="white"/></svg>`,
	`<p style="position:f\69xed;inset:0;background:white;z-index:9999">cover</p>`,
	`<p style="position:relative;top:-900px;left:-900px;width:3000px;height:3000px;background:white;z-index:9999">cover</p>`,
	`<p style="position:relative;inset:-900px;pointer-events:none;background:white;z-index:9999">cover</p>`,
	`<p style="margin:-900px;padding:900px;background:white">cover</p>`,
	`<p style="transform:scale(900);background:white">cover</p>`,
	`<p style="translate:0 -300px;scale:90;background:white">cover</p>`,
	`<p style="box-shadow:0 0 0 900px white;outline:900px solid white">cover</p>`,
	`<p style="filter:drop-shadow(0 -200px 0 white);font-size:200px;line-height:0">cover</p>`,
	`<svg width="9" height="9" overflow="visible" style="overflow:visible"><rect x="-900" y="-900" width="3000" height="3000" fill="white"/></svg>`,
	`<style>+ *, ~ * { display: none } p { color: red }</style><p>cover</p>`,
	`<style>{ position: fixed; inset: 0 } ~ * { display: none }</style><p>cover</p>`,
}

// overlayBook returns a notebook that mixes overlays with text; the text must remain visible.
func overlayBook(sources []string) *notebook.Notebook {
	cells := []notebook.Cell{markdownCell("# Title in sight\n\nFirst words, on one line."), markdownCell("Second words.")}
	for _, o := range sources {
		cells = append(cells, codeCell("x", nil, shows("text/html", o), shows("text/markdown", o), shows("image/svg+xml", o), printed("stdout", "words after it")),
			markdownCell("Words between."), markdownCell(o), markdownCell("## Words <span style=\"position:relative;top:-900px;box-shadow:0 0 0 900px white\">below</span>"))
	}
	return book(cells...)
}

// An output draws in its place: title, text, code and other outputs are neither
// covered nor hidden, by what can be clicked and by what is seen.
func TestOverlays(t *testing.T) {
	program := browser(t)
	page, _ := rendered(t, overlayBook(overlays), Options{})
	probe := `document.title = Array.from(document.querySelectorAll("h1, nav a, summary, pre, .prose > p:first-child:not([style])"), function (e) {
		e.scrollIntoView({ block: "center" });
		const r = e.getBoundingClientRect(), hit = document.elementFromPoint(r.x + Math.min(20, r.width / 2), r.y + r.height / 2);
		return r.height > 5 ? (e.contains(hit) ? "" : "covered: " + e.textContent.slice(0, 20)) : "hidden: " + e.textContent.slice(0, 20);
	}).filter(function (s) { return s; }).slice(0, 5).join("|") || "all in sight";`
	out, err := opened(t, program, probed(t, page, probe), "--dump-dom")
	if i := max(strings.Index(out, "<title>"), 0); err != nil || !strings.Contains(out, "<title>all in sight</title>") {
		t.Errorf("%v, %.300s", err, out[i:])
	}
	harmless := make([]string, len(overlays))
	for i := range harmless {
		harmless[i] = "<p>cover</p>"
	}
	plain, _ := rendered(t, overlayBook(harmless), Options{})
	a, b := seen(t, program, plain), seen(t, program, page)
	if a.Bounds() != b.Bounds() {
		t.Fatalf("pictures of %v and %v", a.Bounds(), b.Bounds())
	}
	for y := range 300 { // title, contents and text, before the first output
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				t.Fatalf("the head of the page differs at (%d, %d): %v, want %v", x, y, b.At(x, y), a.At(x, y))
			}
		}
	}
}

// seen returns a picture of the head of a page.
func seen(t *testing.T, program string, page []byte) image.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seen.png")
	if out, err := opened(t, program, page, "--window-size=1000,900", "--screenshot="+path); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f := try.Of(os.Open(path))
	defer f.Close()
	return try.Of(png.Decode(f))
}
