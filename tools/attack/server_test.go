//go:build unix

package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// askServer has a test of the server made in which every role tries something; a test, since it speaks NATS.
func askServer(ctx context.Context, s *series, test, folder string) error {
	c := exec.CommandContext(ctx, "go", "test", "-ldflags=-w", "-count", "1", "-timeout", "5m", "-json", "-run", "^"+test+"$", folder)
	c.Dir, c.Stderr = "../..", os.Stderr // the server belongs to the module above
	out, err := c.Output()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	tried := regexp.MustCompile(`: (\d+) tries\n$`)
	passed := false
	for line := range strings.Lines(string(out)) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		if m := tried.FindStringSubmatch(e.Output); m != nil {
			n, _ := strconv.Atoi(m[1]) // digits
			s.add(n, e.Test)
		}
		if e.Action == "fail" && strings.Contains(e.Test, "/") {
			s.add(0, e.Test, finding{other, "failed; go test -run " + test + " " + folder + " says more"})
		}
		passed = passed || e.Action == "pass" && e.Test == test
	}
	if !passed {
		s.add(0, test, finding{other, fmt.Sprintf("did not pass: %v", err)})
	}
	return nil
}
