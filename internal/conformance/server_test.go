package conformance

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// debianServer returns the Notebook server of Debian.
func debianServer(t *testing.T) []string {
	return []string{python(t, "notebook", "jupyter-notebook"), "-W", "ignore", "-m", "notebook", "--NotebookApp.token=", "--NotebookApp.password="}
}

// shelf returns a folder with our notebooks, and one that takes long. The quickstart lacks the lower bound of its last cell, which takes
// most of its time; TestNbconvertExecutes has it.
func shelf(t *testing.T) string {
	t.Helper()
	folder := copied(t)
	edit(t, filepath.Join(folder, "quickstart.ipynb"), func(nb *notebook.Notebook) {
		for i, c := range nb.Cells {
			if c.Type == notebook.Code && strings.Contains(c.Source, "fc(") {
				nb.Cells[i].Type = notebook.Raw
			}
		}
	})
	book(t, folder, "long.ipynb", code("%%cope\nready = 600*7\nready"), code(longCell), code("%%\nfmt.Println(\"not reached\")"))
	return folder
}

// serve starts a notebook server in a folder and returns its address.
func serve(t *testing.T, folder string, argv ...string) string {
	t.Helper()
	at := testport.Address(t)
	_, port, _ := net.SplitHostPort(at)
	log := try.Of(os.Create(filepath.Join(root, "server.log")))
	defer log.Close()
	cmd := exec.Command(argv[0], append(argv[1:], "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port="+port, "--port-retries=0")...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = folder, log, log, &syscall.SysProcAttr{Setpgid: true}
	try.To(cmd.Start())
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // which ends its kernels, too
		select {
		case <-ended:
		case <-time.After(limit):
			t.Errorf("the server did not end within %v", limit)
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	address := "http://" + at
	eventually(t, "the server", func() bool {
		select {
		case <-ended:
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the server ended; it said:\n%s", said)
		default:
		}
		reply, err := http.Get(address + "/api")
		if err != nil {
			return false
		}
		reply.Body.Close()
		return true
	})
	return address
}
