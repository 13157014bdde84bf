package warden

// WorkFile is a file in a warden's folder that may name another folder to remove at the end: one of GoNB's, which GoNB leaves when
// it is killed.
const WorkFile = "work"

// EnvFolder is the environment variable that identifies all processes below a warden, for the case that the warden is killed: it
// contains the warden's folder.
const EnvFolder = "GONB_COPE_WARDEN"

// The lines that give orders to a warden. Stop ends the command; the end of the orders without it means that the parent is gone.
const (
	Interrupt = "interrupt\n" // interrupts what the command runs, and what it starts before Calm
	Calm      = "calm\n"
	Stop      = "stop\n"
)
