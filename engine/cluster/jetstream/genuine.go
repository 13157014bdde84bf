package jetstream

import (
	"errors"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// addressHeader holds the subject that a message was published to. A program with credentials can name
// another's subject as the place for an answer, and the server then puts its answer there, which may
// repeat a message with its headers. Such a message lacks the header, or says where it was
// taken from; so nobody can speak for another, though it can take the other's place, who then speaks
// beside it: see asideOf.
const addressHeader = "Cope-Address"

// errNotSaid is the error of whoever finds his place taken by such a message.
var errNotSaid = errors.New("its place is taken by a message that nobody can have published there: a program with credentials of this server has had an answer sent to it")

// message returns a message that shows where it belongs.
func message(subject string, body []byte) *nats.Msg {
	return &nats.Msg{Subject: subject, Data: body, Header: nats.Header{addressHeader: {subject}}}
}

// genuine reports whether a stored message was published to its subject. Where the server was
// asked for it directly it has added one header that says where it is from.
func genuine(h nats.Header, subject string, direct bool) bool {
	sources := len(h.Values(jetstream.StreamHeader))
	if direct {
		sources--
	}
	return sources == 0 && len(h.Values(addressHeader)) == 1 && h.Get(addressHeader) == subject
}
