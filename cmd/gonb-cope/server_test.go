package main

import (
	"strings"
	"testing"
)

// The printed commands of agents name the server without user, password and token.
func TestPasswordIsNotShown(t *testing.T) {
	o := serverOptions{url: "nats://ann:secret@a:4222,nats://secret@b:4222", creds: "owner.creds"}
	line := agentLine("r", "oslo", o)
	if strings.Contains(line, "secret") || !strings.Contains(line, `--server "nats://xxxxx@a:4222,nats://xxxxx@b:4222"`) {
		t.Error(line)
	}
}
