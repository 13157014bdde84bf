package cluster

// NoticeKind says what a Notice tells.
type NoticeKind string

// The kinds of notices of an agent.
const (
	NoticeJoined  NoticeKind = "joined"
	NoticePlan    NoticeKind = "plan"    // a round begins
	NoticePulled  NoticeKind = "pulled"  // its pulls are on the disk and its message is published
	NoticeSilent  NoticeKind = "silent"  // somebody says nothing, or nothing that can be taken
	NoticeDiffers NoticeKind = "differs" // a decision differs from that of the plan's author
	NoticeClosed  NoticeKind = "closed"  // the round goes on without some agents
	NoticeDone    NoticeKind = "done"
	NoticeStopped NoticeKind = "stopped"
)

// Notice is something that people who look at an agent want to know.
type Notice struct {
	Kind  NoticeKind `json:"kind"`
	Round int        `json:"round,omitempty"`
	Pulls int        `json:"pulls,omitempty"` // of this agent that are left in the round
	Tasks []string   `json:"tasks,omitempty"` // of the agents that it is about
	Text  string     `json:"text"`
}
