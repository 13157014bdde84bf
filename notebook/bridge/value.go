package bridge

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Value is a value of the script language as bytes. Data is encoded separately, so that an unknown Kind can be reported
// without losing the connection.
type Value struct {
	Kind string // name of a kind, see below
	Data []byte
	Zero []bool // result of zeros
}

// These are the kinds that do not have exactly one Go type. packedKinds lists further kinds that gob cannot send
// unchanged.
const (
	kindList   = "list"
	kindKernel = "kernel"
	kindReward = "reward function"
)

// packedKind is a kind that gob cannot send unchanged. Its values are converted to another type for sending.
type packedKind struct {
	kind   string
	of     reflect.Type
	encode func(v any, fs Functions) (Value, error)
	decode func(v Value, fs Functions) (any, error)
}

func packedKinds() []packedKind {
	return []packedKind{
		packed(kindKernel, packKernel, unpackKernel), packed("joint kernel", packJoint, unpackJoint),
		packed("problem", packProblem, unpackProblem), packed("sweep", packSweep, unpackSweep),
		packed("fit", packFit, unpackFit), packed("protocol", packProtocol, unpackProtocol),
	}
}

func packed[T, W, U any](kind string, pack func(T, Functions) (W, error), unpack func(W, Functions) (U, error)) packedKind {
	return packedKind{kind, reflect.TypeFor[T](), func(v any, fs Functions) (Value, error) {
		return encodeAs(kind, v.(T), fs, pack)
	}, func(v Value, fs Functions) (_ any, err error) {
		defer try.Caught(&err)
		var wire W
		try.To(Unpack(v.Data, &wire))
		out := try.Of(unpack(wire, fs))
		return out, nil
	}}
}

// plainKinds returns the kinds that gob sends unchanged: numbers, texts, and the kinds of package kinds except
// packedKinds.
var plainKinds = sync.OnceValue(func() map[string]reflect.Type {
	plain := map[string]reflect.Type{
		"number":  reflect.TypeFor[float64](),
		"text":    reflect.TypeFor[string](),
		"numbers": reflect.TypeFor[[]float64](),
		"texts":   reflect.TypeFor[[]string](),
		"matrix":  reflect.TypeFor[[][]float64](),
	}
	for _, k := range kinds.Names() { // gob can send the numbers and texts in these values
		plain[k.Name] = k.Type
	}
	return plain
})

// Functions converts the functions in a value. Encoding replaces each formula by a number, and decoding converts the
// number to a formula again.
type Functions struct {
	Number func(kernels.Formula) (uint64, error)
	// f has name, parameters and text, but cannot be evaluated
	Formula func(f kernels.Formula, number uint64) (kernels.Formula, error)
	Reward  func() (sim.RewardFunc, error)
	// returns an algorithm of a cell with New set
	Algorithm func(algorithms.Entry) (algorithms.Entry, error)
}

// Encode encodes a number, text, list, kernels.Kernel, kernels.Joint, *problem.Problem, sim.RewardFunc, algorithms.Entry,
// or another value of package kinds. It also accepts pointers to them. It returns an error for any other type.
func Encode(v any, fs Functions) (Value, error) {
	switch v := v.(type) {
	case nil:
		return Value{}, fmt.Errorf("the value is nil")
	case sim.RewardFunc:
		if v == nil {
			return Value{}, errNilFunction
		}
		return Value{Kind: kindReward}, nil
	case algorithms.Entry:
		if v.New == nil {
			return Value{}, fmt.Errorf("set New of the algorithm, the function that makes it for a model")
		}
		data, err := Pack(packEntry(v))
		return Value{Kind: kindAlgorithm, Data: data}, err
	}
	for _, k := range packedKinds() {
		if reflect.TypeOf(v) == k.of {
			return k.encode(v, fs)
		}
	}
	for kind, t := range plainKinds() {
		if reflect.TypeOf(v) == t {
			data, err := Pack(v)
			return Value{kind, data, zeros(v)}, err
		}
	}
	return encodeOther(v, fs)
}

// encodeOther encodes pointers and Go's further types of numbers, strings and slices.
func encodeOther(v any, fs Functions) (Value, error) {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return Value{}, fmt.Errorf("the value is nil")
		}
		return Encode(r.Elem().Interface(), fs)
	}
	if k, ok := v.(kernels.Kernel); ok {
		return encodeAs(kindKernel, k, fs, packKernel)
	}
	switch {
	case r.CanInt():
		return Encode(float64(r.Int()), fs)
	case r.CanUint():
		return Encode(float64(r.Uint()), fs)
	case r.CanFloat():
		return Encode(r.Float(), fs)
	case r.Kind() == reflect.String:
		return Encode(r.String(), fs)
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		return encodeAs(kindList, r, fs, packList)
	}
	return Value{}, fmt.Errorf("a %s cannot be used in a script. Use a number, text, list, kernel, problem, result, sweep or algorithm, or "+
		"func(x, y []float64) float64 as a kernel", r.Type())
}

func packList(r reflect.Value, fs Functions) ([]Value, error) {
	return lists.Try(r.Len(), func(i int) (v Value, err error) {
		if v, err = Encode(r.Index(i).Interface(), fs); err != nil {
			err = fmt.Errorf("element %d: %w", i, err)
		}
		return v, err
	})
}

func encodeAs[T, W any](kind string, v T, fs Functions, pack func(T, Functions) (W, error)) (Value, error) {
	wire, err := pack(v, fs)
	if err != nil {
		return Value{}, err
	}
	data, err := Pack(wire)
	return Value{Kind: kind, Data: data}, err
}

// Decode decodes a Value. A list becomes a []any.
func Decode(v Value, fs Functions) (_ any, err error) {
	defer try.Caught(&err)
	switch v.Kind {
	case kindList:
		return decodeList(v, fs)
	case kindReward:
		if fs.Reward == nil {
			return nil, fmt.Errorf("a reward function cannot leave the kernel that made it; it can be used in %%%%cope cells")
		}
		return fs.Reward()
	case kindAlgorithm:
		if fs.Algorithm == nil {
			return nil, fmt.Errorf("an algorithm cannot leave the kernel that made it; it can be used in %%%%cope cells")
		}
		var e packedEntry
		try.To(Unpack(v.Data, &e))
		return fs.Algorithm(e.unpack())
	}
	if k, there := lists.First(packedKinds(), func(k packedKind) bool { return k.kind == v.Kind }); there {
		return k.decode(v, fs)
	}
	t, known := plainKinds()[v.Kind]
	if !known {
		return nil, fmt.Errorf("a %s cannot be read from another process", v.Kind)
	}
	target := reflect.New(t)
	try.To(Unpack(v.Data, target.Interface()))
	try.To(setZeros(target.Interface(), v.Zero))
	return target.Elem().Interface(), nil
}

func decodeList(v Value, fs Functions) (any, error) {
	var list []Value
	if err := Unpack(v.Data, &list); err != nil {
		return nil, err
	}
	out := make([]any, len(list))
	for i, e := range list {
		// an inner list must be smaller, which limits the nesting
		if e.Kind == kindList && len(e.Data) >= len(v.Data) {
			return nil, fmt.Errorf("the list cannot be decoded")
		}
		var err error
		if out[i], err = Decode(e, fs); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return out, nil
}

// node is the encoded form of a kernel: a sum, product, multiple or power of other kernels, a formula, or a kernel of the
// catalogue with its parameters.
type node struct {
	// "sum", "product", "scaled", "power", "open", "formula", or the lower-case name of a type in leaves
	Op       string
	Parts    []node
	Scale    float64
	Exponent int

	Name, Params, Body string // for a formula
	Args               []kernels.Arg
	Number             uint64 // number of the formula, see Functions

	Leaf  []byte         // parameters of a kernel of the catalogue; nil if it has no parameters
	Slots []kernels.Slot // for an open kernel
}

// leaves returns the types of the catalogue's kernels and of the free hyperparameter.
func leaves() []reflect.Type {
	return append(lists.Map(kernels.Catalogue(), func(e kernels.Entry) reflect.Type { return e.Type }), reflect.TypeFor[kernels.Free]())
}

// maxDepth limits the nesting of a kernel's parts.
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
	return node{}, fmt.Errorf("a kernel of type %T cannot leave the program that defines it. Make it a kernels.Func to use it everywhere", k)
}

func packParts(n node, parts []kernels.Kernel, fs Functions) (_ node, err error) {
	n.Parts, err = lists.Try(len(parts), func(i int) (node, error) { return packKernel(parts[i], fs) })
	return n, err
}

func unpackKernel(n node, fs Functions) (kernels.Kernel, error) { return unpackNode(n, fs, 0) }

func unpackNode(n node, fs Functions, depth int) (_ kernels.Kernel, err error) {
	defer try.Caught(&err)
	if depth > maxDepth {
		return nil, fmt.Errorf("the kernel cannot be sent: it has more than %d nested parts", maxDepth)
	}
	parts := try.Of(lists.Try(len(n.Parts), func(i int) (kernels.Kernel, error) { return unpackNode(n.Parts[i], fs, depth+1) }))
	if (n.Op == "scaled" || n.Op == "power" || n.Op == "open") && len(parts) != 1 {
		return nil, fmt.Errorf("the kernel cannot be decoded: it is a %s of %d kernels", n.Op, len(parts))
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
			try.To(Unpack(n.Leaf, k.Interface()))
		}
		return k.Elem().Interface().(kernels.Kernel), nil
	}
	return nil, fmt.Errorf("this version does not have the kernel %q", n.Op)
}

// term is the encoded form of a kernels.Term. Task and Arm have one element, or none for the constant kernel 1.
type term struct {
	Scale     float64
	Task, Arm []node
}

// jointKernel is the encoded form of a kernels.Joint.
type jointKernel struct {
	Terms  []term
	Fitted []string
}

func packJoint(j kernels.Joint, fs Functions) (jointKernel, error) {
	terms, err := lists.Try(len(j.Terms), func(i int) (term, error) {
		task, err := packSide(j.Terms[i].Task, fs)
		if err != nil {
			return term{}, err
		}
		arm, err := packSide(j.Terms[i].Arm, fs)
		return term{j.Terms[i].Scale, task, arm}, err
	})
	return jointKernel{terms, j.Fitted}, err
}

func packSide(k kernels.Kernel, fs Functions) ([]node, error) {
	if k == nil {
		return nil, nil
	}
	n, err := packKernel(k, fs)
	return []node{n}, err
}

func unpackJoint(w jointKernel, fs Functions) (kernels.Joint, error) {
	terms, err := lists.Try(len(w.Terms), func(i int) (kernels.Term, error) {
		task, err := unpackSide(w.Terms[i].Task, fs)
		if err != nil {
			return kernels.Term{}, err
		}
		arm, err := unpackSide(w.Terms[i].Arm, fs)
		return kernels.Term{Scale: w.Terms[i].Scale, Task: task, Arm: arm}, err
	})
	return kernels.Joint{Terms: terms, Fitted: w.Fitted}, err
}

func unpackSide(side []node, fs Functions) (kernels.Kernel, error) {
	if len(side) == 0 {
		return nil, nil
	}
	return unpackKernel(side[0], fs)
}
