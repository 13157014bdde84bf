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
	patience = time.Second            // for the command to end after SIGTERM
	forward  = 100 * time.Millisecond // for GoNB to forward an interrupt to the processes that it started

	// upper bound on the time after the start of a program until GoNB forwards interrupts to it; may be exceeded under heavy load
	subscribing = 200 * time.Millisecond
	// GoNB has then killed the processes that it forwarded an interrupt to (5 s; jpyexec.WaitToKill)
	passed = 6 * time.Second
)

// Run runs a command under a warden that reads its orders from in, and returns the exit status of the command. argv is a folder,
// which is removed at the end, and the command. The folder above it belongs to the parent, and is removed if the parent cannot do
// so itself.
func Run(argv []string, in io.Reader) (status int, err error) {
	if len(argv) < 2 {
		return 0, fmt.Errorf("warden: it needs a folder to remove and a command, got %q", argv)
	}
	folder, argv := argv[0], argv[1:]
	alone := false // the parent is gone
	var pipes []string
	defer func() { tidy(folder, alone, pipes) }()
	adopt()
	// The kernel handles interrupts of the terminal.
	signal.Ignore(os.Interrupt)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGHUP)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), mark(folder))
	cmd.SysProcAttr = child.Attributes(syscall.SIGKILL) // no signals from the terminal
	ended := make(chan struct{})
	if err := child.Start(cmd, func(error) { close(ended) }); err != nil { // ProcessState has the result
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
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		select {
		case <-ended:
		case <-time.After(patience):
		}
		pipes = append(pipes, sweep(adopted)...)
		return 0, nil
	}
}

// read sends the lines of in, and closes the channel at the end.
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

// interrupt interrupts what GoNB runs, and then everything that it starts until ctx ends. GoNB forwards an interrupt to the program
// of a cell and to the shell of a ! command, if one runs at that moment; the interrupt does not reach compilers, commands of a
// shell, and the rest of the cell. gopls does not belong to a cell. Each process is interrupted once: some end quietly at the first
// interrupt, and at once at the second.
func interrupt(ctx context.Context, gonb int) {
	due := map[int]time.Time{}
	for _, p := range below(gonb) {
		if p.parent == gonb && p.name != "go" && p.name != "goimports" && p.age > subscribing {
			due[p.id] = time.Now().Add(passed) // what still runs then was not interrupted
		}
	}
	_ = syscall.Kill(gonb, syscall.SIGINT)
	reached := map[int]bool{}
	for await.Pause(ctx, forward) == nil {
		found := below(gonb)
		if ctx.Err() != nil { // a later process may belong to the next cell
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
