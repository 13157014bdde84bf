package dsl

// Display is what a statement shows.
type Display struct {
	Name, Source string
	Value        any
}
