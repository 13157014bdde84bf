//go:build !nocluster

package jetstream

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// logger takes warnings and errors of the server.
type logger struct {
	hear  func(string) // may be nil
	mu    sync.Mutex
	last  string // the last error
	fatal bool   // it was the end of the server
	disk  string // why nothing can be written any more
}

// writeFailed matches what the server says of a disk that fails. It does not try again.
var writeFailed = regexp.MustCompile(`(?i)critical write error: (.*: )?(.*)$`)

// trouble returns why nothing can be written any more, empty where it can.
func (l *logger) trouble() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.disk
}

func (l *logger) say(text string) {
	if l.hear != nil {
		l.hear(text)
	}
}

func (l *logger) fault(text string) {
	l.mu.Lock()
	l.last = text
	if m := writeFailed.FindStringSubmatch(text); m != nil {
		l.disk = m[2]
	}
	l.mu.Unlock()
	l.say(text)
}

func (l *logger) end(text string) {
	l.fault(text)
	l.mu.Lock()
	l.fatal = true
	l.mu.Unlock()
}

// Methods of the server's own interface.
func (l *logger) Noticef(string, ...any) {}
func (l *logger) Warnf(format string, v ...any) {
	if text := fmt.Sprintf(format, v...); !strings.HasPrefix(text, "Plaintext passwords") { // made for one start
		l.say(text)
	}
}
func (l *logger) Fatalf(format string, v ...any) { l.end(fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any) { l.fault(fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
