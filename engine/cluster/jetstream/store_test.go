package jetstream_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// A second server on a folder is refused and names the first; a folder whose server was killed is free.
func TestStoreOpenedTwice(t *testing.T) {
	dir := t.TempDir()
	cmd, url := process(t, dir, "127.0.0.1:0")
	if err := join(t, url, "").Publish(t.Context(), cluster.Fact{Run: "r", Name: "run"}); err != nil {
		t.Fatal(err)
	}
	_, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", cmd.Process.Pid)) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second server: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	s := serve(t, dir, jetstream.ServeOptions{})
	none(t, join(t, s.URL(), ""), "r", cluster.Fact{Run: "r", Name: "run"})
}

// Other machines can reach an address that is not loopback: without keys nothing is served there.
func TestListening(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", ":0", "192.0.2.1:4222", "example.org:4222"} {
		s, err := jetstream.Serve(t.Context(), t.TempDir(), jetstream.ServeOptions{Listen: listen})
		if err == nil {
			s.Close()
			t.Errorf("%s was served without keys", listen)
		} else if !strings.Contains(err.Error(), "gonb-cope cluster keys") {
			t.Errorf("%s: %v", listen, err)
		}
	}
	dir := t.TempDir()
	keys := makeKeys(t, dir, jetstream.KeyOptions{})
	s := serve(t, dir, jetstream.ServeOptions{Listen: "0.0.0.0:0"})
	_, port, _ := net.SplitHostPort(s.URL()[len("tls://"):])
	join(t, "tls://127.0.0.1:"+port, keys["the owner"])
	for _, c := range []struct{ listen, words string }{{"here", "HOST:PORT"}, {"127.0.0.1:x", "port"}, {"127.0.0.1:" + port, "address already in use"}} {
		if s, err := jetstream.Serve(t.Context(), t.TempDir(), jetstream.ServeOptions{Listen: c.listen}); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, %v", c.listen, s, err)
		}
	}
	s.Close()
	if err := os.RemoveAll(filepath.Join(dir, "keys")); err != nil {
		t.Fatal(err)
	}
	if _, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "with keys before") {
		t.Errorf("the keys are gone: %v", err)
	}
	open := t.TempDir()
	serve(t, open, jetstream.ServeOptions{}).Close()
	makeKeys(t, open, jetstream.KeyOptions{})
	if _, err := jetstream.Serve(t.Context(), open, jetstream.ServeOptions{Listen: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "without keys before") {
		t.Errorf("keys came later: %v", err)
	}
}
