package jetstream

import (
	"context"
	"encoding/json"

	"github.com/nats-io/nats.go/jetstream"
)

// answered is what the server of Serve answers.
type answered struct {
	Name  string              `json:"name,omitempty"` // of the consumer
	Error *jetstream.APIError `json:"error,omitempty"`
}

// asked asks the server of Serve for a consumer, and returns its name.
func (x *Exchange) asked(ctx context.Context, subject, question string) (name string, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		m, err := x.nc.RequestWithContext(ctx, subject, []byte(question))
		if err != nil {
			return err
		}
		var a answered
		if err := json.Unmarshal(m.Data, &a); err != nil {
			return err
		}
		if a.Error != nil {
			return a.Error
		}
		name = a.Name
		return nil
	})
	return name, err
}
