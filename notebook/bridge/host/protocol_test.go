package host_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/bridge"
	"github.com/gonb-cope/gonb-cope/notebook/bridge/host"
)

// dial connects without saying anything.
func (n *notebook) dial() net.Conn {
	n.Helper()
	conn := try.Of(net.Dial("unix", strings.TrimPrefix(n.host.Env()[0], bridge.EnvSocket+"=")))
	n.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(waitLimit))
	return conn
}

func (n *notebook) key() string { return strings.TrimPrefix(n.host.Env()[1], bridge.EnvKey+"=") }

// hello says a greeting and returns the answer.
func (n *notebook) hello(conn net.Conn, h bridge.Hello) (bridge.Op, string) {
	n.Helper()
	content, err := bridge.Pack(h)
	if err == nil {
		err = bridge.WriteFrame(conn, bridge.OpHello, content)
	}
	if err != nil {
		n.Fatal(err)
	}
	op, answer := try.Two(bridge.ReadFrame(conn, bridge.MaxFrame))
	return op, string(answer)
}

func TestGreeting(t *testing.T) {
	n := newNotebook(t)
	if info, err := os.Stat(n.folder()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v; only its user may enter", info.Mode(), err)
	}
	for _, test := range []struct {
		hello bridge.Hello
		want  string
	}{
		{bridge.Hello{Version: bridge.Version, Key: strings.Repeat("0", 64)}, "is not the key of this kernel"},
		{bridge.Hello{Version: bridge.Version}, "is not the key of this kernel"},
		{bridge.Hello{Version: bridge.Version + 1, Key: n.key()}, fmt.Sprintf("the cell uses version %d of the protocol, but the kernel uses version %d", bridge.Version+1, bridge.Version)},
	} {
		conn := n.dial()
		op, answer := n.hello(conn, test.hello)
		if op != bridge.OpError || !strings.Contains(answer, test.want) {
			t.Errorf("%+v is answered with %q", test.hello, answer)
		}
		if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection stays open: %v", err)
		}
	}
	_, panicked := n.run("names", bridge.EnvKey+"=wrong")
	if want := "session: GONB_COPE_KEY is not the key of this kernel"; !strings.HasPrefix(panicked, want) {
		t.Errorf("a cell with the wrong key says %q", panicked)
	}
	_, panicked = n.run("names", bridge.EnvSocket+"=")
	if want := "session: this process has no notebook session: Names needs a cell of the notebook kernel"; !strings.HasPrefix(panicked, want) {
		t.Errorf("a cell without a kernel says %q", panicked)
	}
	if out := n.mustRun("show0", bridge.EnvSocket+"="); out != "42\n" {
		t.Errorf("outside a notebook, 42 shows as %q", out)
	}
}

// TestGarbage sends what no cell sends. The host answers or hangs up, and goes on.
func TestGarbage(t *testing.T) {
	n := newNotebook(t)
	long := binary.LittleEndian.AppendUint32(nil, bridge.MaxGreeting+1)
	for _, bytes := range [][]byte{{}, {1}, append(long, 'h'), []byte("GET / HTTP/1.1\r\n\r\n"), make([]byte, 10_000)} {
		conn := n.dial()
		_, _ = conn.Write(bytes)
		_ = conn.(*net.UnixConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
	}
	conn := n.dial()
	if op, answer := n.hello(conn, bridge.Hello{Version: bridge.Version, Key: n.key()}); op != bridge.OpDone {
		t.Fatal(answer)
	}
	for _, op := range []byte("hngpfsblrewDVE\x00") {
		for _, content := range []string{"", "garbage", strings.Repeat("\xff", 100), strings.Repeat("\x00", 100)} {
			try.To(bridge.WriteFrame(conn, bridge.Op(op), []byte(content)))
			kind, answer, err := bridge.ReadFrame(conn, bridge.MaxFrame)
			if err != nil || kind != bridge.OpError && op != 'n' || kind == bridge.OpError && len(answer) == 0 {
				t.Fatalf("%q %q is answered with %q %q, %v", op, content, kind, answer, err)
			}
		}
	}
	if names := n.mustRun("names"); names != "[]\n" {
		t.Errorf("afterwards the names are %s", names)
	}
}

// kernelPart plays a kernel that is killed: it holds a function, and prints the id of
// its process.
func kernelPart() {
	n := &notebook{T: &testing.T{}, session: dsl.NewSession(dsl.Options{Rebind: true})}
	h := try.Of(host.Listen(&host.Session{Lock: &n.mu, Session: n.session}, ""))
	n.host = h
	try.To(n.command("hangsBad").Run())
	fmt.Println(children(n.T)[0], n.folder())
	n.value("bad", 0, 1) // waits in the function
}

// TestKilledKernel looks that the process of a function ends with a kernel that had no
// time to end it.
func TestKilledKernel(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc to look for processes in")
	}
	exe := try.Of(os.Executable())
	c := exec.Command(exe)
	c.Env = append(os.Environ(), envPart+"=kernel")
	out, _ := c.StdoutPipe()
	try.To(c.Start())
	line := try.Of(bufio.NewReader(out).ReadString('\n'))
	var pid int
	var folder string
	try.Of(fmt.Sscan(line, &pid, &folder))
	defer os.RemoveAll(folder) // a killed kernel leaves it
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
		t.Fatalf("process %d of the function does not run: %v", pid, err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	eventually(t, fmt.Sprintf("the end of process %d of the function", pid), func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(text), ") Z ")
	})
}
