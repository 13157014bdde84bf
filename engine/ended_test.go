package engine

import (
	"encoding/json"
	"testing"
)

// Readers see "within epsilon"; files keep the word "within eps" of the format.
func TestEndedWithinEpsilon(t *testing.T) {
	r := Result{Status: StatusEpsilon}
	if got, want := r.Ended(), "within epsilon of the best"; got != want {
		t.Errorf("ended %q, want %q", got, want)
	}
	text, err := json.Marshal(r.Status)
	if err != nil || string(text) != `"within eps"` {
		t.Errorf("JSON %s, %v", text, err)
	}
	if got := (Result{Status: StatusBudget}).Ended(); got != string(StatusBudget) {
		t.Errorf("ended %q, want %q", got, StatusBudget)
	}
}
