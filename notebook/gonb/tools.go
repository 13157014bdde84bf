package gonb

import (
	"bufio"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Tools are the paths of the programs that Go cells need.
type Tools struct {
	Go        string // go command
	GoNB      string // compiles and runs cells
	GoImports string // GoNB calls it before it compiles a cell, and finds it in PATH
	Gopls     string // gopls in PATH, which completes Go code; "" if not installed
}

// Bin returns the folder with GoNB and goimports. It must come first in GoNB's PATH, because GoNB looks for goimports
// there.
func (t Tools) Bin() string { return filepath.Dir(t.GoNB) }

// These are the packages that Provision builds. Both are tools in the module's go.mod.
const (
	gonbPackage      = "github.com/janpfeifer/gonb"
	goimportsPackage = "golang.org/x/tools/cmd/goimports"
)

//go:embed pins
var pins embed.FS

// pinned returns the content of an embedded file.
func pinned(name string) []byte {
	text, err := pins.ReadFile("pins/" + name)
	if err != nil {
		panic(err) // impossible: the file is embedded
	}
	return text
}

// ErrNoGo states that the go command is not in PATH.
var ErrNoGo = errors.New("Go cells need the go command, which is not in PATH; install Go from go.dev/dl")

// ErrNotBuilt states that GoNB and goimports have not been built yet.
var ErrNotBuilt = errors.New("GoNB and goimports are not built yet")

// Cached returns the tools if they have been built, and otherwise ErrNoGo or ErrNotBuilt. It starts no program.
func Cached() (Tools, error) {
	t, err := locate()
	if err != nil {
		return Tools{}, err
	}
	if !runnable(t.GoNB) || !runnable(t.GoImports) {
		return Tools{}, ErrNotBuilt
	}
	return t, nil
}

// Provision returns the tools, and builds them at the first call. A build takes seconds, plus the time to download
// modules; log receives its output. Several processes may call Provision at once.
func Provision(ctx context.Context, log func(string)) (_ Tools, err error) {
	defer try.Caught(&err)
	t, err := Cached()
	if !errors.Is(err, ErrNotBuilt) {
		return t, err
	}
	t = try.Of(locate())
	folder := filepath.Dir(t.Bin())
	fresh := ""
	if err = os.MkdirAll(filepath.Dir(folder), 0o755); err == nil {
		fresh, err = os.MkdirTemp(filepath.Dir(folder), "building-*")
	}
	if err != nil {
		return Tools{}, fmt.Errorf("the folder for GoNB cannot be made: %w", err)
	}
	defer os.RemoveAll(fresh)
	try.To(compile(ctx, t.Go, fresh, log))
	// Several processes can build at once. The first rename succeeds, and the other processes use its folder.
	if err := os.Rename(fresh, folder); err != nil {
		if done, cached := Cached(); cached == nil {
			return done, nil
		}
		os.RemoveAll(folder) // incomplete: some files were deleted
		if err = os.Rename(fresh, folder); err != nil {
			return Tools{}, fmt.Errorf("GoNB was built but cannot be put in place: %w", err)
		}
	}
	return t, nil
}

// compile builds GoNB and goimports into folder/bin from the pinned modules.
func compile(ctx context.Context, goCommand, folder string, log func(string)) error {
	log("building GoNB and goimports, which Go cells need (once)")
	bin := filepath.Join(folder, "bin")
	err := errors.Join(os.WriteFile(filepath.Join(folder, "go.mod"), pinned("go.mod.txt"), 0o644),
		os.WriteFile(filepath.Join(folder, "go.sum"), pinned("go.sum.txt"), 0o644), os.Mkdir(bin, 0o755))
	if err != nil {
		return fmt.Errorf("GoNB cannot be built: %w", err)
	}
	c := command{
		args: []string{goCommand, "build", "-mod=readonly", "-buildvcs=false", "-o", bin + string(filepath.Separator), gonbPackage,
			goimportsPackage},
		dir: folder,
		// The user's own settings for go build must not change this build.
		env: []string{"GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "GOOS=", "GOARCH="},
		log: log,
	}
	if err := c.run(ctx); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("building GoNB was interrupted: %w", context.Cause(ctx))
		}
		return fmt.Errorf("GoNB cannot be built: %w\n  = hint: its modules are downloaded once; with a network (or GOPROXY set to "+
			"a mirror) run: gonb-cope doctor --build", err)
	}
	return nil
}

// GoRelease returns the oldest Go release that can compile Go cells, such as "go1.26.0".
func GoRelease() string {
	f, err := modfile.ParseLax("go.mod", pinned("go.mod.txt"), nil)
	if err != nil {
		panic(err) // impossible: the file is embedded
	}
	return "go" + f.Go.Version
}

// locate returns the paths of the tools, whether or not they have been built.
func locate() (Tools, error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return Tools{}, ErrNoGo
	}
	cache := os.Getenv("GONB_COPE_TOOLS")
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return Tools{}, fmt.Errorf("no folder for GoNB: %w; set GONB_COPE_TOOLS to a folder", err)
		}
		cache = filepath.Join(cache, "gonb-cope")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return Tools{}, fmt.Errorf("no folder for GoNB: %w", err)
	}
	bin := filepath.Join(cache, "tools-"+key(goCommand), "bin")
	t := Tools{Go: goCommand, GoNB: filepath.Join(bin, "gonb"), GoImports: filepath.Join(bin, "goimports")}
	t.Gopls, _ = exec.LookPath("gopls")
	return t, nil
}

// key returns a hash that names the folder of a build. It depends on the pinned modules, the platform and the Go release.
// The release matters because GoNB and goimports contain Go's parser.
func key(goCommand string) string {
	h := sha256.New()
	h.Write(pinned("go.mod.txt"))
	h.Write(pinned("go.sum.txt"))
	fmt.Fprintln(h, runtime.GOOS, runtime.GOARCH, release(goCommand))
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// release returns a text that differs between Go releases: the first line of the file VERSION, or else size and time of
// the program file. It does not run go, which would be slow.
func release(goCommand string) string {
	if real, err := filepath.EvalSymlinks(goCommand); err == nil {
		goCommand = real
	}
	if text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(goCommand)), "VERSION")); err == nil {
		first, _, _ := strings.Cut(string(text), "\n")
		return first
	}
	info, err := os.Stat(goCommand)
	if err != nil {
		return goCommand
	}
	return fmt.Sprint(goCommand, info.Size(), info.ModTime().UnixNano())
}

func runnable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// command is one run of the go command.
type command struct {
	args []string
	dir  string
	env  []string // added to the environment of this process
	log  func(string)
}

// errorLines is the number of output lines that the error of a failed command contains.
const errorLines = 8

// run runs the command and waits for it. If ctx ends, run ends the command with its child processes and returns the cause.
// Otherwise a failure returns an error with the last lines of output.
func (c command) run(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The child process gets a signal when the thread that started it ends (child.Attributes).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	cmd.WaitDelay = 2 * time.Second
	cmd.SysProcAttr = child.Attributes(syscall.SIGTERM)
	cmd.Cancel = func() error { return child.Signal(cmd.Process, syscall.SIGTERM) }
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	said := make(chan []string)
	go func() { said <- lines(read, c.log) }()
	err := cmd.Run()
	write.Close()
	last := <-said
	what := strings.Join(c.args[:min(2, len(c.args))], " ")
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, new(*exec.ExitError)) && len(last) > 0:
		return fmt.Errorf("%s failed:\n  %s", what, strings.Join(last, "\n  "))
	}
	return fmt.Errorf("%s failed: %w", what, err)
}

// lines passes each line of output to log. It returns the last errorLines lines, except lines about downloads.
func lines(r io.Reader, log func(string)) []string {
	var last []string
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			log(line)
			if !strings.HasPrefix(line, "go: downloading ") {
				last = append(last[max(0, len(last)-errorLines+1):], line)
			}
		}
		if err != nil {
			return last
		}
	}
}
