package warden

// WorkFile is a file in the folder of a warden that may name another folder, one of
// GoNB's, that is removed at the end, too: GoNB leaves it when it is killed.
const WorkFile = "work"

// EnvFolder is the variable by which everything below a warden is found if the warden
// is killed: it holds the warden's folder.
const EnvFolder = "GONB_COPE_WARDEN"

// The lines that tell a warden what to do. Stop ends the command; the end of the
// orders without it means that the parent has gone.
const (
	Interrupt = "interrupt\n" // what the command runs, and what it starts before Calm
	Calm      = "calm\n"
	Stop      = "stop\n"
)
