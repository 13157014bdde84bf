package farm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/farm"
)

// A forged result of a worker ends the sweep with a sentence, since no worker could publish the true result there any more. The sweep never
// waits without end, and no control character reaches the terminal.
func TestPoisonedResults(t *testing.T) {
	// by the chunk whose result is forged
	for _, c := range []struct{ name, id, body string }{
		{"nothing", "0-0", `{}`},
		{"null", "0-0", `null`},
		{"garbage", "0-0", "\x00\xff{{"},
		{"dropped in place of the runs", "0-0", `{"id":"0-0","worker":"x","dropped":true}`},
		{"failed in place of the runs", "0-0", `{"id":"0-0","worker":"x","failed":"boom","last":true}`},
		{"of another chunk", "0-0", `{"id":"0-1","worker":"x"}`},
		{"before it is handed out", "0-39", `{"id":"0-39","worker":"x"}`},
		{"a name that a terminal obeys", "0-0", `{"id":"0-0","worker":"\u001b]0;x\u0007","failed":"boom"}`},
		{"one written out", "0-0", "{\"id\":\"0-0\",\"worker\":\"\u009b31m\"}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ex := cluster.NewMemory()
			ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, _, err := evaluate(t, ctx, "fc(paper(case=1, gap=0.6), runs=40)", dsl.Options{Runner: runner(ex)})
				ended <- err
			}()
			// the first chunk is in the hands of this test, which publishes instead of its result
			taken, err := ex.Take(ctx)
			if err != nil {
				t.Fatal(err)
			}
			run := taken.Work().Run
			var chunk farm.Chunk
			if err := json.Unmarshal(taken.Work().Body, &chunk); err != nil || len(chunk.Items) == 0 {
				t.Fatalf("chunk %+v, error %v", chunk, err)
			}
			_, from, _ := strings.Cut(c.id, "-")
			if err := ex.Publish(ctx, cluster.Fact{Run: run, Round: 1, Name: "result-runs-" + from, Body: []byte(c.body)}); err != nil {
				t.Fatal(err)
			}
			err = <-ended
			want := fmt.Sprintf("the message of a worker at %s/1/result-runs-%s is refused: ", run, from)
			if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\u009b") {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

// A worker that reports in the name of another is named by its credentials, which the server says.
func TestNameOfAnotherWorker(t *testing.T) {
	for _, c := range []struct{ sender, name, want string }{
		// by the credentials, the name that the report has, and the name that the error has
		{"worker-1", "worker-2", "the last on worker worker-2 (worker-1.creds): boom"},
		{"worker-2", "worker-2", "the last on worker worker-2: boom"},
		{"", "worker-2", "the last on worker worker-2: boom"}, // no server keeps it
		{"worker-1", "", "the message of a worker (worker-1.creds) at "},
	} {
		ex := cluster.NewMemory()
		ctx, cancel := context.WithTimeout(t.Context(), 2*limit)
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, _, err := evaluate(t, ctx, "fc(paper(case=1, gap=0.6), runs=40)", dsl.Options{Runner: runner(ex)})
			ended <- err
		}()
		taken, err := ex.Take(ctx)
		if err != nil {
			t.Fatal(err)
		}
		body := fmt.Sprintf(`{"id":"0-0","worker":%q,"failed":"boom","last":true}`, c.name)
		if c.name == "" {
			body = "{}"
		}
		// the sender is one that a server with keys would have kept
		f := cluster.Fact{Run: taken.Work().Run, Round: 1, Name: "result-failed-0-1", Body: []byte(body), Sender: c.sender}
		if err := ex.Publish(ctx, f); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
