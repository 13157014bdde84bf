package problem

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
)

// Digests tells the data of the problem from other data: the hashes of the files that it came from,
// and one of its tasks, arms, mean rewards and their counts. A kernel that was fitted to the
// problem carries them along (kernels.Joint.Fitted).
func (p *Problem) Digests() []string {
	var all []string
	for _, s := range p.Sources {
		all = append(all, s.SHA256)
	}
	h := sha256.New()
	for i, v := range p.TaskOf {
		for _, name := range []string{p.Tasks.Names[v], p.Arms.Names[i]} {
			h.Write(binary.AppendUvarint(nil, uint64(len(name))))
			h.Write([]byte(name))
		}
	}
	lists := [][]float64{p.Mean, p.Reps}
	if p.Partial != nil {
		lists = append(lists, p.Partial)
	}
	for _, list := range lists {
		h.Write(binary.AppendUvarint(nil, uint64(len(list))))
		for _, x := range list {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return append(all, hex.EncodeToString(h.Sum(nil)))
}

// KernelFittedHere reports whether the problem's kernel was fitted to the problem's own data.
// Algorithms take the kernel as known beforehand; then it is not.
func (p *Problem) KernelFittedHere() bool {
	return len(p.Kernel.Fitted) > 0 && slices.ContainsFunc(p.Digests(), func(d string) bool { return slices.Contains(p.Kernel.Fitted, d) })
}
