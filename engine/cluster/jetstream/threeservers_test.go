package jetstream_test

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// threeServers starts a cluster of three NATS servers and returns their URLs with commas between. Each finds the others by their
// routes. The servers end with the test.
func threeServers(t *testing.T) string {
	t.Helper()
	var ports [3]int
	var routes []string
	for i := range ports {
		address := testport.Address(t)
		_, port, _ := net.SplitHostPort(address)
		ports[i], _ = strconv.Atoi(port)
		routes = append(routes, "nats://"+address)
	}
	var urls []string
	for i, port := range ports {
		o := &server.Options{
			ServerName: fmt.Sprint("server-", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
			JetStream: true, StoreDir: t.TempDir(), JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30,
			Routes: server.RoutesFromStr(strings.Join(routes, ",")),
		}
		o.Cluster.Name, o.Cluster.Host, o.Cluster.Port = "three", "127.0.0.1", port
		urls = append(urls, startMember(t, o))
	}
	return strings.Join(urls, ",")
}

// startMember starts a server of a cluster. It returns the URL for clients.
func startMember(t *testing.T, o *server.Options) string {
	t.Helper()
	s := try.Of(server.NewServer(o))
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(limit) {
		t.Fatal("a server of the cluster is not ready")
	}
	return s.ClientURL()
}

// A cluster of three servers does all that one server does. Facts and work are kept in three copies, and a leader is elected
// before anything is answered.
func TestThreeServers(t *testing.T) {
	if os.Getenv("GONB_COPE_FAULTS") == "" {
		t.Skip("three servers for each of many tests: GONB_COPE_FAULTS=1")
	}
	conforms(t, func(t *testing.T) func() cluster.Exchange {
		urls := threeServers(t)
		return func() cluster.Exchange { return join(t, urls, "") }
	})
}
