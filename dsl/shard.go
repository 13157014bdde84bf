package dsl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Shard selects part K of the N parts of a script. A part makes every N-th experiment of fc, fb, sweep and
// compare(algorithm=), and Options.Store keeps the results. The zero value selects the whole script.
type Shard struct{ K, N int } // 1 ≤ K ≤ N

// MaxShards is the largest N. It equals the maximum number of combinations of a sweep.
const MaxShards = maxCells

// ParseShard parses a text such as "3/16". "0/16" means the same part as "16/16", for schedulers that count from 0.
func ParseShard(text string) (Shard, error) {
	k, n, _ := strings.Cut(text, "/")
	at, err := strconv.Atoi(k)
	of, wrong := strconv.Atoi(n)
	if err != nil || wrong != nil || of < 1 || of > MaxShards || at < 0 || at > of {
		return Shard{}, fmt.Errorf("a part is written K/N, such as 3/16: N parts, at most %d, and K one of 1 to N; got %q", MaxShards, text)
	}
	if at == 0 {
		at = of
	}
	return Shard{at, of}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.K, s.N) }

// division is the state of an evaluation of one part of a script.
type division struct {
	part Shard
	// statements whose experiments every part makes, because later experiments depend on their results
	everywhere map[*front.Statement]bool
	seen       int // number of divided experiments so far; it counts the same experiments in the same order in every part
}

// takes is called before each experiment. divided reports whether the parts share out this experiment; own reports whether
// this part makes it.
func (d *division) takes(st *front.Statement) (divided, own bool) {
	if d == nil || d.everywhere[st] {
		return false, true
	}
	d.seen++
	return true, d.seen%d.part.N == d.part.K%d.part.N
}

// divide returns the statements that a part of a script must evaluate: those that make runs, and the definitions that they
// use.
func divide(statements []*front.Statement, part Shard) ([]*front.Statement, *division) {
	d := &division{part: part, everywhere: map[*front.Statement]bool{}}
	bound := map[string]*front.Statement{}
	for _, st := range statements {
		bound[st.Name] = st
	}
	needed := map[*front.Statement]bool{}
	for _, st := range statements {
		calls := runsIn(st.Node)
		if len(calls) > 0 {
			needed[st] = true
			follow(st.Node, bound, needed)
		}
		for _, call := range calls {
			// sweep and compare repeat the runs of their argument r, and do not need its result.
			repeated := call.fn.written(call.node, "r")
			for _, a := range argumentsOf(call.node) {
				if a == repeated {
					continue
				}
				used := map[*front.Statement]bool{}
				follow(a, bound, used)
				for other := range used {
					if len(runsIn(other.Node)) > 0 {
						d.everywhere[other] = true
					}
				}
				if len(runsIn(a)) > 0 {
					d.everywhere[st] = true
				}
			}
		}
	}
	return lists.Where(statements, func(st *front.Statement) bool { return needed[st] }), d
}

// follow adds to used the statements that define the names in expression n, directly or indirectly.
func follow(n ast.Node, bound map[string]*front.Statement, used map[*front.Statement]bool) {
	for name := range namesIn(n) {
		if st := bound[name]; st != nil && !used[st] {
			used[st] = true
			follow(st.Node, bound, used)
		}
	}
}

// runsIn returns the calls in an expression that make runs. A call of compare counts only with algorithm=.
func runsIn(n ast.Node) []knownCall {
	return lists.Where(scope(nil).callsIn(n), func(k knownCall) bool {
		switch k.fn.Name {
		case "fc", "fb", "sweep":
			return true
		}
		return k.fn.Name == "compare" && k.fn.written(k.node, "algorithm") != nil
	})
}
