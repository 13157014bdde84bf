package problem

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Also is another measured quantity of the arms: a second reward, or a quantity that must satisfy a limit.
type Also struct {
	Column  string
	Problem *Problem // the problem of the same table with this column as the reward
	// an arm is feasible if its expected value satisfies this limit; nil for a second reward
	Require *Requirement
}

// Requirement is a limit of a measured column, such as impurity < 0.5.
type Requirement struct {
	Text   string
	Column string
	Above  bool // whether values must be above the limit
	Limit  float64
}

var requirementPattern = regexp.MustCompile(`^\s*(?:col\(\s*['"](.+)['"]\s*\)|(.+?))\s*(<=|>=|<|>)\s*(\S+)\s*$`)

// ReadRequirement reads a condition such as "impurity < 0.5" or "col('Yield %') >= 80".
func ReadRequirement(text string) (Requirement, error) {
	m := requirementPattern.FindStringSubmatch(text)
	if m == nil {
		return Requirement{}, fmt.Errorf(`%q is not a comparison of a column with a number, as in "impurity < 0.5"`, text)
	}
	limit, err := strconv.ParseFloat(strings.Replace(m[4], ",", ".", 1), 64)
	if err != nil || math.IsNaN(limit) || math.IsInf(limit, 0) {
		return Requirement{}, fmt.Errorf(`%q is not a number; a requirement compares a column with a number, as in "impurity < 0.5"`, m[4])
	}
	return Requirement{Text: strings.TrimSpace(text), Column: m[1] + m[2], Above: m[3][0] == '>', Limit: limit}, nil
}

// Holds reports whether a value meets the requirement.
func (r Requirement) Holds(value float64) bool {
	if r.Above {
		return value >= r.Limit
	}
	return value <= r.Limit
}

// Places returns, for each arm of p, the index in q of the arm with the same task and arm names; -1 if q lacks the arm.
func (p *Problem) Places(q *Problem) []int {
	of := map[[2]string]int{}
	for i := range q.N() {
		of[[2]string(q.NamesOf(i))] = i
	}
	out := make([]int, p.N())
	for i := range out {
		k, there := of[[2]string(p.NamesOf(i))]
		if out[i] = k; !there {
			out[i] = -1
		}
	}
	return out
}
