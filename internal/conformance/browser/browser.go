// Package browser opens a headless browser for tests. Front ends load in it even on a busy machine.
package browser

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Open opens a window of a browser such as Chromium. program is its path. The window closes when the test ends, or after
// limit.
func Open(t testing.TB, program string, limit time.Duration) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(
		chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(program), chromedp.WindowSize(1200, 1000), chromedp.WSURLReadTimeout(limit))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if _, err := chromedp.Run(ctx, beforePages(patient)); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	return ctx
}

// patient is a script that removes the time limit of the classic Notebook's loader (RequireJS). The loader waits 30
// seconds for parts of the page, which is too short on a busy machine. The script sets the limit to 0 (none) whenever the
// page sets it.
const patient = `(() => {
	let loader;
	Object.defineProperty(window, "require", {configurable: true, get: () => loader, set: f => {
		loader = f;
		if (typeof f === "function" && f.config) {
			const config = f.config;
			f.config = o => config.call(f, {...o, waitSeconds: 0});
		}
	}});
})()`

// beforePages makes the browser run a script before the scripts of each page.
func beforePages(script string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return none, err
	}
}
