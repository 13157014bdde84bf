package jupyter

import "errors"

// ErrSignature says that a message was not signed with the key of the connection.
var ErrSignature = errors.New("jupyter: message with a wrong signature")

// ErrRepeated says that a message was not new: it was received before, or signed by
// this side.
var ErrRepeated = errors.New("jupyter: message that is not new")
