package jetstream

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// PermissionError is an action that the credentials do not permit. The server reports it separately from the reply, which
// never comes; see violations. The operation returns it as soon as the server has reported it.
type PermissionError struct {
	Who     string // holder of the credentials, such as "agent 3 of run r"
	Subject string // subject of the action
	Reading bool   // the action is reading; otherwise publishing
}

func (e *PermissionError) Error() string {
	act := "publish to"
	if e.Reading {
		act = "read"
	}
	return fmt.Sprintf("the credentials of %s do not allow to %s %s%s", e.Who, act, e.Subject, e.needed())
}

// agentSubject matches subjects to which an agent publishes its own facts.
var agentSubject = regexp.MustCompile(`^cope\.([^.]+)\.[0-9]+\.(agent-[0-9]+)$`)

// needed returns a phrase with the credentials that permit the action; "" if they are unknown.
func (e *PermissionError) needed() string {
	if m := agentSubject.FindStringSubmatch(e.Subject); m != nil && !e.Reading {
		return fmt.Sprintf(": it takes %s.creds of run %s", m[2], m[1])
	}
	// opening and stopping a run
	part := strings.Split(e.Subject, ".")
	if part[0] == "cope" && len(part) == 4 && part[2] == "0" && (part[3] == "run" || part[3] == "stop") {
		return ": it takes owner.creds"
	}
	return ""
}

// LoginError states that a server refuses the program, or that the program does not trust the server. Its text is a
// complete sentence. Another attempt fails too until the cause is removed.
type LoginError struct {
	Cause LoginCause // what must be changed; 0 if it is none of the causes below
	text  string     // a sentence with the server's URL
	err   error      // error of NATS, TLS or the file; may be nil
}

// LoginCause is the reason why a connection was refused.
type LoginCause int

// Causes of a LoginError. The text of the error states what to do.
const (
	NoCredentials      LoginCause = iota + 1 // the server requires credentials, but none were given
	BadCredentials                           // the file has no valid credentials, or its seed is of another user
	UnknownUser                              // the server does not know the user
	EndedCredentials                         // the credentials have expired
	RevokedCredentials                       // the credentials were revoked
	WrongServer                              // the certificate has another authority than the credentials, or another address
	NoTLS                                    // the server has no TLS, and credentials are not sent unencrypted
)

func (e *LoginError) Error() string { return e.text }
func (e *LoginError) Unwrap() error { return e.err }

// ErrFull is wrapped by errors of a server without free space. Nothing was recorded.
var ErrFull = errors.New("the server's disk, or its share of it, is full. Nothing was recorded. Free some space and try again")

// ErrNoStream is wrapped if the server responds but stores no facts.
var ErrNoStream = errors.New("the server stores no messages. It runs without JetStream, lacks its stream COPE, or has " +
	"had no leader for half a minute")

// JetStream error codes, mostly for exhausted resources.
const (
	codeNoResources  = 10023 // insufficient resources
	codeAccountLimit = 10002 // resource limits exceeded for account
	codeNoMemory     = 10028 // insufficient memory resources available
	codeNoStorage    = 10047 // insufficient storage resources available
	codeMostReaders  = 10026 // maximum consumers limit reached
	codeStoreFailed  = 10077 // storing failed, "maximum bytes exceeded" among others
	codeOfflineStore = 10118 // the server has stopped its streams
	codePerSubject   = 10077 // the description then contains "maximum messages per subject exceeded"
)

// alreadyThere reports whether the error means that the subject already has its message. A stream reports this in one of
// two ways: by the expected sequence number, or by the limit of one message per subject.
func alreadyThere(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return true
	case codePerSubject:
		// a failed store has the same code
		return strings.Contains(api.Description, "per subject")
	}
	return false
}

// final returns the error that ends an operation, or nil if it may be repeated. After errors of the connection, it may be
// repeated, unless a message is too long.
func final(err error) error {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("the server accepts only shorter messages. Set its max_payload to 1 MB: %w", err)
	case errors.As(err, &api):
		// storage first: its codes come with status 5xx, which otherwise permits a repetition
		switch api.ErrorCode {
		case codeNoResources, codeAccountLimit, codeNoMemory, codeNoStorage, codeStoreFailed, codeOfflineStore:
			return fmt.Errorf("%w (%s)", ErrFull, api.Description)
		case codeMostReaders:
			return fmt.Errorf("the server allows no more readers. Set its default_max_consumers to %d (%s)", mostReaders, api.Description)
		case jetstream.JSErrCodeStreamMessageExceedsMaximum:
			return fmt.Errorf("the server's stream accepts only shorter messages. Set its max_msg_size to 1 MB, or to no limit "+
				"(%s)", api.Description)
		case jetstream.JSErrCodeStreamNotFound, jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
			return fmt.Errorf("%w (%s)", ErrNoStream, api.Description)
		}
		if api.Code >= 500 {
			return nil // the server is busy, or a leader is being elected
		}
		// 4xx: the request itself is wrong
		return fmt.Errorf("the server refused the request: %s", api.Description)
	}
	return nil
}

// silent reports whether a reachable server has no listener for the subject: the stream does not exist, or has no leader
// at present.
func silent(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse)
}

// violations passes the server's "permissions violation" to callers that wait for a reply. NATS reports it only to the
// error handler, and the request would otherwise end only by its timeout.
type violations struct {
	who  string                // holder of the credentials, for errors
	mu   sync.Mutex            // guards wait
	wait map[*waiting]struct{} // callers that wait for a reply; nil before the first
}

// waiting is a caller that waits for a reply.
type waiting struct {
	subject string                  // subject of the publication or subscription
	cancel  context.CancelCauseFunc // ends the wait, with the refusal as cause
}

// watch returns a context that ends with a *PermissionError when the server refuses the subject. The caller must call the
// returned function, which ends the watch.
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
		// nil cancels without a refusal
		cancel(nil)
	}
}

// violation matches the server's message, such as nats: permissions violation: Permissions Violation for Publish to
// "cope.r.1.agent-2".
var violation = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]*)"`)

// heard is the error handler of the connection, which calls it from its own goroutine. It cancels the callers whose
// subject was refused.
func (v *violations) heard(_ *nats.Conn, _ *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	// NATS provides the subject only in the text
	m := violation.FindStringSubmatch(err.Error())
	if m == nil {
		return
	}
	refused := &PermissionError{Who: v.who, Subject: m[2], Reading: strings.EqualFold(m[1], "subscription")}
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range v.wait {
		// the refused subscription may have a longer subject than requested
		if w.subject == refused.Subject || (refused.Reading && strings.HasPrefix(refused.Subject, w.subject)) {
			w.cancel(plainer(refused))
		}
	}
}

// plainer returns the error with the subject of the facts instead of the server's internal subject for the request.
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
