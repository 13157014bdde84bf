package jetstream

// ServeOptions say how to serve.
type ServeOptions struct {
	// Listen is the address, as in 127.0.0.1:4222, which it is where it is empty; port 0 is any free
	// one, and Nowhere is for this process alone.
	Listen string
	// MaxBytes is the most room that the server takes on the disk; 0 is three quarters of what is free.
	MaxBytes int64
	// Log hears warnings and errors of the server; it may be nil.
	Log func(text string)
}

// Nowhere is the address of a server that only its own process joins.
const Nowhere = "-"

// mostPending is how many bytes wait for one connection at most, before it is dropped: whoever asks for much
// and reads nothing would fill the memory of the server.
const mostPending = 8 << 20
