package jetstream_test

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// A full store is reported in a sentence. Confirmed facts are kept, and the publisher goes on when there is room again.
func TestServerFull(t *testing.T) {
	dir := t.TempDir()
	// room for about a megabyte
	s := serve(t, dir, jetstream.ServeOptions{MaxBytes: 1 << 20})
	x := join(t, s.URL(), "")
	fillUp(t, x)
	s.Close()
	s = serve(t, dir, jetstream.ServeOptions{MaxBytes: 64 << 20})
	x = join(t, s.URL(), "")
	if err := x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1000, Name: "agent-1"}); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}

// fillUp publishes until the server is full, and checks the stored facts. The error must be ErrFull, and every fact that was confirmed must
// still be there.
func fillUp(t *testing.T, x *jetstream.Exchange) {
	t.Helper()
	ctx := patiently(t)
	body := bytes.Repeat([]byte("0123456789abcdef"), 4096) // 64 KiB
	confirmed := 0
	var err error
	for err == nil && confirmed < 1000 {
		if err = x.Publish(ctx, cluster.Fact{Run: "r", Round: confirmed, Name: "agent-1", Body: body}); err == nil {
			confirmed++
		}
	}
	if !errors.Is(err, jetstream.ErrFull) || !strings.Contains(err.Error(), "full. Nothing was recorded. Free some space") {
		t.Errorf("after %d facts: %v", confirmed, err)
	}
	// a full server still gives what it has
	ctx = patiently(t)
	for r := range confirmed {
		if f, ok, err := x.Find(ctx, "r", r, "agent-1"); !ok || err != nil || !bytes.Equal(f.Body, body) {
			t.Errorf("fact %d of %d: %v, %v", r, confirmed, ok, err)
		}
	}
	t.Logf("%d facts of 64 KiB were confirmed and stand: %v", confirmed, err)
}

// The disk itself is full: a small file system in memory. The room that the server may use is far above it, so that the disk says no.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no small disk can be mounted here: %s", out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	s := serve(t, dir, jetstream.ServeOptions{MaxBytes: 1 << 30})
	x := join(t, s.URL(), "")
	fillUp(t, x)
	x.Close()
	s.Close()
	// the same disk with more room
	if out, err := exec.Command("mount", "-o", "remount,size=64m", dir).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	x = join(t, serve(t, dir, jetstream.ServeOptions{}).URL(), "")
	if err := x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1000, Name: "agent-1"}); err != nil {
		t.Errorf("after room was made: %v", err)
	}
	if _, ok, err := x.Find(t.Context(), "r", 0, "agent-1"); !ok || err != nil {
		t.Errorf("the first fact: %v, %v", ok, err)
	}
}
