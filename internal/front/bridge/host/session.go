package host

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/front/bridge"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Session is the Store of a dsl.Session.
type Session struct {
	Lock    sync.Locker // held while the session is used: it is for one goroutine at a time
	Session *dsl.Session
	Display func(bundle map[string]any) error // publishes below the Go cell that runs
}

// Names lists what is bound, oldest first.
func (s *Session) Names() []bridge.Entry {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return s.names()
}

func (s *Session) names() []bridge.Entry {
	var names []bridge.Entry
	for _, name := range s.Session.Names() {
		_, kind, _ := s.Session.Value(name)
		names = append(names, bridge.Entry{Name: name, Type: string(kind)})
	}
	return names
}

// Get returns the value of a name.
func (s *Session) Get(name string) (any, error) {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	v, kind, ok := s.Session.Value(name)
	list, _ := v.([]any)
	switch {
	case kind == dsl.Record || slices.ContainsFunc(list, isRecord):
		return nil, fmt.Errorf("%s holds parts of another value, which stay in the kernel; read that value whole, as with session.Result", name)
	case ok:
		return v, nil
	}
	const most = 12
	var known []string
	for _, e := range s.names() {
		known = append(known, e.Name)
	}
	switch {
	case len(known) == 0:
		return nil, fmt.Errorf("%q is not bound; nothing is yet: bind it in a %%%%cope cell", name)
	case len(known) > most:
		known = append([]string{"…"}, known[len(known)-most:]...)
	}
	return nil, fmt.Errorf("%q is not bound; bound are %s", name, strings.Join(known, ", "))
}

// isRecord reports whether an element of a list is a part of a value: a struct that is no value itself.
func isRecord(v any) bool {
	if _, ok := v.(kernels.Kernel); ok || v == nil {
		return false
	}
	t := reflect.TypeOf(v)
	_, value := kinds.Of[struct{}](t)
	return t.Kind() == reflect.Struct && !value && t != reflect.TypeFor[kernels.Joint]()
}

// Put binds a name.
func (s *Session) Put(name string, v any) error {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return s.Session.Put(name, v)
}

// Act calls a function that records something in a campaign.
func (s *Session) Act(ctx context.Context, function string, args map[string]any) (any, []string, error) {
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return s.Session.Act(ctx, function, args)
}

// Show publishes a display.
func (s *Session) Show(bundle map[string]any) error {
	if s.Display == nil {
		return fmt.Errorf("this kernel displays nothing")
	}
	return s.Display(bundle)
}
