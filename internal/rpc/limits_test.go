package rpc

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Cancels are heard however many calls wait, and each call is answered by an error of kind "interrupted".
func TestCancelManyCalls(t *testing.T) {
	p := start(t)
	const calls = 60
	go func() { // beside the reading of answers and of progress, for which a pipe of memory has no room
		for i := range calls {
			p.send(map[string]any{"id": fmt.Sprintf("q%d", i), "method": "run", "params": map[string]any{"file": "f",
				"script": "c = classic(means=[0, 0.01], agents=1)\nr = fc(c, delta=0.05, runs=100000)"}})
		}
		for i := range calls {
			p.send(map[string]any{"method": "cancel", "params": map[string]any{"id": fmt.Sprintf("q%d", i)}})
		}
	}()
	begin := time.Now()
	for answered := 0; answered < calls; {
		m := p.next()
		if m.ID == nil || m.Method != "" {
			continue
		}
		answered++
		if m.Error == nil || m.Error.Data.Kind != "interrupted" {
			t.Fatalf("answer %s: %+v", m.ID, m.Error)
		}
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// The cost of releasing one value does not grow with the number of values in the session.
func TestReleaseAmongMany(t *testing.T) {
	p := start(t)
	var names strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&names, "v%d = rbf(%d)\n", i, i+1)
	}
	if m := p.request("run", map[string]any{"file": "f", "script": names.String()}); m.Error != nil {
		t.Fatal(m.Error)
	}
	p.request("release", map[string]any{"names": []string{"v0"}}) // counts all once
	begin := time.Now()
	for i := range 1000 {
		p.request("release", map[string]any{"names": []string{fmt.Sprintf("v%d", i+1)}})
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("1,000 releases took %v", took)
	}
	// a name that another one is defined by stays until that is released
	p.request("run", map[string]any{"file": "f", "script": "w = v19999 * v19998"})
	p.request("release", map[string]any{"names": []string{"v19999", "v19998"}})
	if m := p.request("value", map[string]any{"name": "v19999", "form": "text"}); m.Error != nil {
		t.Errorf("a value that is used is gone: %s", m.Error.Message)
	}
	p.request("release", map[string]any{"names": []string{"w"}})
	if m := p.request("value", map[string]any{"name": "v19999", "form": "text"}); m.Error == nil {
		t.Error("a value that nothing uses stays")
	}
}

// Blocks that a request did not take are dropped with it.
func TestBlocksDropped(t *testing.T) {
	p := start(t)
	for n := 1; n <= 3*maxBlocks; n++ {
		p.block(n, []byte("abc"))
		if n%1000 == 0 {
			p.request("hello", map[string]any{"protocol": Protocol})
		}
	}
	p.block(20_000, []byte("a,b\n1,2\n"))
	if m := p.request("table", map[string]any{"name": "t", "csv": 20_000}); m.Error != nil {
		t.Errorf("the block after them: %s", m.Error.Message)
	}
	if m := p.request("table", map[string]any{"name": "t", "csv": 12_000}); m.Error == nil || !strings.Contains(m.Error.Message, "there is no block 12000") {
		t.Errorf("a block that was dropped: %+v", m)
	}
}
