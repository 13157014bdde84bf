package dsl

type Host interface {
	Save(path string, v any) error
}
type files struct{}

func (files) Save(path string, v any) error { return nil }
func outputFunctions() []Function           { return nil }
