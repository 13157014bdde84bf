package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// manual is docs/how-to/several-machines.md with docs/reference/cluster.md. The test types their commands unchanged, except ports and
// hosts: hosts are folders.
type manual struct {
	t    *testing.T
	text string
	dir  string
	port string
	env  []string
}

// newManual reads it, and writes the files of its first section into a folder.
func newManual(t *testing.T, folders ...string) *manual {
	t.Helper()
	if testing.Short() {
		t.Skip("servers and agents")
	}
	for _, name := range []string{"sh", "python3"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	m := &manual{t: t, dir: t.TempDir()}
	for _, page := range []string{"how-to/several-machines", "reference/cluster"} {
		text := try.Of(os.ReadFile("../../docs/" + page + ".md"))
		m.text += string(text)
	}
	_, m.port, _ = net.SplitHostPort(testport.Address(t))
	m.env = append(os.Environ(), "HOME="+m.dir)
	first := m.section("Five commands on one machine first")
	for name, block := range map[string]string{"wells.csv": m.block(first, "```csv\n"), "measure.py": m.block(first, "```python\n"), "wells.cope": m.block(first, "```\n")} {
		for _, folder := range folders {
			m.write(filepath.Join(folder, name), block)
		}
	}
	return m
}

// write writes a file below the folder of the test.
func (m *manual) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	try.To(os.MkdirAll(filepath.Dir(path), 0o777))
	try.To(os.WriteFile(path, []byte(text), 0o666))
}

// section returns the text below a heading.
func (m *manual) section(heading string) string {
	m.t.Helper()
	_, rest, there := strings.Cut(m.text, "\n### "+heading+"\n")
	if !there {
		m.t.Fatalf("no section %q", heading)
	}
	body, _, _ := strings.Cut(rest, "\n##")
	return body
}

// block returns the first block of a section that begins so.
func (m *manual) block(section, begins string) string {
	m.t.Helper()
	_, rest, there := strings.Cut(section, "\n\n"+begins)
	if !there {
		m.t.Fatalf("no block %q", begins)
	}
	text, _, _ := strings.Cut(rest, "```\n")
	return text
}

var elsewhere = regexp.MustCompile(`(nats|tls)://(127\.0\.0\.1|hub\.example\.org|lab\.example\.org):4222`)

// here returns a line with the addresses and folders of this machine.
func (m *manual) here(line string) string {
	line = elsewhere.ReplaceAllString(line, "$1://127.0.0.1:"+m.port)
	line = strings.ReplaceAll(line, "--listen 0.0.0.0:4222", "--listen 0.0.0.0:"+m.port)
	line = regexp.MustCompile(`cluster serve (\S+) &`).ReplaceAllString(line, "cluster serve $1 --listen 127.0.0.1:"+m.port+" &")
	line = regexp.MustCompile(`^scp (\S+) (\S+):(\S*)`).ReplaceAllString(line, "cp $1 ../$2/$3")
	return line
}

// command is a line that was typed.
type command struct {
	line string
	cmd  *exec.Cmd
	out  strings.Builder
	mu   sync.Mutex
	end  chan error
}

// Write implements io.Writer.
func (c *command) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(b)
}

func (c *command) said() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// typed starts a line in a folder.
func (m *manual) typed(folder, line string, env ...string) *command {
	m.t.Helper()
	line = strings.TrimSuffix(strings.TrimSpace(regexp.MustCompile(`\s+#.*`).ReplaceAllString(line, "")), " &")
	c := &command{line: line, cmd: exec.Command("sh", "-c", "exec "+line), end: make(chan error, 1)}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stdout, c.cmd.Stderr = filepath.Join(m.dir, folder), append(m.env, env...), c, c
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		m.t.Fatalf("%s: %v", line, err)
	}
	go func() { c.end <- c.cmd.Wait() }()
	m.t.Cleanup(func() { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) })
	return c
}

// done waits until a command has ended well, and returns what it said.
func (m *manual) done(c *command) string {
	m.t.Helper()
	select {
	case err := <-c.end:
		if err != nil {
			m.t.Fatalf("%s: %v\n%s", c.line, err, c.said())
		}
	case <-time.After(limit):
		m.t.Fatalf("%s: no end\n%s", c.line, c.said())
	}
	return c.said()
}

// says waits until a command has said something.
func (m *manual) says(c *command, what string) {
	m.t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); {
		if strings.Contains(c.said(), what) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	m.t.Fatalf("%s has not said %q:\n%s", c.line, what, c.said())
}

// follow types lines in their folders: servers and agents go on beside the others.
func (m *manual) follow(lines [][2]string) (said string) {
	m.t.Helper()
	var beside []*command
	for _, l := range lines {
		c := m.typed(l[0], m.here(l[1]))
		switch {
		case strings.Contains(l[1], " serve "):
			m.says(c, "until interrupted")
		case strings.Contains(l[1], " agent "):
			beside = append(beside, c)
		default:
			if strings.Contains(l[1], " status ") {
				for _, agent := range beside {
					said += m.done(agent)
				}
			}
			said += m.done(c)
		}
	}
	return said
}

// The commands of the first section, unchanged, make a run on one machine.
func TestManualOneMachine(t *testing.T) {
	m := newManual(t, "one")
	var lines [][2]string
	s := bufio.NewScanner(strings.NewReader(m.section("Five commands on one machine first")))
	for s.Scan() {
		if line, is := strings.CutPrefix(s.Text(), "    gonb-cope"); is {
			lines = append(lines, [2]string{"one", "gonb-cope" + line})
		}
	}
	m.found(len(lines), 5, m.follow(lines))
}

// The commands for three hosts do so with a folder instead of each host.
func TestManualThreeHosts(t *testing.T) {
	m := newManual(t, "hub", "oslo", "rome")
	var lines [][2]string
	for line := range strings.Lines(m.block(m.section("Three hosts"), "```\n")) {
		host, line, _ := strings.Cut(line, "$")
		lines = append(lines, [2]string{host, strings.TrimSpace(line)})
	}
	m.found(len(lines), 8, m.follow(lines))
}

// found reports a run that has not found the best arms by so many commands.
func (m *manual) found(commands, want int, said string) {
	m.t.Helper()
	if commands != want || strings.Count(said, "CoTestFC decided on d for oslo and d for rome") != 2 || !strings.Contains(said, "\ndone after ") {
		m.t.Errorf("%d commands, want %d; they said:\n%s", commands, want, said)
	}
}

// The server of the systemd unit needs the keys that the text makes first.
func TestManualServices(t *testing.T) {
	m := newManual(t, "hub")
	unit := m.section("Started by systemd")
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/(.*)$`).FindStringSubmatch(unit)
	keys := regexp.MustCompile(`(?m)^sudo -u cope (gonb-cope cluster keys .*)$`).FindStringSubmatch(unit)
	if start == nil || keys == nil {
		t.Fatal("the unit has no command, or its keys none")
	}
	folder := func(line string) string { return m.here(strings.ReplaceAll(line, "/var/lib/cope", "cope")) }
	early := m.typed("hub", folder(start[1]))
	if err := <-early.end; err == nil || !strings.Contains(early.said(), "credentials are needed") {
		t.Errorf("without keys: %v\n%s", err, early.said())
	}
	m.done(m.typed("hub", folder(keys[1])))
	server := m.typed("hub", folder(start[1]))
	m.says(server, "until interrupted")
	_ = server.cmd.Process.Signal(syscall.SIGTERM)
	m.done(server)
}
