package cluster

// Absence is an agent whose message of a round does not count. Its String is the sentence, without the
// agent.
type Absence struct {
	Agent int    `json:"agent"` // from 0
	Why   Reason `json:"why"`
	Error string `json:"error,omitempty"` // of the message, where it is refused
}

// Reason says why the message of an agent does not count.
type Reason string

// The reasons.
const (
	ReasonSilent    Reason = "silent"
	ReasonRefused   Reason = "refused"
	ReasonNotJoined Reason = "not joined"
)

var reasonSentences = map[Reason]string{
	ReasonSilent:    "it is silent",
	ReasonRefused:   "its message is refused",
	ReasonNotJoined: "it has not joined",
}

// String returns the sentence. A reason that is not listed is its own: plans of before there were kinds
// have sentences.
func (a Absence) String() string {
	text, listed := reasonSentences[a.Why]
	if !listed {
		text = string(a.Why)
	}
	if a.Error != "" {
		text += ": " + a.Error
	}
	return text
}

// agents returns the numbers of those who are absent.
func agents(all []Absence) []int {
	out := make([]int, 0, len(all))
	for _, a := range all {
		out = append(out, a.Agent)
	}
	return out
}
