package cluster_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/question"
)

// questionOf is the one that most faults are tried on.
func questionOf(t testing.TB) question.Question { return questions(t)[1].Question }

// notices collects what agents notice.
type notices struct {
	mu  sync.Mutex
	all []cluster.Notice
}

func (n *notices) take(x cluster.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, x)
}

// of returns the texts of a kind.
func (n *notices) of(kind cluster.NoticeKind) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []string
	for _, x := range n.all {
		if x.Kind == kind {
			out = append(out, x.Text)
		}
	}
	return strings.Join(out, "\n")
}

// must returns the value, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func sum(counts []int) int {
	s := 0
	for _, c := range counts {
		s += c
	}
	return s
}

// pullFunc is a function as a Puller.
type pullFunc func(context.Context, cluster.Pulls, func(...cluster.Reward) error) error

func (f pullFunc) Pull(ctx context.Context, p cluster.Pulls, tell func(...cluster.Reward) error) error {
	return f(ctx, p, tell)
}
