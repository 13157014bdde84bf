package host

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
)

// Numbers, texts and kernels among the parts of a value reach Go; records say what to read instead.
func TestPartsReachGo(t *testing.T) {
	s := &Session{Lock: &sync.Mutex{}, Session: dsl.NewSession(dsl.Options{})}
	script, errs := dsl.Parse("cell", `r = fb(paper(1), 100); a = r.answers; one = a[0]; n = r.samples; arms = a.arm; ks = [task(identity()), arm(linear())]; rs = [r, r]; mixed = [1, "a", rbf(1)]`)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	try.Of(s.Session.Eval(context.Background(), script))
	for name, refused := range map[string]bool{"a": true, "one": true, "n": false, "arms": false, "ks": false, "rs": false, "mixed": false} {
		v, err := s.Get(name)
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), name+" contains parts of another value") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			if _, err := bridge.Encode(v, bridge.Functions{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
