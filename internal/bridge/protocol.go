package bridge

import (
	"errors"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// protocol is a campaign.Protocol as data: its problems travel in parts.
type protocol struct {
	Protocol campaign.Protocol // without its problems
	Zero     []bool            // see zeros
	Problems []packedProblem   // its problem, and then what it was before arms came to it
}

func packProtocol(p campaign.Protocol, fs Functions) (protocol, error) {
	if p.Problem == nil {
		return protocol{}, errors.New("the protocol has no problem")
	}
	var w protocol
	for _, q := range append([]*problem.Problem{p.Problem}, p.Earlier...) {
		packed, err := packProblem(*q, fs)
		if err != nil {
			return w, err
		}
		w.Problems = append(w.Problems, packed)
	}
	p.Problem, p.Earlier = nil, nil
	w.Protocol, w.Zero = p, zeros(p)
	return w, nil
}

func unpackProtocol(w protocol, fs Functions) (campaign.Protocol, error) {
	p := w.Protocol
	if err := setZeros(&p, w.Zero); err != nil {
		return p, err
	}
	for k, packed := range w.Problems {
		q, err := unpackProblem(packed, fs)
		switch {
		case err != nil:
			return p, err
		case k == 0:
			p.Problem = q
		default:
			p.Earlier = append(p.Earlier, q)
		}
	}
	if p.Problem == nil {
		return p, errors.New("a protocol that cannot be read: it has no problem")
	}
	return p, nil
}
