package engine

// A Loner is an Algorithm whose agents may exchange nothing on some problems, though they do on
// others.
type Loner interface {
	// Alone reports whether no agent is told what others measured.
	Alone() bool
}

// Alone reports whether the agents of an algorithm exchange nothing, as it says itself.
func Alone(alg Algorithm) bool {
	l, ok := alg.(Loner)
	return ok && l.Alone()
}
