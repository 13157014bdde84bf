package bridge

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// node is a kernel as data: a sum, product, multiple or power of other kernels, a
// formula, or a kernel of the catalogue with its parameters.
type node struct {
	// "sum", "product", "scaled", "power", "open", "formula" or the name of a type in leaves
	Op       string
	Parts    []node
	Scale    float64
	Exponent int

	Name, Params, Body string // of a formula
	Args               []kernels.Arg
	Number             uint64 // which function it is, see Functions

	Leaf  []byte         // parameters of a kernel of the catalogue; nil where it has none
	Slots []kernels.Slot // of an open kernel
}

// leaves returns the types of the catalogue's kernels, and the free number.
func leaves() []reflect.Type {
	leaves := []reflect.Type{reflect.TypeFor[kernels.Free]()}
	for _, e := range kernels.Catalogue() {
		leaves = append(leaves, e.Type)
	}
	return leaves
}

// maxDepth bounds how far the parts of a kernel stand inside each other.
const maxDepth = 1000

func packKernel(k kernels.Kernel, fs Functions) (node, error) {
	switch k := k.(type) {
	case kernels.Sum:
		return packParts(node{Op: "sum"}, k.Terms, fs)
	case kernels.Product:
		return packParts(node{Op: "product"}, k.Factors, fs)
	case kernels.Scaled:
		return packParts(node{Op: "scaled", Scale: k.Scale}, []kernels.Kernel{k.Kernel}, fs)
	case kernels.Power:
		return packParts(node{Op: "power", Exponent: k.Exponent}, []kernels.Kernel{k.Kernel}, fs)
	case kernels.Open:
		return packParts(node{Op: "open", Slots: k.Slots}, []kernels.Kernel{k.Kernel}, fs)
	case kernels.Formula:
		number, err := fs.Number(k)
		return node{Op: "formula", Name: k.Name, Params: k.Params, Body: k.Body, Args: k.Args, Number: number}, err
	case nil:
		return node{}, fmt.Errorf("a kernel has a part that is nil")
	}
	for _, t := range leaves() {
		if t == reflect.TypeOf(k) {
			n := node{Op: strings.ToLower(t.Name())}
			var err error
			if t.NumField() > 0 {
				n.Leaf, err = Pack(k)
			}
			return n, err
		}
	}
	return node{}, fmt.Errorf("a kernel of type %T stays in the program that defines it; make it a kernels.Func, and it "+
		"can be used everywhere", k)
}

func packParts(n node, parts []kernels.Kernel, fs Functions) (node, error) {
	for _, k := range parts {
		part, err := packKernel(k, fs)
		if err != nil {
			return n, err
		}
		n.Parts = append(n.Parts, part)
	}
	return n, nil
}

func unpackKernel(n node, fs Functions) (kernels.Kernel, error) { return unpackNode(n, fs, 0) }

func unpackNode(n node, fs Functions, depth int) (kernels.Kernel, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a kernel of more than %d parts inside each other", maxDepth)
	}
	parts := make([]kernels.Kernel, len(n.Parts))
	for i, p := range n.Parts {
		var err error
		if parts[i], err = unpackNode(p, fs, depth+1); err != nil {
			return nil, err
		}
	}
	if (n.Op == "scaled" || n.Op == "power" || n.Op == "open") && len(parts) != 1 {
		return nil, fmt.Errorf("a kernel that cannot be read: %s of %d kernels", n.Op, len(parts))
	}
	switch n.Op {
	case "sum":
		return kernels.Sum{Terms: parts}, nil
	case "product":
		return kernels.Product{Factors: parts}, nil
	case "scaled":
		return kernels.Scaled{Scale: n.Scale, Kernel: parts[0]}, nil
	case "power":
		return kernels.Power{Exponent: n.Exponent, Kernel: parts[0]}, nil
	case "open":
		return kernels.Open{Kernel: parts[0], Slots: n.Slots}, nil
	case "formula":
		return fs.Formula(kernels.Formula{Name: n.Name, Params: n.Params, Body: n.Body, Args: n.Args}, n.Number)
	}
	for _, t := range leaves() {
		if strings.ToLower(t.Name()) != n.Op {
			continue
		}
		k := reflect.New(t)
		if n.Leaf != nil {
			if err := Unpack(n.Leaf, k.Interface()); err != nil {
				return nil, err
			}
		}
		return k.Elem().Interface().(kernels.Kernel), nil
	}
	return nil, fmt.Errorf("the kernel %q is not known to this version", n.Op)
}

// term is a kernels.Term as data; no parts mean the constant 1.
type term struct {
	Scale     float64
	Task, Arm []node
}

// jointKernel is a kernels.Joint as data.
type jointKernel struct {
	Terms  []term
	Fitted []string
}

func packJoint(j kernels.Joint, fs Functions) (jointKernel, error) {
	terms := make([]term, len(j.Terms))
	for i, t := range j.Terms {
		terms[i].Scale = t.Scale
		for _, side := range []struct {
			k  kernels.Kernel
			to *[]node
		}{{t.Task, &terms[i].Task}, {t.Arm, &terms[i].Arm}} {
			if side.k == nil {
				continue
			}
			n, err := packKernel(side.k, fs)
			if err != nil {
				return jointKernel{}, err
			}
			*side.to = []node{n}
		}
	}
	return jointKernel{terms, j.Fitted}, nil
}

func unpackJoint(w jointKernel, fs Functions) (kernels.Joint, error) {
	j := kernels.Joint{Fitted: w.Fitted}
	for _, t := range w.Terms {
		made := kernels.Term{Scale: t.Scale}
		for _, side := range []struct {
			from []node
			to   *kernels.Kernel
		}{{t.Task, &made.Task}, {t.Arm, &made.Arm}} {
			for _, n := range side.from {
				var err error
				if *side.to, err = unpackKernel(n, fs); err != nil {
					return kernels.Joint{}, err
				}
			}
		}
		j.Terms = append(j.Terms, made)
	}
	return j, nil
}
