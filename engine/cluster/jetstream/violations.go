package jetstream

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// violations gives the server's "permissions violation" to whoever waits for the answer that will
// not come: NATS reports it to the handler of errors only, and the request ends with its time.
type violations struct {
	who  string
	mu   sync.Mutex
	wait map[*waiting]struct{}
}

type waiting struct {
	subject string // what was published to, or subscribed
	cancel  context.CancelCauseFunc
}

// watch returns a context that ends with a *PermissionError when the server refuses the subject.
func (v *violations) watch(ctx context.Context, subject string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &waiting{subject, cancel}
	v.mu.Lock()
	if v.wait == nil {
		v.wait = map[*waiting]struct{}{}
	}
	v.wait[w] = struct{}{}
	v.mu.Unlock()
	return ctx, func() {
		v.mu.Lock()
		delete(v.wait, w)
		v.mu.Unlock()
		cancel(nil)
	}
}

// violation matches what a server says, as in
// nats: permissions violation: Permissions Violation for Publish to "cope.r.1.agent-2".
var violation = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]*)"`)

// heard takes an error of the connection.
func (v *violations) heard(_ *nats.Conn, _ *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	m := violation.FindStringSubmatch(err.Error())
	if m == nil {
		return
	}
	refused := &PermissionError{Who: v.who, Subject: m[2], Reading: strings.EqualFold(m[1], "subscription")}
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range v.wait {
		if w.subject == refused.Subject || (refused.Reading && strings.HasPrefix(refused.Subject, w.subject)) {
			w.cancel(plainer(refused))
		}
	}
}

// plainer names what was wanted and not the server's own subject for it.
func plainer(e *PermissionError) *PermissionError {
	if rest, ok := strings.CutPrefix(e.Subject, directGet+"."); ok {
		return &PermissionError{Who: e.Who, Subject: rest, Reading: true}
	}
	if rest, ok := strings.CutPrefix(e.Subject, readSubject+"."); ok {
		run, _, _ := strings.Cut(rest, ".")
		return &PermissionError{Who: e.Who, Subject: runSubjects(run), Reading: true}
	}
	return e
}
