package display

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/gonb-cope/gonb-cope/notebook/bridge"
	"github.com/gonb-cope/gonb-cope/report"
)

// shown counts the displays of this program, for unique ids.
var shown atomic.Int64

// Show displays values, one below the other. They may be results, sweeps, values of engine/bounds, problems, kernels,
// figures and tables of package report, numbers, texts and lists. Other values are displayed as text. Show returns when
// all values are displayed. It panics if a value cannot be drawn, or if the kernel does not respond.
func Show(values ...any) {
	for _, v := range values {
		d := report.Display{Value: v}
		bundle, err := report.Bundle(d, id(d))
		if err == nil {
			err = send(os.Stdout, bundle)
		}
		if err != nil {
			panic(fmt.Errorf("display: %w", err))
		}
	}
}

// Markdown displays a text in Markdown, with formulas between dollar signs.
func Markdown(text string) {
	if err := send(os.Stdout, map[string]any{"text/plain": text, "text/markdown": text}); err != nil {
		panic(fmt.Errorf("display: %w", err))
	}
}

// id returns an id for a display, from its contents and its number in the program. Thus a notebook that runs again
// produces the same page.
func id(d report.Display) string {
	h := fnv.New64a()
	// writing to a hash cannot fail
	_ = report.Text(h, report.Document{Displays: []report.Display{d}}, report.TextOptions{})
	return fmt.Sprintf("go-%016x-%d", h.Sum64(), shown.Add(1))
}

// send sends a bundle to the front end. Outside a notebook, it writes the bundle's text to stdout.
func send(stdout io.Writer, bundle map[string]any) error {
	client, err := bridge.Connect()
	switch {
	case err == nil:
		content, err := json.Marshal(bundle)
		if err != nil {
			return err
		}
		return client.Show(content)
	case gonbui.IsNotebook:
		return throughGoNB(bundle)
	case errors.Is(err, bridge.ErrNoKernel):
		_, err = fmt.Fprintln(stdout, strings.TrimRight(bundle["text/plain"].(string), "\n"))
	}
	return err
}

// throughGoNB sends a bundle through the pipe that GoNB opens for its cells. It waits until GoNB has received the bundle,
// because a program that ends at once would lose it. GoNB converts bytes to base64 itself, and accepts only texts and
// bytes.
func throughGoNB(bundle map[string]any) error {
	data := map[protocol.MIMEType]any{}
	for kind, content := range bundle {
		text, isText := content.(string)
		switch {
		case !isText:
		case kind == "image/png":
			png, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return err
			}
			data[protocol.MIMEType(kind)] = png
		default:
			data[protocol.MIMEType(kind)] = text
		}
	}
	gonbui.SendData(&protocol.DisplayData{Data: data})
	gonbui.Sync()
	return gonbui.Error()
}
