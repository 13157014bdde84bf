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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Three ways in which an agent can measure: a command, an HTTP service, or people who use a campaign.

// commandPuller returns a Puller that runs the command argv for each request. The command reads the request from standard
// input, and writes one reward per line to standard output. Its standard error is passed on. grace limits how long the
// command may run after its last reward; 0 means no limit.
func commandPuller(argv []string, grace time.Duration) cluster.Puller {
	return cluster.Asking{Name: "the command " + strings.Join(argv, " "), Grace: grace,
		Ask: func(ctx context.Context, request []byte, answers io.Writer) error {
			done := make(chan error, 1)
			go func() {
				// child.Attributes needs the thread that starts the command to live until the command ends.
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				done <- measure(ctx, argv, request, answers)
			}()
			return <-done
		}}
}

// endWait limits how long a command may run after SIGTERM, and how long its output may stay open after its end.
const endWait = 2 * time.Second

// measure runs the command once. It passes request to standard input and copies standard output to answers.
func measure(ctx context.Context, argv []string, request []byte, answers io.Writer) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(request), answers, os.Stderr
	c.WaitDelay = endWait
	// Kill the command if this program dies, because a restarted agent requests the same pulls again.
	c.SysProcAttr = child.Attributes(syscall.SIGKILL)
	c.Cancel = func() error { return child.Signal(c.Process, syscall.SIGTERM) }
	err := c.Run()
	if c.Process != nil {
		_ = child.Signal(c.Process, syscall.SIGKILL) // kill the other processes of its group
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("the command %s has ended, but a program that it started keeps its output open. Further output is ignored",
			strings.Join(argv, " "))
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("the command %s ended with %s", strings.Join(argv, " "), exit.ProcessState)
	}
	return err
}

// httpPuller returns a Puller that posts each request to an HTTP service. The response has one reward per line. grace is
// as in commandPuller.
func httpPuller(address string, grace time.Duration) cluster.Puller {
	name := address
	if u, err := url.Parse(address); err == nil {
		name = u.Redacted()
	}
	return cluster.Asking{Name: name, Grace: grace, Ask: func(ctx context.Context, request []byte, answers io.Writer) (err error) {
		defer try.Caught(&err)
		r := try.Of(http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(request)))
		r.Header.Set("Content-Type", "application/json")
		response := try.Of(service.Do(r))
		defer response.Body.Close()
		if to := response.Header.Get("Location"); to != "" && response.StatusCode/100 == 3 {
			return fmt.Errorf("%s answered %s and redirects to %s. Give that URL", name, response.Status, to)
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

// service is the client for HTTP services. It follows a redirect only if the POST is repeated, because a GET would lose
// the request.
var service = &http.Client{CheckRedirect: func(r *http.Request, before []*http.Request) error {
	if r.Method != http.MethodPost || len(before) >= 10 {
		return http.ErrUseLastResponse
	}
	return nil
}}

// pollInterval is how often people checks for new results.
const pollInterval = 500 * time.Millisecond

// people is a Puller for people, who measure the lists of a campaign. It sends the results to the other agents when the
// round is complete. Until then people can correct them.
type people struct{ *agentOptions }

// people returns the puller for people. It creates the campaign if its folder does not have one.
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
			return nil, fmt.Errorf("%s holds a campaign that does not belong to %s. Give the agent its own folder", o.campaign, opt.Led)
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

// Pull implements cluster.Puller. It returns when people have recorded all results of the round.
func (w people) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) (err error) {
	defer try.Caught(&err)
	k := try.Of(w.openLed(ctx))
	defer k.Close()
	plan, remaining := p.Plan, make([]int, len(p.Plan.Counts))
	for _, a := range p.Arms {
		remaining[a.Arm] = a.Count
	}
	plan.Counts = ownCounts(p)
	try.To(k.Lead(ctx, plan))
	for {
		results, whole := try.Two(k.ToldOf(ctx, plan.Digest))
		if whole {
			all := lists.Map(results, func(r campaign.ResultRecord) cluster.Reward {
				return cluster.Reward{Arm: r.Arm, Count: max(1, r.Count), Mean: r.Reward, Squares: r.Squares}
			})
			rest, arm, missing := selectResults(all, plan.Counts, remaining)
			if missing > 0 {
				return fmt.Errorf("arm %q: the results in %s lack %d of the %d measurements of round %d. Correct a result or its count",
					p.Problem.Arms.Names[arm], w.campaign, missing, plan.Counts[arm], plan.Round)
			}
			return tell(rest...)
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx))
		case <-time.After(pollInterval):
		}
	}
}

// ownCounts returns the planned number of pulls of each arm of the agent's own task, including those with results. It is 0
// for other arms.
func ownCounts(p cluster.Pulls) []int {
	out := make([]int, len(p.Plan.Counts))
	lo, hi := p.Problem.ArmsOf(slices.Index(p.Problem.Tasks.Names, p.Task))
	copy(out[lo:hi], p.Plan.Counts[lo:hi])
	return out
}

// selectResults selects, for each arm, the first results until their counts add up to the planned count. It omits results
// that were already sent. Later results are not part of the plan. Repeated calls with the same results select the same
// ones. If an arm lacks results, it returns the first such arm and the number of missing pulls.
func selectResults(all []cluster.Reward, counts, remaining []int) (out []cluster.Reward, arm, missing int) {
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
