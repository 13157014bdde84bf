package cotest

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// TestRecall: what is said of some arms after later rounds is what was said of them at the time.
func TestRecall(t *testing.T) {
	p, m := smooth(t)
	a := try.Of(newNormed(m, plain.TermsOf(t, m, engine.ModeFC, engine.Options{Unit: 1, Epsilon: 0.1, Norm: manyarms.Norm}), Bound{Bound: model.Bound{Norm: manyarms.Norm}}))
	enginetest.CheckDeferredEstimates(t, p, a)
}
