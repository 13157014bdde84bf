package problem

import (
	"fmt"
	"slices"
)

// sides says of measured rewards in which block each was made.
type sides struct {
	column string     // "" where nothing was measured side by side
	names  [][]string // by arm, in the order of its rewards
}

// add takes the block of the last reward of arm i.
func (s *sides) add(p *Problem, t *table, r, i int) error {
	if s.column == "" {
		return nil
	}
	name, err := t.text(r, s.column)
	if err != nil {
		return err
	}
	if slices.Contains(s.names[i], name) {
		return t.at(t.cell(r, t.column[s.column]), "%s has two rewards in block %q; within a block each arm is measured once", p.Where(i), name)
	}
	s.names[i] = append(s.names[i], name)
	return nil
}

// align brings the rewards of every task's arms into one order of blocks, which all of them need to have.
func (s *sides) align(p *Problem, path string) error {
	if s.column == "" {
		return nil
	}
	for _, set := range p.Groups() {
		order := s.names[set[0]]
		for _, i := range set {
			if len(s.names[i]) != len(order) {
				return &DataError{Path: path,
					Message: fmt.Sprintf("%s has rewards in %d blocks (column %q), and %s in %d; all arms of a task need the same blocks", p.Where(i),
						len(s.names[i]), s.column, p.Where(set[0]), len(order))}
			}
			sorted := make([]float64, len(order))
			for k, name := range order {
				at := slices.Index(s.names[i], name)
				if at < 0 {
					return &DataError{Path: path,
						Message: fmt.Sprintf("%s has no reward in block %q (column %q), and %s has one; all arms of a task need the same blocks",
							p.Where(i), name, s.column, p.Where(set[0]))}
				}
				sorted[k] = p.Rewards[i][at]
			}
			p.Rewards[i] = sorted
		}
	}
	p.Block = &Block{Name: s.column}
	return nil
}
