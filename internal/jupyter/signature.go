package jupyter

import "bytes"

// rememberedSignatures is the least number of signatures that are remembered, the same as in
// jupyter_client. At most it is twice that.
const rememberedSignatures = 1 << 16

// signatures remembers the last messages, so that one that somebody saw and sends
// again is not executed again. What this side has signed is remembered, too: with the
// same key, a message to a front end would pass for one from it.
type signatures struct{ now, before map[string]bool }

// add remembers a signature and reports whether it is new. No signature is always new.
func (s *signatures) add(signature string) bool {
	switch {
	case signature == "":
		return true
	case s.now[signature] || s.before[signature]:
		return false
	case s.now == nil || len(s.now) >= rememberedSignatures:
		s.now, s.before = map[string]bool{}, s.now
	}
	s.now[signature] = true
	return true
}

// signatureOf finds the signature among the frames of a message.
func signatureOf(frames [][]byte) string {
	for i, f := range frames[:max(len(frames)-1, 0)] {
		if bytes.Equal(f, delimiter) {
			return string(frames[i+1])
		}
	}
	return ""
}
