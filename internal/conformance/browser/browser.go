// Package browser opens windows of a headless browser for tests, in which pages of front ends load even on a busy machine.
package browser

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Open opens a window of a program such as Chromium. It closes when the test ends, or after the limit.
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

// patient removes the time limit of the classic Notebook's loader (RequireJS). The loader waits 30 seconds for the parts of the
// page, which is too short on a busy machine. The script sets the limit to 0, which means none, whenever the page sets it.
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

// beforePages makes each page run a script before its own scripts.
func beforePages(script string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, _ *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return none, err
	}
}
