package engine

import (
	"reflect"
	"testing"
)

// TestStatedHasEveryOption: an option that is not at its default is told, or is a field of Result.
func TestStatedHasEveryOption(t *testing.T) {
	held := map[string]bool{"Delta": true, "Epsilon": true, "Budget": true, "Schedule": true}
	fields := reflect.TypeFor[Options]()
	for i := range fields.NumField() {
		var o Options
		f := reflect.ValueOf(&o).Elem().Field(i)
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
			o.Ridge = Ridge{Kind: RidgeValue, Value: 0.25}
		default:
			t.Fatalf("%s: no value of a %s", fields.Field(i).Name, f.Kind())
		}
		if got := o.Stated(); (len(got) == 1) == held[fields.Field(i).Name] || len(got) > 1 {
			t.Errorf("%s: %v", fields.Field(i).Name, got)
		}
	}
	if got := (Options{Ridge: Ridge{Kind: RidgeAuto}}).Stated(); got != nil {
		t.Errorf("defaults: %v", got)
	}
}
