package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// far is a network of the kernel's own namespaces, one for each host. The only device of a namespace is a TUN, whose other end this process
// holds: each packet between two namespaces passes here, waits and may be lost. The test itself is host 0, in the namespace of its start;
// its packets neither wait nor get lost.
type far struct {
	delay time.Duration // of each packet, one way
	loss  float64       // share of packets; by chance, packet by packet

	mu      sync.Mutex // of the fields below, except for hosts
	rng     *rand.Rand // of the packets that are lost
	off     bool       // nothing passes
	carried int        // packets between namespaces that were delivered
	lost    int        // those that were dropped by chance
	cut     int        // those that were dropped while the network was off

	hosts []farHost                 // by number; 0 is the test itself
	ways  map[[2]int]chan farPacket // queues by sender and receiver, made when they are needed
}

// farHost is a namespace and the test's end of its device.
type farHost struct {
	name   string   // of the namespace; "" of the test's own
	device *os.File // reading takes what the host sends, writing gives it something
}

// farPacket is a packet, and when it arrives.
type farPacket struct {
	data []byte    // with its IP header
	at   time.Time // by the clock of the test
}

// farNet is the third byte of all addresses, of 198.18.0.0/15, which is set apart for measuring networks
// [RFC 2544, appendix C.2.2]: another for each process, so that tests may run beside others.
var farNet = byte(1 + os.Getpid()%250)

// address returns the address of a host.
func (f *far) address(host int) string { return fmt.Sprintf("198.18.%d.%d", farNet, 1+host) }

// newFar makes a network of some namespaces beside the one of the test. It skips the test where the
// kernel does not allow that.
func newFar(t *testing.T, hosts int, delay time.Duration, loss float64) *far {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("namespaces of the network need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("namespaces of the network need the program ip (iproute2)")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		t.Skip("namespaces of the network need /dev/net/tun")
	}
	f := &far{delay: delay, loss: loss, rng: rand.New(rand.NewPCG(16, 1)), ways: map[[2]int]chan farPacket{}}
	ip := func(args ...string) {
		t.Helper()
		if text, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %v: %v: %s", args, err, text)
		}
	}
	// a device for the test and for each namespace; the first is not moved
	for h := range hosts + 1 {
		device, name, err := openTUN()
		if err != nil {
			t.Skipf("no TUN device can be made here: %v", err)
		}
		host := farHost{device: device}
		t.Cleanup(func() { device.Close() })
		in := []string{}
		if h > 0 {
			host.name = fmt.Sprintf("gonb-cope-%d-%d", os.Getpid(), h)
			if text, err := exec.Command("ip", "netns", "add", host.name).CombinedOutput(); err != nil {
				t.Skipf("no namespace of the network can be made here: %s", text)
			}
			t.Cleanup(func() { exec.Command("ip", "netns", "delete", host.name).Run() })
			ip("link", "set", name, "netns", host.name)
			in = []string{"-n", host.name}
			ip(append(in, "link", "set", "lo", "up")...)
		}
		// every host has one address, and a route for all of them by its device
		ip(append(in, "address", "add", f.address(h)+"/32", "dev", name)...)
		ip(append(in, "link", "set", name, "up")...)
		ip(append(in, "route", "add", fmt.Sprintf("198.18.%d.0/24", farNet), "dev", name)...)
		f.hosts = append(f.hosts, host)
	}
	for h := range f.hosts {
		go f.forward(h)
	}
	return f
}

// openTUN makes a device whose packets are IP packets with their checksums.
func openTUN() (*os.File, string, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, "", err
	}
	request, err := unix.NewIfreq("cope%d")
	if err == nil {
		// IP packets without a header before them, whose checksums the kernel has made
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		unix.Close(fd)
		return nil, "", err
	}
	return os.NewFile(uintptr(fd), "tun"), request.Name(), nil
}

// forward takes what a host sends, until its device is closed.
func (f *far) forward(from int) {
	for b := make([]byte, 65536); ; {
		n, err := f.hosts[from].device.Read(b)
		if err != nil {
			return
		}
		const destination = 16 // of the IPv4 header
		// everything but IPv4 is noise of the kernel
		if n < 20 || b[0]>>4 != 4 {
			continue
		}
		to := int(b[destination+3]) - 1
		if !bytes.Equal(b[destination:destination+3], []byte{198, 18, farNet}) || to < 0 || to >= len(f.hosts) || to == from {
			continue
		}
		if delay, passes := f.fate(from, to); passes {
			f.way(from, to) <- farPacket{slices.Clone(b[:n]), time.Now().Add(delay)}
		}
	}
}

// fate decides what happens to a packet. Packets of host 0 pass at once: they are the test's own questions.
func (f *far) fate(from, to int) (delay time.Duration, passes bool) {
	if from == 0 || to == 0 {
		return 0, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.off:
		f.cut++
		return 0, false
	case f.rng.Float64() < f.loss:
		f.lost++
		return 0, false
	}
	f.carried++
	return f.delay, true
}

// way returns the queue between two hosts, which keeps the order of packets. Only the goroutine of the
// sender asks for it.
func (f *far) way(from, to int) chan farPacket {
	f.mu.Lock()
	defer f.mu.Unlock()
	way := f.ways[[2]int{from, to}]
	if way == nil {
		way = make(chan farPacket, 10_000)
		f.ways[[2]int{from, to}] = way
		go func() {
			for p := range way {
				// packets arrive in the order in which they were sent, each at its time
				time.Sleep(time.Until(p.at))
				if _, err := f.hosts[to].device.Write(p.data); err != nil {
					continue // a device that is down takes nothing
				}
			}
		}()
	}
	return way
}

// turn turns the network off, or on again.
func (f *far) turn(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = !on
}

// counts returns how many packets were delivered, lost by chance and lost to a cut so far.
func (f *far) counts() (carried, lost, cut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.carried, f.lost, f.cut
}

// checkLoss reports a share of lost packets that is not the one which was asked for, by more than five
// standard deviations of the binomial distribution.
func (f *far) checkLoss(t *testing.T) {
	t.Helper()
	carried, lost, _ := f.counts()
	n := float64(carried + lost)
	if math.Abs(float64(lost)-n*f.loss) > 5*math.Sqrt(n*f.loss*(1-f.loss)) {
		t.Errorf("%d of %g packets were lost; want about %g", lost, n, n*f.loss)
	}
}

// echo is a role: it sends echo requests of ICMP [RFC 792] and writes how long each answer took, in
// milliseconds, to Out. The kernel of the other host answers. From is the address of its own host, and Echo the other one.
func (r role) echo() error {
	c, err := icmp.ListenPacket("ip4:icmp", r.From)
	if err != nil {
		return err
	}
	defer c.Close()
	const id = 77
	to, err := net4(r.Echo)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	sent := make([]time.Time, r.Times) // by the number of the echo
	took := []float64{}
	// until all have come, or the last has been lost
	c.SetReadDeadline(time.Now().Add(time.Duration(r.Times)*4*time.Millisecond + 5*time.Second))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for b := make([]byte, 1500); ; {
			n, _, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			m, err := icmp.ParseMessage(ipv4.ICMPTypeEchoReply.Protocol(), b[:n])
			if err != nil || m.Type != ipv4.ICMPTypeEchoReply {
				continue
			}
			if e, ok := m.Body.(*icmp.Echo); ok && e.ID == id && e.Seq < r.Times {
				mu.Lock()
				took = append(took, float64(time.Since(sent[e.Seq]).Microseconds())/1e3)
				mu.Unlock()
			}
		}
	}()
	for i := range r.Times {
		b, err := (&icmp.Message{Type: ipv4.ICMPTypeEcho, Body: &icmp.Echo{ID: id, Seq: i, Data: make([]byte, 56)}}).Marshal(nil)
		if err != nil {
			return err
		}
		mu.Lock()
		sent[i] = time.Now()
		mu.Unlock()
		if _, err := c.WriteTo(b, to); err != nil {
			return err
		}
		time.Sleep(4 * time.Millisecond)
	}
	<-done
	text, err := json.Marshal(took)
	if err != nil {
		return err
	}
	return os.WriteFile(r.Out, text, 0o666)
}
