package await_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// never is longer than any test waits.
const never = 24 * time.Hour

// Result returns the value and error of a function that ends in time; it leaves a slower function
// behind when the context ends.
func TestResult(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	failed := errors.New("failed")
	if v, err := await.Result(ctx, await.Patience{Grace: never}, func() (int, error) { return 7, failed }); v != 7 || err != failed {
		t.Errorf("%d, error %v; want 7 and the error of the function", v, err)
	}
	if v, err := await.Result(ctx, await.Patience{Grace: never}, func() (int, error) { cancel(); return 8, nil }); v != 8 || err != nil {
		t.Errorf("%d, error %v; want what was returned within the grace", v, err)
	}
	block := make(chan struct{})
	keeps := func() bool { time.AfterFunc(time.Millisecond, func() { block <- struct{}{} }); return true }
	if v, err := await.Result(ctx, await.Patience{Keeps: keeps}, func() (int, error) { <-block; return 8, nil }); v != 8 || err != nil {
		t.Errorf("%d, error %v; want what was worth waiting for", v, err)
	}
	defer close(block)
	v, err := await.Result(ctx, await.Patience{}, func() (int, error) { <-block; return 9, nil })
	if v != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d, error %v; want the context's error", v, err)
	}
}

// A panic reaches the caller, who may recover.
func TestResultPanics(t *testing.T) {
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "oops") || !strings.Contains(p, "await_test.go") {
			t.Errorf("recovered %q; want the panic with its place", p)
		}
	}()
	_, _ = await.Result(context.Background(), await.Patience{}, func() (int, error) { panic("oops") })
	t.Error("no panic")
}

// Files are read up to a limit, and a path that is not a file is refused.
func TestFile(t *testing.T) {
	ctx, folder := context.Background(), t.TempDir()
	path := filepath.Join(folder, "a.txt")
	try.To(os.WriteFile(path, []byte("text"), 0o600))
	if data, err := await.File(ctx, path, 4); string(data) != "text" || err != nil {
		t.Errorf("%q, error %v", data, err)
	}
	for path, want := range map[string]string{
		path:                          "read " + path + ": it has more than 3 bytes, the limit",
		folder:                        "a folder, not a file. Write the name of a file",
		os.DevNull:                    "a device, not a file. Write the name of a file",
		filepath.Join(folder, "none"): "no such file",
	} {
		if _, err := await.File(ctx, path, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", path, err, want)
		}
	}
	for _, path := range []string{path, filepath.Join(folder, "none")} {
		if err := await.Regular(path); err != nil {
			t.Errorf("%s: error %v", path, err)
		}
	}
	for _, path := range []string{folder, os.DevNull} {
		if await.Regular(path) == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
