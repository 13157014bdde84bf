package bridge

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

var update = flag.Bool("update", false, "record the fields of values again")

// fieldsOf adds the exported fields of the structs that a type is made of, by which gob names what it carries.
func fieldsOf(t reflect.Type, all map[string]bool, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Map:
		fieldsOf(t.Key(), all, seen)
		fieldsOf(t.Elem(), all, seen)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		fieldsOf(t.Elem(), all, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.IsExported() && f.Type.Kind() != reflect.Func {
				all[t.String()+"."+f.Name] = true
				fieldsOf(f.Type, all, seen)
			}
		}
	}
}

// A field that gets another name is lost between a cell and a kernel that were built of sources with the one and the other name, and
// neither notices: gob passes over fields that the other side does not have. So such a change needs another version of the protocol.
// New fields need none, nor does a type that gets another name. -update records the present fields.
func TestFieldsOfVersion(t *testing.T) {
	all, seen := map[string]bool{}, map[reflect.Type]bool{}
	for _, of := range plainKinds() {
		fieldsOf(of, all, seen)
	}
	for _, of := range []any{packedProblem{}, fitting{}, result{}} {
		fieldsOf(reflect.TypeOf(of), all, seen)
	}
	path := filepath.Join("testdata", "fields.txt")
	first := fmt.Sprintf("version %d", Version)
	if *update {
		lines := append([]string{first}, slices.Sorted(maps.Keys(all))...)
		try.To(os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666))
	}
	text := try.Of(os.ReadFile(path))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if lines[0] != first {
		t.Fatalf("%s has the fields of %s, and the protocol has %s", path, lines[0], first)
	}
	for _, field := range lines[1:] {
		if !all[field] {
			t.Errorf("%s had the field %s: where it is gone the protocol needs another version", first, field)
		}
	}
}
