package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Programs that measure: a command, or a service.

// commandPuller asks a command: the request is its standard input, and rewards are lines of its
// standard output. What it writes to standard error is shown.
func commandPuller(argv []string) cluster.Puller {
	return cluster.Asking{Name: "the command " + strings.Join(argv, " "), Ask: func(ctx context.Context, request []byte, answers io.Writer) error {
		done := make(chan error, 1)
		go func() {
			// the thread that starts the command stays until it has ended: see endWithParent
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			done <- measure(ctx, argv, request, answers)
		}()
		return <-done
	}}
}

// measure runs the command once.
func measure(ctx context.Context, argv []string, request []byte, answers io.Writer) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(request), answers, os.Stderr
	c.WaitDelay = time.Second
	endWithParent(c)
	err := c.Run()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("the command %s ended with %s", strings.Join(argv, " "), exit.ProcessState)
	}
	return err
}

// httpPuller asks a service: the request is the body of a POST, and rewards are lines of the answer.
func httpPuller(url string) cluster.Puller {
	return cluster.Asking{Name: url, Ask: func(ctx context.Context, request []byte, answers io.Writer) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(request))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(response.Body, 300))
			return fmt.Errorf("%s answered %s: %q", url, response.Status, bytes.TrimSpace(text))
		}
		_, err = io.Copy(answers, response.Body)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}}
}
