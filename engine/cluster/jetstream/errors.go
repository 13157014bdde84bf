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

// PermissionError is something that the credentials in use do not allow. The server states so apart
// from the answer, which never comes; see violations. It comes back from whatever asked, as soon as the server has refused.
type PermissionError struct {
	Who     string // "agent 3 of run r", as the credentials name their holder
	Subject string // what it wanted to publish to or to read
	Reading bool   // whether it wanted to read; else to publish
}

func (e *PermissionError) Error() string {
	act := "publish to"
	if e.Reading {
		act = "read"
	}
	return fmt.Sprintf("the credentials of %s do not allow to %s %s%s", e.Who, act, e.Subject, e.needed())
}

// agentSubject matches where an agent speaks for itself.
var agentSubject = regexp.MustCompile(`^cope\.([^.]+)\.[0-9]+\.(agent-[0-9]+)$`)

// needed names the credentials that have the permission; "" if they are unknown.
func (e *PermissionError) needed() string {
	if m := agentSubject.FindStringSubmatch(e.Subject); m != nil && !e.Reading {
		return fmt.Sprintf(": it takes %s.creds of run %s", m[2], m[1])
	}
	// the opening and the stop of a run
	part := strings.Split(e.Subject, ".")
	if part[0] == "cope" && len(part) == 4 && part[2] == "0" && (part[3] == "run" || part[3] == "stop") {
		return ": it takes owner.creds"
	}
	return ""
}

// LoginError is a server that does not let the program in, or that the program does not trust. Its text is the whole sentence. Trying again
// is in vain until the cause is changed.
type LoginError struct {
	Cause LoginCause // what has to be changed; 0 if it is none of the causes below
	text  string     // a sentence that names the server
	err   error      // error of NATS, of TLS or of the file; may be nil
}

// LoginCause says why there is no connection.
type LoginCause int

// Causes of a LoginError. The sentence of the error states what to do about each.
const (
	NoCredentials      LoginCause = iota + 1 // the server asks for them and none were given
	BadCredentials                           // the file has no credentials, or its seed is not the one of its user
	UnknownUser                              // they were made for the users of another server
	EndedCredentials                         // expired
	RevokedCredentials                       // taken back
	WrongServer                              // its certificate is not of the authority in the credentials, or not for its name
	NoTLS                                    // credentials are not sent in the clear
)

func (e *LoginError) Error() string { return e.text }
func (e *LoginError) Unwrap() error { return e.err }

// ErrFull is wrapped by errors of a server that has no room left. Nothing was recorded.
var ErrFull = errors.New("the server's disk, or its share of it, is full. Nothing was recorded. Free some space and try again")

// ErrNoStream is wrapped if a server answers that keeps no facts.
var ErrNoStream = errors.New("the server stores no messages. It runs without JetStream, lacks its stream COPE, or has " +
	"had no leader for half a minute")

// Codes of JetStream for storage that is used up.
const (
	codeNoResources  = 10023 // insufficient resources
	codeAccountLimit = 10002 // resource limits exceeded for account
	codeNoMemory     = 10028 // insufficient memory resources available
	codeNoStorage    = 10047 // insufficient storage resources available
	codeMostReaders  = 10026 // maximum consumers limit reached
	codeStoreFailed  = 10077 // storing failed, "maximum bytes exceeded" among others
	codeOfflineStore = 10118 // the server has stopped its streams
	codePerSubject   = 10077 // "maximum messages per subject exceeded", which is in the description
)

// alreadyThere reports an answer that states that the subject has its message already. Streams of Serve and of others say it in
// one of two ways: by the sequence that was expected, or by the limit of one message.
func alreadyThere(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return true
	case codePerSubject:
		// the code is also the one of a store that has failed
		return strings.Contains(api.Description, "per subject")
	}
	return false
}

// final returns the error that ends an operation, or nil if it may be tried again. An error of the connection may be tried
// again, except for a message that is too long.
func final(err error) error {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("the server accepts only shorter messages. Set its max_payload to 1 MB: %w", err)
	case errors.As(err, &api):
		// storage first: the same codes come with 5xx, which may otherwise be tried again
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
			return nil // the server is busy, or elects a leader
		}
		// 4xx: the question itself is wrong
		return fmt.Errorf("the server refused the request: %s", api.Description)
	}
	return nil
}

// silent reports that an answer is missing, though the server is there. The subject has no listener: the streams are not there, or have no
// leader just now.
func silent(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse)
}

// violations gives the server's "permissions violation" to callers that wait for an answer that will not come: NATS reports it to the
// handler of errors only, and the request ends with its time.
type violations struct {
	who  string                // the holder of the credentials, for errors
	mu   sync.Mutex            // guards wait
	wait map[*waiting]struct{} // the callers that wait for an answer now; nil before the first
}

// waiting is a caller that waits for an answer at a subject.
type waiting struct {
	subject string                  // what was published to, or subscribed
	cancel  context.CancelCauseFunc // ends the wait, with the refusal as its cause
}

// watch returns a context that ends with a *PermissionError when the server refuses the subject. The function that it returns
// ends the watching, and has to be called.
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
		// nil ends the context without a refusal, if it has not ended before
		cancel(nil)
	}
}

// violation matches what a server says, as in
// nats: permissions violation: Permissions Violation for Publish to "cope.r.1.agent-2".
var violation = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]*)"`)

// heard takes an error of the connection. It runs on a goroutine of the connection, and gets every error that belongs to no question.
func (v *violations) heard(_ *nats.Conn, _ *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	// NATS has the subject in the text alone
	m := violation.FindStringSubmatch(err.Error())
	if m == nil {
		return
	}
	refused := &PermissionError{Who: v.who, Subject: m[2], Reading: strings.EqualFold(m[1], "subscription")}
	v.mu.Lock()
	defer v.mu.Unlock()
	for w := range v.wait {
		// a subscription may be refused by a longer subject than the one that was asked for
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
