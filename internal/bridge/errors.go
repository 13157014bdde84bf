package bridge

import "errors"

// ErrNoKernel is returned where no kernel of ours started this program.
var ErrNoKernel = errors.New("there is no notebook session here")

// errFrame is wrapped by what is wrong with the connection itself.
var errFrame = errors.New("the connection is broken")

// remoteError is an error that the other side sent.
type remoteError string

// Error returns the message as it was sent.
func (e remoteError) Error() string { return string(e) }
