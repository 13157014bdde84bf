package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Programs that measure: a command, or a service.

// commandPuller asks a command: the request is its standard input, and rewards are lines of its
// standard output. What it writes to standard error is shown. Grace is how long it may go on after its
// last reward, 0 for ever.
func commandPuller(argv []string, grace time.Duration) cluster.Puller {
	return cluster.Asking{Name: "the command " + strings.Join(argv, " "), Grace: grace,
		Ask: func(ctx context.Context, request []byte, answers io.Writer) error {
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

// endWait is how long a command may take to end when it is told to, and how long its output may be open
// after its end.
const endWait = 2 * time.Second

// measure runs the command once.
func measure(ctx context.Context, argv []string, request []byte, answers io.Writer) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(request), answers, os.Stderr
	c.WaitDelay = endWait
	endWithParent(c)
	err := c.Run()
	endRest(c)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("the command %s has ended, and a program that it started still holds its output: what it prints is not read",
			strings.Join(argv, " "))
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("the command %s ended with %s", strings.Join(argv, " "), exit.ProcessState)
	}
	return err
}

// httpPuller asks a service: the request is the body of a POST, and rewards are lines of the answer.
func httpPuller(address string, grace time.Duration) cluster.Puller {
	name := address
	if u, err := url.Parse(address); err == nil {
		name = u.Redacted()
	}
	return cluster.Asking{Name: name, Grace: grace, Ask: func(ctx context.Context, request []byte, answers io.Writer) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(request))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		response, err := service.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if to := response.Header.Get("Location"); to != "" && response.StatusCode/100 == 3 {
			return fmt.Errorf("%s answered %s: it sends requests to %s; give the URL that takes them", name, response.Status, to)
		}
		if response.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(io.LimitReader(response.Body, 300))
			return fmt.Errorf("%s answered %s: %q", name, response.Status, bytes.TrimSpace(text))
		}
		_, err = io.Copy(answers, response.Body)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}}
}

// service asks services. It follows a redirection only with the same request: others ask by GET, which
// is no request for pulls.
var service = &http.Client{CheckRedirect: func(r *http.Request, before []*http.Request) error {
	if r.Method != http.MethodPost || len(before) >= 10 {
		return http.ErrUseLastResponse
	}
	return nil
}}
