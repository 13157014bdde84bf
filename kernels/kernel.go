package kernels

// Kernel is a positive-definite function of two points of one space: the tasks,
// or the arms. Implementations are plain structs whose fields are the parameters;
// a kernel prints as the expression of the script language that makes it.
type Kernel interface {
	// Eval returns k(x, y), one pair: the plain form that Row is tested against.
	Eval(x, y Point) float64
	// Row sets dst[j] = k(x, ys[from+j]) for every j < len(dst).
	Row(dst []float64, x Point, ys *Points, from int)
	// Validate reports parameters outside their range, and dimensions (≥ 0, the
	// number of feature columns) in which the kernel is not positive-definite.
	Validate(dim int) error
	// String prints the kernel as an expression that re-parses to an equal kernel.
	String() string
}

// Point is one point of a space. X has one value per feature column; Name and ID
// say which point it is, for kernels that go by identity and not by features.
type Point struct {
	X    []float64
	Name string
	ID   int
}

// Points is a finite list of points of one space. Features are stored one
// contiguous array per column, which is what makes Row fast.
type Points struct {
	Columns []string    // d column names
	Names   []string    // n names; equal names mean the same point (an arm offered to several tasks)
	ID      []int       // n numbers; equal for equal names
	X       [][]float64 // d columns of n values each
}
