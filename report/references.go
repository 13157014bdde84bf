package report

import "github.com/gonb-cope/gonb-cope/engine/algorithms"

// A reference (algorithms.RoleReference) knows what no algorithm can know, or counts
// fewer samples than it took. Wherever a reader meets its name, the name says so; files
// have it bare, beside a column reference.

// referenceMark stands behind the name of a reference.
const referenceMark = " (reference)"

// isReference reports whether an algorithm is a reference. Its name is the same in both modes.
func isReference(algorithm string) bool {
	for _, e := range algorithms.All() {
		if e.Name == algorithm {
			return e.Role == algorithms.RoleReference
		}
	}
	return false
}

// markedName returns the name of an algorithm as a reader sees it.
func markedName(algorithm string) string {
	if isReference(algorithm) {
		return algorithm + referenceMark
	}
	return algorithm
}

// marked returns the value of a swept name as a reader sees it.
func marked(name string, v any) any {
	v = plain(v)
	if s, ok := v.(string); ok && name == "algorithm" {
		return markedName(s)
	}
	return v
}

// markedAll returns the values of swept names as a reader sees them.
func markedAll(names []string, values []any) []any {
	out := make([]any, len(values))
	for j, v := range values {
		out[j] = marked(names[j], v)
	}
	return out
}
