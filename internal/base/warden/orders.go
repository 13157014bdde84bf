package warden

// WorkFile is a file in a warden's folder. It may contain the path of another folder to remove at the end: GoNB's folder,
// which GoNB does not remove when it is killed.
const WorkFile = "work"

// EnvFolder is an environment variable of all processes below a warden. It contains the warden's folder, and identifies
// the processes if the warden is killed.
const EnvFolder = "GONB_COPE_WARDEN"

// These lines are orders to a warden. Stop ends the command. If the input ends without Stop, the parent has ended.
const (
	Interrupt = "interrupt\n" // interrupts the running processes of the command, and new ones until Calm
	Calm      = "calm\n"
	Stop      = "stop\n"
)
