package engine

import "reflect"

// NonZero returns the fields of a structure that differ from their zero value, by their names, and so
// of the structures in it; anything else it returns as it is. Its JSON identifies what was stated: a
// field that is added later and left at zero does not change it.
func NonZero(v any) any {
	s := reflect.ValueOf(v)
	if s.Kind() != reflect.Struct {
		return v
	}
	out := map[string]any{}
	for i := range s.NumField() {
		if f := s.Type().Field(i); f.IsExported() && !s.Field(i).IsZero() {
			out[f.Name] = NonZero(s.Field(i).Interface())
		}
	}
	return out
}
