package jetstream

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// stateSubject is where a server of Serve says whether it can write. JetStream does not answer at all
// once its disk has failed, so that the cause would look like a slow network.
const stateSubject = "cope-ask.state"

// trouble asks the server whether it can write, after an answer did not come.
func (x *Exchange) trouble(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	m, err := x.nc.RequestWithContext(ctx, stateSubject, nil)
	if err != nil || len(m.Data) == 0 {
		return nil // a server of others, or nothing is known
	}
	if text := string(m.Data); !strings.Contains(text, "no space left") {
		return fmt.Errorf("the server cannot write to its disk (%s): nothing was recorded; repair it and start the server again", text)
	}
	return fmt.Errorf("%w; then start the server again", ErrFull)
}
