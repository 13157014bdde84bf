package jetstream_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// More agents read than a NATS server lets read a stream by default, 1,000: on a server of ours and on one
// of others. Readers whose connection broke count for a minute more.
func TestManyReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("1,100 readers")
	}
	// over one connection, all of them at once
	const readers = 1100
	for name, url := range map[string]string{
		"ours":   serve(t, t.TempDir(), jetstream.ServeOptions{}).URL(),
		"others": stranger(t, server.Options{JetStream: true}),
	} {
		t.Run(name, func(t *testing.T) {
			x := join(t, url, "")
			try.To(x.Publish(t.Context(), cluster.Fact{Run: "r", Name: "run", Body: []byte("b")}))
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
			defer stop()
			read := make(chan error, readers) // one for each reader that has read the fact, or failed
			var wg sync.WaitGroup
			for range readers {
				wg.Go(func() {
					first := true
					for _, err := range x.Read(ctx, "r") { // none ends before all have read
						if first || err != nil {
							read <- err
						}
						if first = false; err != nil {
							return
						}
					}
				})
			}
			for range readers {
				select {
				case err := <-read:
					if err != nil {
						stop()
						t.Fatal(err)
					}
				case <-ctx.Done():
					t.Fatal("not all have read")
				}
			}
			stop()
			wg.Wait()
		})
	}
}
