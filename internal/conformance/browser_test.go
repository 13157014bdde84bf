package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/conformance/browser"
)

// browse opens a window of a headless browser; it is closed when the test ends.
func browse(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	return browser.Open(t, program(t, "chromium", "chromium"), limit)
}

// requests opens a page of a file in a browser and returns the addresses that the page asked for,
// other than files and data within the page. It waits until there are at least that many, and a
// second more.
func requests(t *testing.T, file string, least int) []string {
	t.Helper()
	var mu sync.Mutex
	var asked []string
	ctx := browse(t, limit)
	seen := func(event any) {
		if reflect.TypeOf(event).String() != "*network.EventRequestWillBeSent" {
			return
		}
		var sent struct{ Request struct{ URL string } }
		if raw, err := json.Marshal(event); err != nil || json.Unmarshal(raw, &sent) != nil {
			t.Errorf("a request that cannot be read: %v", event)
		}
		if u := sent.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") {
			mu.Lock()
			asked = append(asked, u)
			mu.Unlock()
		}
	}
	try.To(chromedp.Listen(ctx, seen))
	try.To(chromedp.Do(ctx, chromedp.Navigate("file://"+filepath.ToSlash(file))))
	soFar := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(asked)
	}
	eventually(t, fmt.Sprintf("%d requests", least), func() bool { return len(soFar()) >= least })
	time.Sleep(time.Second) // whatever comes unasked
	return soFar()
}

// The counter requests counts every request of a page.
func TestRequestsAreSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.html")
	page := `<!DOCTYPE html><title>x</title><img src="http://127.0.0.1:9/a.png"><link rel="stylesheet" href="http://fonts.invalid/b.css">
		<script src="http://cdn.invalid/c.js"></script><script>fetch("https://data.invalid/d.json")</script>`
	try.To(os.WriteFile(path, []byte(page), 0o600))
	if asked := requests(t, path, 4); len(asked) != 4 {
		t.Errorf("of 4 requests these were seen: %q", asked)
	}
}
