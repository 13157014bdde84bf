package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

func webCommand() *cobra.Command {
	var listen string
	var quiet bool
	c := &cobra.Command{
		Use:   "web [FOLDER]",
		Short: "Open the browser page, which analyses a table without an upload",
		Long: `Show the page for browsers on this machine. You drop a table, and get the recommended options and
what to measure next. The browser computes everything: nothing is uploaded.

Release archives contain the page, and make web writes it into dist/web of a clone. Without FOLDER
the page is the folder web beside this program, or dist/web. Any host of static files can serve it.`,
		Example: "  gonb-cope web\n  gonb-cope web dist/web --listen 127.0.0.1:8080",
		Args:    arguments(0, 1, "at most one folder"),
		RunE: func(c *cobra.Command, args []string) error {
			folder, err := pageFolder(args)
			if err != nil {
				return err
			}
			return serveWeb(c.Context(), folder, listen, quiet)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "`ADDRESS` of this machine; port 0 chooses a free port")
	c.Flags().BoolVar(&quiet, "no-browser", false, "print the address without opening a browser")
	return c
}

// pageFolder returns the folder with the files of the page.
func pageFolder(args []string) (string, error) {
	folders := args
	if len(args) == 0 {
		if program, err := os.Executable(); err == nil {
			folders = append(folders, filepath.Join(filepath.Dir(program), "web"))
		}
		folders = append(folders, filepath.Join("dist", "web"))
	}
	has := func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "cope.wasm"))
		return err == nil
	}
	if folder, ok := lists.First(folders, has); ok {
		return folder, nil
	}
	return "", fmt.Errorf("the page is not in %s. It is a folder of its own, because it would make this program larger. "+
		"Take the folder web of a release archive, or run make web in a clone, and write gonb-cope web FOLDER", strings.Join(folders, " or "))
}

// pagePolicy is the content security policy of the page and its worker. Scripts come only from the page's own files, and
// nothing is sent to other hosts.
const pagePolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; connect-src 'self'; " +
	"worker-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// servedPage returns a handler that serves the files in a folder. It accepts only requests that read.
func servedPage(folder string) http.Handler {
	files := http.FileServer(http.Dir(folder))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "only reading is possible", http.StatusMethodNotAllowed)
			return
		}
		files.ServeHTTP(w, r)
	})
}

// serveWeb serves the page until the context ends.
func serveWeb(ctx context.Context, folder, listen string, quiet bool) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usageError{fmt.Errorf("--listen must be an address of this machine, such as 127.0.0.1:8080, got %q. To serve others, "+
			"copy %s to a host of static files", listen, folder)}
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", listen, err)
	}
	address := "http://" + l.Addr().String() + "/"
	fmt.Printf("%s shows the page of %s; Ctrl-C ends it\n", address, folder)
	if !quiet {
		openBrowser(address)
	}
	s := &http.Server{Handler: servedPage(folder), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { s.Close() })()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// openBrowser opens an address in the user's browser, if there is one. Errors are ignored, because the address is also
// printed.
func openBrowser(address string) {
	program, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if c := exec.Command(program, args...); c.Start() == nil {
		go c.Wait() // so that the process does not become a zombie
	}
}
