package engine

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestStatedHasEveryOption checks that every option that differs from its default is in Stated or is a field of Result.
func TestStatedHasEveryOption(t *testing.T) {
	held := map[string]bool{"Delta": true, "Epsilon": true, "Budget": true, "Schedule": true}
	fields := reflect.TypeFor[Options]()
	for i := range fields.NumField() {
		var o Options
		if f := fields.Field(i); f.Name == "Ridge" {
			o.Ridge = Ridge{Kind: RidgeValue, Value: 0.25}
		} else {
			fill(t, reflect.ValueOf(&o).Elem().Field(i))
		}
		named := func(x Option) bool {
			return x.Name == "xi" && fields.Field(i).Name == "Ridge" || strings.EqualFold(strings.ReplaceAll(x.Name, "_", ""), fields.Field(i).Name)
		}
		at := slices.IndexFunc(options, named)
		if at >= 0 && options[at].At(&o) != reflect.ValueOf(&o).Elem().Field(i).Addr().Interface() {
			t.Errorf("%s is the field of another name than %s", options[at].Name, fields.Field(i).Name)
		}
		if at < 0 {
			t.Errorf("no option has the name of the field %s", fields.Field(i).Name)
		}
		if got := o.Stated(); (len(got) == 1) == held[fields.Field(i).Name] || len(got) > 1 {
			t.Errorf("%s: %v", fields.Field(i).Name, got)
		}
	}
	if got := (Options{Ridge: Ridge{Kind: RidgeAuto}}).Stated(); got != nil {
		t.Errorf("defaults: %v", got)
	}
}

// fill sets a field to a value other than its default.
func fill(t *testing.T, f reflect.Value) {
	t.Helper()
	switch f.Kind() {
	case reflect.Float64:
		f.SetFloat(0.25)
	case reflect.Int:
		f.SetInt(3)
	case reflect.Bool:
		f.SetBool(true)
	case reflect.String:
		f.SetString("word")
	case reflect.Struct:
		for i := range f.NumField() {
			fill(t, f.Field(i))
		}
	default:
		t.Fatalf("no value of a %s", f.Type())
	}
}
