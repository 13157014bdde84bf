package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// A program that goes on after its last reward is ended after the grace, and not before that reward; its rewards count. One that ends by
// itself, or that may go on for ever, is left alone.
func TestGrace(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.2)
	// two pulls of one arm and one of another, reported in two parts
	pulls := cluster.Pulls{Run: "r", Task: "one", Problem: p, Plan: engine.Plan{Round: 1}, Arms: []cluster.ArmPulls{{Arm: 0, Count: 2}, {Arm: 1, Count: 1}}}
	first := fmt.Sprintf(`{"arm":%q,"reward":1}`, p.Arms.Names[0]) + "\n"
	second := fmt.Sprintf(`{"arm":%q,"count":1,"mean":2}`, p.Arms.Names[1]) + "\n"
	// pull asks a program that ends as end does, and returns how many rewards were recorded
	pull := func(grace time.Duration, end func(context.Context) error) (told int, err error) {
		a := cluster.Asking{Name: "the program", Grace: grace, Ask: func(ctx context.Context, _ []byte, w io.Writer) error {
			if _, err := io.WriteString(w, first+second); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				t.Error("it was interrupted before its last reward")
			case <-time.After(50 * time.Millisecond): // far longer than the shortest grace here
			}
			if _, err := io.WriteString(w, first); err != nil {
				return err
			}
			return end(ctx)
		}}
		err = a.Pull(t.Context(), pulls, func(all ...cluster.Reward) error { told += len(all); return nil })
		return told, err
	}
	// it waits for the end of its context
	told, err := pull(time.Millisecond, func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) })
	if lingers := (*cluster.LingerError)(nil); !errors.As(err, &lingers) || told != 3 || err.Error() != "the program did not end within 1ms after its last reward and was interrupted" {
		t.Errorf("told %d, error %v", told, err)
	}
	if told, err := pull(time.Hour, func(ctx context.Context) error { return ctx.Err() }); err != nil || told != 3 {
		t.Errorf("it ended by itself: told %d, error %v", told, err)
	}
	if told, err := pull(0, func(ctx context.Context) error { time.Sleep(10 * time.Millisecond); return ctx.Err() }); err != nil || told != 3 {
		t.Errorf("it may go on for ever: told %d, error %v", told, err)
	}
}

// A run does not wait for ever for programs that never end by themselves: it finds what it finds with
// programs that do, and says what was done.
func TestProgramsThatLinger(t *testing.T) {
	q := questionOf(t)
	x := cluster.NewMemory()
	opened(t, x, q, cluster.OpenOptions{})
	var said notices
	var all []cluster.Agent
	for v := range q.Problem.Tasks.Names {
		a := agentOf(t, x, q, v)
		// each pull is made as in a simulation, reported as lines, and never ended by the program itself
		a.Puller = func(q question.Question, b cluster.RunBody) (cluster.Puller, error) {
			draws, err := simulated(q, b)
			return pullFunc(func(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
				return cluster.Asking{Name: "the program", Grace: time.Millisecond, Ask: func(ctx context.Context, _ []byte, w io.Writer) error {
					err := draws.Pull(ctx, p, func(rewards ...cluster.Reward) error {
						for _, r := range rewards {
							fmt.Fprintf(w, "{\"arm\":%q,\"count\":%d,\"mean\":%v,\"squares\":%v}\n", q.Problem.Arms.Names[r.Arm], r.Count, r.Mean, r.Squares)
						}
						return nil
					})
					if err != nil {
						return err
					}
					<-ctx.Done()
					return context.Cause(ctx)
				}}.Pull(ctx, p, tell)
			}), err
		}
		if v == 0 {
			a.Notice = said.take
		}
		all = append(all, a)
	}
	want := inProcess(t, q)
	for v, f := range takeAll(t, all) {
		sameAs(t, cluster.AgentName(v), f, want)
	}
	// the reward was there, so the error is only said
	if text := said.of(cluster.NoticePlan); !strings.Contains(text, "round 1: all rewards were received, although the program did not end within 1ms after its last reward and was interrupted") {
		t.Errorf("noticed %q", text)
	}
}
