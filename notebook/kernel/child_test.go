package kernel

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// GoNB's last output is read after it has ended, even if the reader was late.
func TestLastOutput(t *testing.T) {
	folder, err := jupyter.SocketFolder("child-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	c := jupyter.LocalConnection(folder)
	server := try.Of(jupyter.Listen(c, func(error) {}))
	defer server.Close(0)
	client := try.Of(jupyter.Dial(t.Context(), c))
	defer client.Close()
	<-server.Joined() // what is published before is lost
	g := &child{client: client, calls: jupyter.NewCalls(client), exited: make(chan struct{})}
	go g.calls.Deliver(jupyter.IOPubChannel, nil)
	const lines = 40
	go func() {
		m := <-server.Messages(jupyter.ShellChannel)
		for range lines {
			server.Publish(server.Session().New("stream", m, map[string]string{"name": "stdout", "text": "x"}))
		}
	}()
	taken := 0
	_, err = g.request(t.Context(), client.Session().New("execute_request", nil, struct{}{}), func(*jupyter.Message) {
		if taken++; taken == 1 { // meanwhile the others come, and GoNB ends
			time.Sleep(300 * time.Millisecond)
			close(g.exited)
		}
	})
	if !errors.Is(err, errGone) || taken != lines {
		t.Errorf("%d of %d messages, error %v", taken, lines, err)
	}
}
