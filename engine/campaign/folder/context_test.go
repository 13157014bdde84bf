package folder

import "context"

// Context shortens signatures of tests.
type Context = context.Context
