package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
)

// root is the folder of the tests' own files, which is removed at the end.
var root string

func TestMain(m *testing.M) {
	status, err := prepared(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// prepared runs the tests with a new home folder: nothing of the user's Jupyter is read or written.
// What Go and this program have compiled and downloaded stays in use.
func prepared(run func() int) (status int, err error) {
	if root, err = os.MkdirTemp("", "conf"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(root)
	for _, name := range []string{"GOENV", "GOPATH", "GOMODCACHE", "GOCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return 1, fmt.Errorf("go env %s: %w", name, err)
		}
		_ = os.Setenv(name, strings.TrimSpace(string(value)))
	}
	if os.Getenv("GONB_COPE_TOOLS") == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return 1, err
		}
		_ = os.Setenv("GONB_COPE_TOOLS", filepath.Join(cache, "gonb-cope"))
	}
	for name, folder := range map[string]string{
		"HOME": "home", "XDG_CACHE_HOME": "home/cache", "XDG_CONFIG_HOME": "home/config", "XDG_DATA_HOME": "home/share", "XDG_STATE_HOME": "home/state",
		"TMPDIR": "tmp", "JUPYTER_DATA_DIR": "jupyter", "JUPYTER_CONFIG_DIR": "home/jupyter", "JUPYTER_RUNTIME_DIR": "run", "IPYTHONDIR": "home/ipython",
	} {
		folder = filepath.Join(root, folder)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return 1, err
		}
		_ = os.Setenv(name, folder)
	}
	for _, name := range []string{"JUPYTER_PATH", "PYTHONPATH", "XDG_RUNTIME_DIR"} {
		_ = os.Unsetenv(name)
	}
	status = run()
	if left := strays(); len(left) > 0 {
		return 1, fmt.Errorf("processes of the tests are left behind:\n%s", strings.Join(left, "\n"))
	}
	return status, nil
}

// strays returns the processes that the tests have started and that do not end.
func strays() (left []string) {
	within(limit, func() bool {
		left = nil
		for _, p := range own() {
			left = append(left, p.id+" "+strings.Join(p.argv, " "))
		}
		return len(left) == 0
	})
	return left
}

// process is a process by its number and command line.
type process struct {
	id   string
	argv []string
}

// own returns the processes that have the tests' folder in their environment, and so were started
// by them. Only Linux shows them.
func own() (found []process) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		variables, _ := os.ReadFile(path) // a process may have ended, or be another user's
		id := filepath.Base(filepath.Dir(path))
		if bytes.Contains(variables, []byte(root)) && id != fmt.Sprint(os.Getpid()) {
			line, _ := os.ReadFile(filepath.Join("/proc", id, "cmdline"))
			found = append(found, process{id, strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")})
		}
	}
	return found
}

// ourKernel and plainGoNB are the names of the kernels that installed installs.
const (
	ourKernel = "gonb-cope"
	plainGoNB = "gonb"
)

// installation is the command, built and installed once for all tests.
var installation = sync.OnceValues(func() (command string, err error) {
	command = filepath.Join(root, "bin", "gonb-cope")
	build := exec.Command("go", "build", "-o", command, "../../cmd/gonb-cope")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	if out, err := exec.Command(command, "install", "--no-build").CombinedOutput(); err != nil {
		return "", fmt.Errorf("gonb-cope install: %w\n%s", err, out)
	}
	return command, nil
})

// installed returns the command, whose kernel Jupyter knows as ourKernel.
func installed(t testing.TB) string {
	t.Helper()
	return try.Of(installation())
}

var gonbInstallation = sync.OnceValue(func() error {
	tools, err := gonb.Provision(context.Background(), func(string) {})
	if err != nil {
		return err
	}
	folder := filepath.Join(root, "jupyter", "kernels", plainGoNB)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	spec, err := json.Marshal(map[string]any{ // as gonb --install writes it, with goimports at hand
		"argv": []string{tools.GoNB, "--kernel", "{connection_file}"}, "display_name": "Go (gonb)", "language": "go",
		"interrupt_mode": "message", "env": map[string]string{"PATH": tools.Bin() + ":${PATH}"},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "kernel.json"), spec, 0o600)
})

// needGoNB makes Jupyter know GoNB itself as plainGoNB. Its modules are downloaded
// once when they are not there.
func needGoNB(t testing.TB) {
	t.Helper()
	if err := gonbInstallation(); err != nil {
		missing(t, fmt.Sprintf("GoNB cannot be built: %v", err))
	}
}

// missing skips a test that lacks something, or fails it where all must be there.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("GONB_COPE_REQUIRE_ALL") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// program finds a program of a Debian package.
func program(t testing.TB, name, debian string) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("short: %s is not started", name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, fmt.Sprintf("%s is not installed (Debian: %s)", name, debian))
	}
	return path
}

// systemPython is the Python that Debian's packages are installed for; a python3 found in PATH may
// be another one.
const systemPython = "/usr/bin/python3"

// python returns an interpreter that has a module of a Debian package.
func python(t testing.TB, module, debian string) string {
	t.Helper()
	for _, name := range []string{systemPython, "python3"} {
		if exec.Command(name, "-c", "import "+module).Run() == nil {
			return name
		}
	}
	missing(t, fmt.Sprintf("Python's %s is not installed (Debian: %s)", module, debian))
	return ""
}

// outcome holds how a program ended.
type outcome struct {
	stdout, stderr string
	status         int
	took           time.Duration
}

// runIn runs a program in a folder with a time limit, in a process group that leaves
// nothing behind.
func runIn(t testing.TB, folder string, limit time.Duration, argv ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd, stdout, stderr := exec.CommandContext(ctx, argv[0], argv[1:]...), new(bytes.Buffer), new(bytes.Buffer)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = folder, stdout, stderr, 5*time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	begin := time.Now()
	err := cmd.Run()
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), took: time.Since(begin)}
	if ctx.Err() != nil {
		t.Fatalf("%s did not end within %v; it printed:\n%s%s", strings.Join(argv, " "), limit, o.stdout, o.stderr)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		o.status = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(argv, " "), err, o.stdout, o.stderr)
	}
	return o
}

// must fails the test unless the program ended well.
func (o outcome) must(t testing.TB) outcome {
	t.Helper()
	if o.status != 0 {
		t.Fatalf("exit status %d; it printed:\n%s%s", o.status, o.stdout, o.stderr)
	}
	return o
}

var warming = sync.OnceValue(func() error {
	command, _ := installation()
	out, err := exec.Command(command, "doctor", "--build").CombinedOutput()
	if err != nil {
		return fmt.Errorf("gonb-cope doctor --build: %w\n%s", err, out)
	}
	return nil
})

// warm compiles what the first Go cells need, as the documentation asks of users: tests with Go
// cells wait for no compiler then. Modules are downloaded once when they are not there.
func warm(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("Go cells are compiled: left out with -short")
	}
	installed(t)
	if err := warming(); err != nil {
		missing(t, err.Error())
	}
}
