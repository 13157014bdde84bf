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

// shown counts displays, so that each has a unique id.
var shown atomic.Int64

// Show displays values, one below the other: results, sweeps, the values of engine/bounds, problems, kernels, figures and tables of
// package report, numbers, texts and lists; other values as text. It returns when all are displayed. It panics if one cannot be
// drawn or the kernel does not answer.
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

// Markdown displays a Markdown text, with formulas between $.
func Markdown(text string) {
	if err := send(os.Stdout, map[string]any{"text/plain": text, "text/markdown": text}); err != nil {
		panic(fmt.Errorf("display: %w", err))
	}
}

// id identifies a display by its contents and its place in the program, so that running a notebook again gives the same page.
func id(d report.Display) string {
	h := fnv.New64a()
	// h has no errors
	_ = report.Text(h, report.Document{Displays: []report.Display{d}}, report.TextOptions{})
	return fmt.Sprintf("go-%016x-%d", h.Sum64(), shown.Add(1))
}

// send sends a bundle to the front end, or writes it as text.
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

// throughGoNB sends a bundle over the pipe that GoNB opens for its cells. It waits until GoNB has received it, since a program that
// ends at once would lose it. GoNB converts bytes to base64 itself, and accepts only texts and bytes.
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
