// Package chromium prints HTML pages as PDF with a browser of the Chromium family.
package chromium

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// ErrMissing states that this machine has no such browser.
var ErrMissing = errors.New("PDF files of pages and tables are printed by Chromium, which is not installed. " +
	"Other formats, such as .html, .docx and .xlsx, do not need it. " +
	"Install it (Debian: apt-get install chromium), or name a browser of its kind by CHROME_PATH, and try again")

// names are the browser's program names in the order in which Find tries them.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"}

// Find returns the path of the browser, or ErrMissing. CHROME_PATH overrides the search.
func Find() (string, error) {
	if path := os.Getenv("CHROME_PATH"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("CHROME_PATH names %s, which is not a program: %w", path, err)
		}
		return found, nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

// longest limits the time to print one page. A page of 20 cells takes about 1 s.
const longest = 2 * time.Minute

// Print prints a page of this program as PDF. It uses a new browser profile and removes it afterwards. The page must not
// contain scripts or load anything. The browser runs without a sandbox only for the superuser, for whom Chromium has none.
func Print(ctx context.Context, page []byte) (_ []byte, err error) {
	defer try.Caught(&err)
	browser := try.Of(Find())
	folder := try.Of(os.MkdirTemp("", "cope-print-"))
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "page.html"), filepath.Join(folder, "page.pdf")
	try.To(os.WriteFile(in, page, 0o600))
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("printing took more than %s", longest))
	defer cancel()
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
		"--disable-extensions",
		"--disable-dev-shm-usage", "--user-data-dir=" + filepath.Join(folder, "profile"), "--no-pdf-header-footer",
		"--generate-pdf-document-outline", "--print-to-pdf=" + out}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, browser, append(args, "file://"+filepath.ToSlash(in))...)
	cmd.WaitDelay = 5 * time.Second
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	pdf, readErr := os.ReadFile(out)
	if readErr != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		err = cmp.Or(err, errors.New("it wrote no PDF"))
		last := bytes.TrimSpace(said)
		last = last[bytes.LastIndexByte(last, '\n')+1:]
		return nil, fmt.Errorf("%s did not print the page: %w: %s", filepath.Base(browser), err, last)
	}
	return pdf, nil
}
