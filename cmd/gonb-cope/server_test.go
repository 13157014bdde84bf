package main

import (
	"strings"
	"testing"
)

// What is shown or written down for others names the server without user, password and token: the
// commands of agents, and the command that a report says it was made by.
func TestPasswordIsNotShown(t *testing.T) {
	o := runOptions{format: "text", server: serverOptions{url: "nats://ann:secret@a:4222,nats://secret@b:4222", creds: "owner.creds"}}
	o.byAgents.agents = true
	for _, line := range []string{agentLine("r", "oslo", o.server), o.command("s.cope")} {
		if strings.Contains(line, "secret") || !strings.Contains(line, `--server "nats://xxxxx@a:4222,nats://xxxxx@b:4222"`) {
			t.Error(line)
		}
	}
}
