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
)

// Tools are the programs that Go cells need.
type Tools struct {
	Go        string // the go command
	GoNB      string // compiles and runs cells
	GoImports string // GoNB calls it for every cell, from PATH
	Gopls     string // completes Go code, from PATH; "" when not installed
}

// Bin returns the folder with GoNB and goimports. It must be first in PATH where GoNB runs, as GoNB
// looks for goimports there.
func (t Tools) Bin() string { return filepath.Dir(t.GoNB) }

// Packages that Provision builds. They are tools of the module's go.mod.
const (
	gonbPackage      = "github.com/janpfeifer/gonb"
	goimportsPackage = "golang.org/x/tools/cmd/goimports"
)

//go:embed pins
var pins embed.FS

// pinned reads an embedded file.
func pinned(name string) []byte {
	text, err := pins.ReadFile("pins/" + name)
	if err != nil {
		panic(err) // it is in the binary
	}
	return text
}

// ErrNoGo states that the go command was not found.
var ErrNoGo = errors.New("Go cells need the go command, which is not in PATH; install Go from go.dev/dl")

// ErrNotBuilt states that GoNB and goimports are not in the cache yet.
var ErrNotBuilt = errors.New("GoNB and goimports are not built yet")

// Cached returns the tools when they are built already, and otherwise ErrNoGo or
// ErrNotBuilt. It runs no program.
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

// Provision returns the tools. The first time it builds them, in seconds when their modules are
// there and else after downloading them; log then receives what continues. Several
// processes may call it at once.
func Provision(ctx context.Context, log func(string)) (Tools, error) {
	t, err := Cached()
	if !errors.Is(err, ErrNotBuilt) {
		return t, err
	}
	if t, err = locate(); err != nil {
		return Tools{}, err
	}
	folder := filepath.Dir(t.Bin())
	fresh := ""
	if err = os.MkdirAll(filepath.Dir(folder), 0o755); err == nil {
		fresh, err = os.MkdirTemp(filepath.Dir(folder), "building-*")
	}
	if err != nil {
		return Tools{}, fmt.Errorf("the folder for GoNB cannot be made: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := compile(ctx, t.Go, fresh, log); err != nil {
		return Tools{}, err
	}
	// Whoever is first puts the finished folder in place; a second one finds it there.
	if err := os.Rename(fresh, folder); err != nil {
		if done, cached := Cached(); cached == nil {
			return done, nil
		}
		os.RemoveAll(folder) // it is incomplete: parts of it were removed
		if err = os.Rename(fresh, folder); err != nil {
			return Tools{}, fmt.Errorf("GoNB was built but cannot be put in place: %w", err)
		}
	}
	return t, nil
}

// compile builds the tools into folder/bin from the pinned modules.
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
		// What the user has set for own builds must not change these.
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

// GoRelease returns the oldest release of Go that compiles Go cells, such as "go1.26.0".
func GoRelease() string {
	f, err := modfile.ParseLax("go.mod", pinned("go.mod.txt"), nil)
	if err != nil {
		panic(err) // it is in the binary
	}
	return "go" + f.Go.Version
}

// locate says where the tools are, or will be.
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

// key names a build by what goes into it: the pinned modules and the release of Go,
// since GoNB and goimports read Go code with the parser that they were compiled with.
func key(goCommand string) string {
	h := sha256.New()
	h.Write(pinned("go.mod.txt"))
	h.Write(pinned("go.sum.txt"))
	fmt.Fprintln(h, runtime.GOOS, runtime.GOARCH, release(goCommand))
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// release tells releases of Go apart without running go, which would take longer than
// everything else here: by the file VERSION of its folder, or by the program file.
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
	env  []string // besides the environment of this process
	log  func(string)
}

// errorLines is the number of last lines of a failed command that enter the error.
const errorLines = 8

// run waits for the command; when ctx ends, it ends the command and its children. The error has the last lines of the command's output.
func (c command) run(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The child asks to be ended when the thread that started it ends (child.Attributes).
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

// lines passes each line on and returns the last ones, without news of downloads.
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
