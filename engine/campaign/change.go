package campaign

import "fmt"

// change applies an amendment of the protocol between two rounds.
func (x *replayer) change(a amendment) error {
	if a.Epsilon != nil || a.Delta != nil || len(a.Withdraw) > 0 || a.Add != nil {
		return fmt.Errorf("event %d: %s: this program cannot change a running protocol so", a.seq, a.AmendBody)
	}
	return nil
}
