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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A second server on a folder is refused and names the first; a folder whose server was killed is free.
func TestStoreOpenedTwice(t *testing.T) {
	dir := t.TempDir()
	cmd, url := process(t, dir, "127.0.0.1:0")
	try.To(join(t, url, "").Publish(t.Context(), cluster.Fact{Run: "r", Name: "run"}))
	// the process has the folder; this one asks for it
	_, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", cmd.Process.Pid)) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second server: %v", err)
	}
	// the lock ends with the process that held it
	cmd.Process.Kill()
	cmd.Wait()
	s := serve(t, dir, jetstream.ServeOptions{})
	none(t, join(t, s.URL(), ""), "r", cluster.Fact{Run: "r", Name: "run"})
}

// Other machines can reach an address that is not loopback: without keys nothing is served there. An address that can be reached
// from elsewhere needs keys. A folder whose keys were lost is not served without.
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
	// all addresses: loopback is among them
	_, port, _ := net.SplitHostPort(s.URL()[len("tls://"):])
	join(t, "tls://127.0.0.1:"+port, keys["the owner"])
	// a port that is taken is named, too
	for _, c := range []struct{ listen, words string }{{"here", "HOST:PORT"}, {"127.0.0.1:x", "port"}, {"127.0.0.1:" + port, "address already in use"}} {
		if s, err := jetstream.Serve(t.Context(), t.TempDir(), jetstream.ServeOptions{Listen: c.listen}); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, %v", c.listen, s, err)
		}
	}
	// the keys of a folder that was served with them are gone
	s.Close()
	try.To(os.RemoveAll(filepath.Join(dir, "keys")))
	if _, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "its keys are missing") {
		t.Errorf("the keys are gone: %v", err)
	}
	// a folder that was served without keys may get them, and keeps its facts
	open := t.TempDir()
	first := serve(t, open, jetstream.ServeOptions{})
	try.To(join(t, first.URL(), "").Publish(t.Context(), cluster.Fact{Run: "r", Name: "run"}))
	first.Close()
	keys = makeKeys(t, open, jetstream.KeyOptions{})
	none(t, join(t, serve(t, open, jetstream.ServeOptions{}).URL(), keys["the owner"]), "r", cluster.Fact{Run: "r", Name: "run"})
}

// A server that listens on all addresses is called by the machine's name. Nobody can join [::].
func TestURLOfAllAddresses(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	makeKeys(t, dir, jetstream.KeyOptions{})
	s := serve(t, dir, jetstream.ServeOptions{Listen: "0.0.0.0:0"})
	if got := s.URL(); !strings.HasPrefix(got, "tls://"+host+":") {
		t.Errorf("the URL is %s, want %s", got, host)
	}
}
