// Package browser opens windows of a headless browser for tests, in which pages of
// front ends load however busy the machine is.
package browser

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Open opens a window of a program, which is Chromium or like it. It is closed when the
// test ends, or after the limit.
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

// patient keeps the classic Notebook from giving its parts up: its loader (RequireJS) waits 30
// seconds for them, which a busy machine can pass, and then the page stays without them. It changes
// the limit to 0, which means no limit, whenever the page sets it.
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

// beforePages has each page run a script before its own.
func beforePages(script string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return none, err
	}
}
