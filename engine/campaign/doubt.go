package campaign

import (
	"fmt"
	"math"
	"slices"
)

// A reward is far from all others beyond this many standard deviations from their median, by their
// median absolute deviation or the noise scale, whichever is larger. Eight are needed to tell.
const (
	farFromOthers = 6
	fewestOthers  = 8
)

// doubtful sets results aside that may be slips of the pen.
func (t *teller) doubtful() {
	t.told = t.without(t.told, RowNew)
	t.late = t.without(t.late, RowLate)
}

// without returns the results that look right, and notes the others.
func (t *teller) without(results []ResultRecord, kind string) []ResultRecord {
	var kept []ResultRecord
	aside := map[int]bool{} // lines of the sheet
	median, spread := t.middle()
	for _, x := range results {
		why := t.against(x, median, spread)
		if why == "" {
			kept = append(kept, x)
			continue
		}
		t.receipt.Counts[kind]--
		aside[x.line] = true
		t.say(x.line, x.ID, RowSure, "%g of %s: %s", x.Reward, t.where(x.Arm), why)
	}
	t.receipt.Lines = slices.DeleteFunc(t.receipt.Lines, func(l ReceiptLine) bool { return l.Kind == kind && aside[l.Line] })
	return kept
}

// confirm records what spoke against results that somebody is sure of.
func (t *teller) confirm() {
	median, spread := t.middle()
	for _, list := range [][]ResultRecord{t.told, t.late} {
		for i := range list {
			list[i].Sure = t.against(list[i], median, spread)
		}
	}
}

// against says what speaks against a result, "" where nothing does.
func (t *teller) against(x ResultRecord, median, spread float64) string {
	p := t.protocol.Problem
	if b := p.TurnedBounds(p.Noise.Bounds); b != nil {
		if x.Reward < b[0] || x.Reward > b[1] {
			return fmt.Sprintf("it is outside of the bounds [%g, %g]", b[0], b[1])
		}
		return ""
	}
	if spread > 0 && math.Abs(x.Reward-median) > farFromOthers*spread {
		return fmt.Sprintf("it is far from all others, whose median is %.4g", median)
	}
	return ""
}

// middle returns the median of all rewards, those of this sheet and of the table of the problem included, and how
// far they scatter about it; 0 where they are too few to tell.
func (t *teller) middle() (median, spread float64) {
	all := t.protocol.tableRewards()
	for _, r := range t.state.rounds {
		for _, list := range r.results {
			for _, m := range list {
				if !t.concealed(m) {
					all = append(all, m.Reward)
				}
			}
		}
	}
	for _, x := range t.told {
		all = append(all, x.Reward)
	}
	for _, g := range t.state.guides {
		all = append(all, g.Reward)
	}
	if len(all) < fewestOthers {
		return 0, 0
	}
	median = medianOf(all)
	off := make([]float64, len(all))
	for i, x := range all {
		off[i] = math.Abs(x - median)
	}
	spread = 1.4826 * medianOf(off) // of normal values, their standard deviation [Hampel 1974]
	if t.protocol.Problem.Noise.UnknownBy == "" {
		spread = max(spread, t.protocol.Problem.LargestNoise())
	}
	return median, spread
}

func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
