package jetstream

import "testing"

// Only accounts of agents have a sender.
func TestSenders(t *testing.T) {
	for account, want := range map[string]string{
		Role{Kind: Agent, Run: "a-1", Number: 12}.account(): "agent-12", Role{Kind: Owner}.account(): "", Role{Kind: kindAnybody}.account(): "",
		"": "", "$G": "", "agent": "", "agent/r": "", "agent/r/x": "", "agent/r/1/2": "",
	} {
		if got := senderOf(account); got != want {
			t.Errorf("%q: sender %q, want %q", account, got, want)
		}
	}
}
