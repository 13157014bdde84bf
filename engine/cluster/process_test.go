package cluster_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// process is one that can be killed and started again. Its owner starts and kills it; whatever it keeps is in files.
type process struct {
	t      *testing.T
	binary string           // of this test, built in some way
	role   role             // what it does, given by the environment
	cmd    *exec.Cmd        // of the life now
	out    io.ReadCloser    // what it prints
	err    *strings.Builder // what it says of errors
}

// start starts a process with a role.
func start(t *testing.T, binary string, r role) *process {
	t.Helper()
	p := &process{t: t, binary: binary, role: r}
	p.again()
	return p
}

// again starts it again.
func (p *process) again() {
	p.t.Helper()
	p.err = &strings.Builder{}
	p.cmd = exec.Command(p.binary)
	// the namespace comes before the program
	if p.role.Inside != "" {
		p.cmd = exec.Command("ip", "netns", "exec", p.role.Inside, p.binary)
	}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+string(must(json.Marshal(p.role))))
	if p.role.Clock != "" {
		p.cmd.Env = append(p.cmd.Env, clockVariable+"="+p.role.Clock)
	}
	p.cmd.Stderr = p.err
	p.cmd.SysProcAttr = endsWithTest()
	p.out = must(p.cmd.StdoutPipe())
	try.To(p.cmd.Start())
}

// kill ends it at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// ended reports whether the process has ended, and how. A process that has killed itself by its role is started again, and
// counts as one that goes on.
func (p *process) ended() (bool, error) {
	if _, err := os.Stat(p.role.Out); err == nil {
		return true, nil
	}
	var status syscall.WaitStatus
	// without waiting: it may go on
	id, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WNOHANG, nil)
	if err != nil || id == 0 {
		return false, nil
	}
	if status.Signaled() {
		p.again() // it has killed itself, as its role asked
		return false, nil
	}
	if _, err := os.Stat(p.role.Out); err == nil {
		return true, nil
	}
	return true, fmt.Errorf("status %d: %s", status.ExitStatus(), p.err)
}
