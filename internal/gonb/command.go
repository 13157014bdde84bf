package gonb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// command is one run of the go command.
type command struct {
	args []string
	dir  string
	env  []string // besides the environment of this process
	log  func(string)
}

// kept is the number of last lines of a failed command that enter the error.
const kept = 8

// run waits for the command; when ctx ends, it ends the command and its children. The
// error holds the last lines that the command said.
func (c command) run(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The child asks to be ended when the thread that started it ends (attributes).
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	cmd.WaitDelay = 2 * time.Second
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return end(cmd.Process) }
	read, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	said := make(chan []string)
	go func() { said <- lines(read, c.log) }()
	err := cmd.Run()
	write.Close()
	last := <-said
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(last) > 0 {
		return fmt.Errorf("%s failed:\n  %s", strings.Join(c.args[:min(2, len(c.args))], " "), strings.Join(last, "\n  "))
	}
	return fmt.Errorf("%s failed: %w", strings.Join(c.args[:min(2, len(c.args))], " "), err)
}

// lines passes each line on and returns the last ones, without news of downloads.
func lines(r io.Reader, log func(string)) []string {
	var last []string
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			if log != nil {
				log(line)
			}
			if !strings.HasPrefix(line, "go: downloading ") {
				last = append(last[max(0, len(last)-kept+1):], line)
			}
		}
		if err != nil {
			return last
		}
	}
}
