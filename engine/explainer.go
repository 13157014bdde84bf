package engine

// An Explainer is an Algorithm that can say how far it is. What it says guides people
// and decides nothing. It is worked out when asked for, at the cost of about one design a task.
type Explainer interface {
	// Progress returns how far each task is, in task order.
	Progress() []Progress
	// Remaining returns the further samples, all agents together, that deciding all tasks takes, in
	// the sense of Progress.Samples; at most the sum over tasks, since tasks share rounds. -1 when
	// some task cannot be decided, NaN before any data.
	Remaining() float64
}
