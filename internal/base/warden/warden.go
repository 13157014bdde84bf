//go:build unix

package warden

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/child"
)

const (
	patience = time.Second            // limit for the command to end after SIGTERM
	forward  = 100 * time.Millisecond // time for GoNB to forward an interrupt to its child processes

	// upper bound, on a machine without heavy load, of the time until GoNB forwards interrupts to a new program
	subscribing = 200 * time.Millisecond
	// after this time GoNB has killed the processes to which it forwarded an interrupt (5 s; jpyexec.WaitToKill)
	passed = 6 * time.Second
)

// Run runs a command under a warden and returns the command's exit status. The warden reads its orders from in. argv
// consists of a folder, which is removed at the end, and the command. The folder's parent belongs to the kernel; the
// warden removes it if the kernel has ended.
func Run(argv []string, in io.Reader) (status int, err error) {
	if len(argv) < 2 {
		return 0, fmt.Errorf("warden: it needs a folder to remove and a command, got %q", argv)
	}
	folder, argv := argv[0], argv[1:]
	alone := false // true if the parent has ended
	var pipes []string
	defer func() { tidy(folder, alone, pipes) }()
	adopt()
	// The kernel handles interrupts from the terminal.
	signal.Ignore(os.Interrupt)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGHUP)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), mark(folder))
	cmd.SysProcAttr = child.Attributes(syscall.SIGKILL) // keeps signals of the terminal away
	ended := make(chan struct{})
	if err := child.Start(cmd, func(error) { close(ended) }); err != nil { // the result is in ProcessState
		return 0, fmt.Errorf("warden: %w", err)
	}
	orders := make(chan string)
	go read(in, orders)
	calm := func() {}
	orphans := make(chan os.Signal, 1)
	signal.Notify(orphans, syscall.SIGCHLD)
	for {
		select {
		case <-orphans:
			reap(cmd.Process.Pid)
			continue
		case <-ended:
			pipes = sweep(adopted)
			return cmd.ProcessState.ExitCode(), nil
		case order, ok := <-orders:
			switch {
			case ok && order == Interrupt:
				calm()
				ctx, cancel := context.WithCancel(context.Background())
				calm = cancel
				go interrupt(ctx, cmd.Process.Pid)
				continue
			case ok && order == Calm:
				calm()
				continue
			case !ok:
				alone = true
			}
		case <-terminated:
		}
		pipes = pipesOf(below(os.Getpid()))
		_ = cmd.Process.Signal(syscall.SIGTERM) // an error means that the command has ended
		select {
		case <-ended:
		case <-time.After(patience):
		}
		pipes = append(pipes, sweep(adopted)...)
		return 0, nil
	}
}

// read sends each line of in to orders, and closes orders at the end of in.
func read(in io.Reader, orders chan<- string) {
	defer close(orders)
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		orders <- line
	}
}

// interrupt interrupts GoNB's processes, and new ones until ctx ends. GoNB itself forwards an interrupt only to the
// program of a cell and to the shell of a ! command. It does not reach compilers, commands in a shell, and the rest of the
// cell. gopls is not interrupted. Each process is interrupted once, because some end normally at the first interrupt and
// abruptly at the second.
func interrupt(ctx context.Context, gonb int) {
	due := map[int]time.Time{}
	for _, p := range below(gonb) {
		if p.parent == gonb && p.name != "go" && p.name != "goimports" && p.age > subscribing {
			due[p.id] = time.Now().Add(passed) // a process that still runs then did not get GoNB's interrupt
		}
	}
	_ = syscall.Kill(gonb, syscall.SIGINT)
	reached := map[int]bool{}
	for await.Pause(ctx, forward) == nil {
		found := below(gonb)
		if ctx.Err() != nil { // later processes may belong to the next cell
			return
		}
		for _, p := range found {
			if !reached[p.id] && p.name != "gopls" && time.Now().After(due[p.id]) {
				_ = syscall.Kill(p.id, syscall.SIGINT)
				reached[p.id] = true
			}
		}
	}
}
