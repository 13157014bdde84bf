package formula

// binary is an operator between two nodes: + - * / ^, a comparison, "min" or "max".
type binary struct {
	operator string
	a, b     node
}

// operation returns the node of an operator; a square has a separate node.
func operation(operator string, a, b node) node {
	if operator == "^" && b == node(constant(2)) {
		return apply("square", a)
	}
	return fold(&binary{operator, a, b}, a, b)
}

func (n *binary) uniform() bool { return n.a.uniform() && n.b.uniform() }

func (n *binary) one(f *frame) float64 { return n.value(n.a.one(f), n.b.one(f)) }

func (n *binary) value(a, b float64) float64 {
	if n.operator == "min" || n.operator == "max" {
		return accumulate(n.operator, a, b)
	}
	return Operate(n.operator, a, b)
}

func (n *binary) rows(f *frame, dst []float64) []float64 {
	switch {
	case n.a.uniform():
		n.left(dst, n.a.one(f), n.b.rows(f, dst)[:len(dst)])
	case n.b.uniform():
		n.right(dst, n.a.rows(f, dst)[:len(dst)], n.b.one(f))
	default:
		spare := f.buffer()
		n.both(dst, n.a.rows(f, dst)[:len(dst)], n.b.rows(f, spare)[:len(dst)])
		f.give(spare)
	}
	return dst
}

// left sets dst = a operator b with a number a.
func (n *binary) left(dst []float64, a float64, b []float64) {
	switch n.operator {
	case "+":
		for j, v := range b {
			dst[j] = a + v
		}
	case "-":
		for j, v := range b {
			dst[j] = a - v
		}
	case "*":
		for j, v := range b {
			dst[j] = a * v
		}
	case "/":
		for j, v := range b {
			dst[j] = a / v
		}
	default:
		for j, v := range b {
			dst[j] = n.value(a, v)
		}
	}
}

// right sets dst = a operator b with a number b.
func (n *binary) right(dst []float64, a []float64, b float64) {
	switch n.operator {
	case "+", "*":
		n.left(dst, b, a)
	case "-":
		for j, v := range a {
			dst[j] = v - b
		}
	case "/":
		for j, v := range a {
			dst[j] = v / b
		}
	default:
		for j, v := range a {
			dst[j] = n.value(v, b)
		}
	}
}

// both sets dst = a operator b.
func (n *binary) both(dst, a, b []float64) {
	switch n.operator {
	case "+":
		for j := range dst {
			dst[j] = a[j] + b[j]
		}
	case "-":
		for j := range dst {
			dst[j] = a[j] - b[j]
		}
	case "*":
		for j := range dst {
			dst[j] = a[j] * b[j]
		}
	case "/":
		for j := range dst {
			dst[j] = a[j] / b[j]
		}
	default:
		for j := range dst {
			dst[j] = n.value(a[j], b[j])
		}
	}
}
