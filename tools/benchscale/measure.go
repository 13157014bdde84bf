//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// cell holds the time and the memory of one command.
type cell struct {
	arms    int
	seconds float64 // of the processor, user and system
	memory  float64 // bytes, largest resident size
	// why there is nothing: "" where it ended well
	trouble string
	over    bool // it was ended at the limit
}

func (c cell) failed() bool { return c.over || c.trouble != "" }

func (c cell) String() string {
	if c.trouble != "" {
		return c.trouble
	}
	s := fmt.Sprintf("%.2f s, %.0f MB", c.seconds, c.memory/1e6)
	if c.over {
		return "ended after " + s
	}
	return s
}

// measure runs a script by the program in a folder of its own. It is an error when the program cannot
// be started, or when the context ends; a script that fails is a cell with trouble.
func measure(ctx context.Context, command, script string, limit time.Duration) (cell, error) {
	folder, err := os.MkdirTemp("", "benchscale")
	if err != nil {
		return cell{}, err
	}
	defer os.RemoveAll(folder)
	if strings.Contains(command, "/") {
		if command, err = filepath.Abs(command); err != nil {
			return cell{}, err
		}
	}
	seconds := max(int(limit.Seconds()), 1)
	// A program that waits would never use its processor time up.
	waiting, stop := context.WithTimeout(ctx, 4*limit+time.Minute)
	defer stop()
	run := exec.CommandContext(waiting, "sh", "-c", fmt.Sprintf(`ulimit -t %d; exec "$0" "$@"`, seconds), command, "run", "-")
	run.Dir = folder
	run.Stdin = strings.NewReader(script)
	var problems bytes.Buffer
	run.Stderr = &problems
	err = run.Run()
	if ctx.Err() != nil {
		return cell{}, ctx.Err()
	}
	if run.ProcessState == nil {
		return cell{}, err
	}
	use := run.ProcessState.SysUsage().(*syscall.Rusage)
	c := cell{seconds: (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), memory: float64(use.Maxrss) * 1024}
	var exit *exec.ExitError
	switch {
	case err == nil:
	case waiting.Err() != nil || c.seconds >= 0.75*float64(seconds) && run.ProcessState.Sys().(syscall.WaitStatus).Signaled():
		c.over = true
	case errors.As(err, &exit):
		c.trouble = complaint(problems.String())
	default:
		return cell{}, err
	}
	return c, nil
}

// complaint returns the line of what a program complained of that has the reason, else the last one.
func complaint(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for _, line := range lines {
		if reason, found := strings.CutPrefix(line, "   = "); found {
			return reason
		}
	}
	return lines[len(lines)-1]
}
