package model

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The table of regimes.md has the rows of regimes, in order, and no others.
func TestRegimesAreDocumented(t *testing.T) {
	text := try.Of(os.ReadFile("regimes.md"))
	var got []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| what ") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	var want []string
	for _, r := range regimes() {
		want = append(want, fmt.Sprintf("| %s | %d %s | %s | %s | %s |", r.What, r.Most, r.Of, r.Within, r.Beyond, r.Why))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("regimes.md has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// regime is a size at which another form of a computation is used.
type regime struct {
	What   string // the quantity computed
	Most   int    // largest size for the form Within
	Of     string // what is counted: arms of all tasks, or directions, the kernel's rank on them
	Within string
	Beyond string
	Why    string // the reason for the number
}

// regimes returns the sizes at which the form of a computation changes, which regimes.md lists.
func regimes() []regime {
	const arms, directions = "arms", "directions"
	return []regime{
		{"exact features", eagerArms, arms, "made with the model", "made when something needs them",
			"they take no time, and what is wrong with a kernel is said first"},
		{"exact features", MaxRank, directions, "exact to rounding", "cut, with a bound on what is left out", "memory"},
		{"norm of known rewards after a cut", exactNorm, arms, "from the whole Gram matrix", "from the features", "0.1 GB and some seconds"},
		{"CoTestFC without a norm", MostLeastSquares, directions, RegimeTogether, "each agent alone, or each arm by its own mean",
			"a design takes seconds"},
		{"CoTestFC on arms that say nothing of each other", MostDesigned, arms, "designs of each task", RegimeMeans,
			"a closed form takes a millisecond"},
		{"CoTestFC by a bound on the norm, with ε, on a task", MostOneLeader, arms, "one leader at a time",
			"three at once, with a third of the level each", "the level costs more than a late change of leaders"},
		{"CoBayesFB by the posterior", MostTested, directions, "tests what is decided", "decides nothing",
			"a test needs a pull for each direction in every round"},
		{"kernel learned in the run", MostLearned, arms, "covariances of all arms, 12 sets of numbers", "128 features, 2 sets of numbers",
			"time; arms that nothing relates have few features at any number"},
		{"posterior of CoBayesFC, CoKernelFB", mostOwn, arms, "in features of all arms", "on the arms pulled",
			"time; CoBayesFB uses the arms pulled at any size"},
		{"CoBayesFC within blocks", MostWithin, arms, "along the eigenvectors of the information from blocks", "refused",
			"time and memory of the eigenvectors"},
		{"part of arms by themselves, fixed budget", ownUntested, arms, "fitted, except by CoBayesFB", "used if a test asks for it",
			"each arm that is not pulled is then uncertain by itself"},
		{"posterior in features", mostDecomposed, directions, "of all arms",
			"of CoBayesFC in groups of arms, where the kernel relates tasks in few directions", "time of a fit"},
		{"round 1 of CoBayesFC beyond 256 arms", spanningMost, arms, "as many pivots as leave 5e-4", "no more",
			"mistakes against samples"},
		{"designs under a ridge", fewArms, arms, "all arms and pairs in exact features",
			"by exchange where the rank is larger than the next number", "time"},
		{"designs under a ridge", fewDirections, directions, "all arms and pairs in exact features", "by exchange", "time"},
		{"ρ*", exactHardness, arms, "in exact features", "in fewer directions", "seconds"},
		{"posterior of unrelated arms", mostUnrelated, arms, "each arm and the level, by a formula", "as of related ones",
			"N² values of the kernel"},
		{"posterior in groups, arms of a task", mostGrouped, arms, "by a matrix for each task", "on the arms pulled", "time of a factor"},
		{"posterior in groups", mostShared, directions, "linear in the tasks, which number at least twice the directions that they share",
			"on the arms pulled", "time and memory"},
		{"warnings on unrelated arms", comparedArms, arms, "all pairs are compared", "by rank alone", "N² values of the kernel"},
	}
}
