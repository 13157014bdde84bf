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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
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
				// the thread that starts the command stays until it has ended: see child.Attributes
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
	// it ends with this program, in whatever way: an agent that comes back asks for the same pulls
	c.SysProcAttr = child.Attributes(syscall.SIGKILL)
	c.Cancel = func() error { return child.Signal(c.Process, syscall.SIGTERM) } // no longer wanted
	err := c.Run()
	if c.Process != nil {
		_ = child.Signal(c.Process, syscall.SIGKILL) // what it has left of its group
	}
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

// lookEvery is how often an agent looks whether people have told what is left.
const lookEvery = 500 * time.Millisecond

// people hands pulls out to people: they are the lists of a campaign, whose folder is made where there
// is none, and what is recorded there is told to the other agents once the round is whole. A result can
// be corrected until then.
type people struct{ *agentOptions }

// people returns the way to measure by people, and makes the folder of their campaign.
func (o *agentOptions) people(ctx context.Context) (cluster.Puller, error) {
	k, err := o.openLed(ctx)
	if err != nil {
		return nil, err
	}
	return people{o}, k.Close()
}

func (o *agentOptions) openLed(ctx context.Context) (*folder.Campaign, error) {
	var common campaignOptions
	opt := common.folder()
	opt.Led = fmt.Sprintf("run %s for task %q", o.run, o.task)
	k, err := folder.Open(ctx, o.campaign, dsl.MakeProtocol, opt)
	if err == nil {
		if k.Led() != opt.Led {
			k.Close()
			return nil, fmt.Errorf("%s holds a campaign that is not led by %s: an agent needs a folder of its own", o.campaign, opt.Led)
		}
		return k, nil
	}
	if list, unread := os.ReadDir(o.campaign); !os.IsNotExist(unread) && (unread != nil || len(list) > 0) {
		return nil, err
	}
	p, err := dsl.MakeProtocol(ctx, o.recipe)
	if err != nil {
		return nil, err
	}
	return folder.Start(ctx, o.campaign, o.recipe, p, dsl.MakeProtocol, opt)
}

// Pull implements cluster.Puller. It waits for people.
func (w people) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	k, err := w.openLed(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	plan, remaining := p.Plan, make([]int, len(p.Plan.Counts))
	for _, a := range p.Arms {
		remaining[a.Arm] = a.Count
	}
	plan.Counts = share(p)
	if err := k.Lead(ctx, plan); err != nil {
		return err
	}
	for {
		results, whole, err := k.ToldOf(ctx, plan.Digest)
		if err != nil {
			return err
		}
		if whole {
			all := lists.Map(results, func(r campaign.ResultRecord) cluster.Reward {
				return cluster.Reward{Arm: r.Arm, Count: max(1, r.Count), Mean: r.Reward, Squares: r.Squares}
			})
			rest, arm, missing := fitting(all, plan.Counts, remaining)
			if missing > 0 {
				return fmt.Errorf("arm %q: the results in %s make no %d of the %d pulls of round %d: correct one of them or its count",
					p.Problem.Arms.Names[arm], w.campaign, missing, plan.Counts[arm], plan.Round)
			}
			return tell(rest...)
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx))
		case <-time.After(lookEvery):
		}
	}
}

// share returns the pulls of the agent's own task in a plan, told or not; 0 of other arms.
func share(p cluster.Pulls) []int {
	out := make([]int, len(p.Plan.Counts))
	lo, hi := p.Problem.ArmsOf(slices.Index(p.Problem.Tasks.Names, p.Task))
	copy(out[lo:hi], p.Plan.Counts[lo:hi])
	return out
}

// fitting returns the first results of each arm that make its count, without results that were recorded
// before while some of these are left: further measurements of people are no pulls of the plan. The
// same results give the same choice however often it is made. Where they do not make the pulls that are
// left of an arm, it returns the first such arm and how many pulls are missing.
func fitting(all []cluster.Reward, counts, remaining []int) (out []cluster.Reward, arm, missing int) {
	taken, rest := make([]int, len(counts)), slices.Clone(remaining)
	for _, r := range all {
		if counts[r.Arm]-taken[r.Arm] < r.Count {
			continue
		}
		if taken[r.Arm] >= counts[r.Arm]-remaining[r.Arm] {
			out = append(out, r)
			rest[r.Arm] -= r.Count
		}
		taken[r.Arm] += r.Count
	}
	if i := slices.IndexFunc(rest, func(n int) bool { return n > 0 }); i >= 0 {
		return nil, i, rest[i]
	}
	return out, 0, 0
}
