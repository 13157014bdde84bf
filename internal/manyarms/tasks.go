package manyarms

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
)

// Tasks describes a problem of many tasks that have the same options.
type Tasks struct {
	Tasks, Options int
	// Smooth problems have the function of Problem: the feature of a task is in [0, 1], and options have four features.
	// Others have names alone: an expected reward is the sum of a part of the option, a level of the task and a part of
	// the option in the task, with the variances of NamesKernel.
	Smooth bool
	Rows   int // measurements of each option; 0 means a table of expected rewards
}

// NamesKernel is the kernel of problems without features, in the syntax of scripts; their noise is NamesNoise.
const (
	NamesKernel = "arm(identity()) + 2*task(identity()) + 0.3*identity()"
	NamesNoise  = 1
)

// Write writes the table as CSV. Its columns are task, z_1, arm, x_1 … x_4 and mean, without z_1 and x_1 … if there are
// names alone. The last column is reward if the table has measurements.
func (t Tasks) Write(to io.Writer) error {
	w := bufio.NewWriter(to)
	value := "mean"
	if t.Rows > 0 {
		value = "reward"
	}
	f, noise := newFunction(), NamesNoise*1.0
	rng := rand.New(rand.NewPCG(seed, 7))
	common, points := make([]float64, t.Options), make([][features]float64, t.Options)
	for x := range t.Options {
		common[x] = rng.NormFloat64()
		for j := range features {
			points[x][j] = digits(rng.Float64())
		}
	}
	if t.Smooth {
		noise = Noise
		fmt.Fprintln(w, "task,arm,x_1,x_2,x_3,x_4,z_1,"+value)
	} else {
		fmt.Fprintln(w, "task,arm,"+value)
	}
	for v := range t.Tasks {
		z, level := digits((float64(v)+0.5)/float64(t.Tasks)), 1.4*rng.NormFloat64()
		for x := range t.Options {
			name, mean := fmt.Sprintf("t%d,a%d", v+1, x+1), level+common[x]+0.55*rng.NormFloat64()
			if t.Smooth {
				point := [inputs]float64{z - middle}
				for j, p := range points[x] {
					name += fmt.Sprintf(",%.5f", p)
					point[j+1] = p - middle
				}
				name += fmt.Sprintf(",%.5f", z)
				mean = f.at(point)
			}
			if t.Rows == 0 {
				fmt.Fprintf(w, "%s,%v\n", name, mean)
			}
			for range t.Rows {
				fmt.Fprintf(w, "%s,%.4f\n", name, mean+noise*rng.NormFloat64())
			}
		}
	}
	return w.Flush()
}

// WriteGrid writes noisy measurements of a function of Problem at points of a grid as CSV with the columns x_1 … and reward.
// Axis j of the grid has levels[j] values, and each value is in the table if rows ≥ levels[j].
func WriteGrid(to io.Writer, levels []int, rows int) error {
	w := bufio.NewWriter(to)
	for j := range levels {
		fmt.Fprintf(w, "x_%d,", j+1)
	}
	fmt.Fprintln(w, "reward")
	f, rng := newFunction(), rand.New(rand.NewPCG(seed, 9))
	order := make([][]int, len(levels))
	for j, n := range levels {
		order[j] = rng.Perm(n)
	}
	for i := range rows {
		var point [inputs]float64
		for j, n := range levels {
			if i > 0 && i%n == 0 {
				order[j] = rng.Perm(n)
			}
			x := digits(float64(order[j][i%n]) / float64(n-1))
			fmt.Fprintf(w, "%.5f,", x)
			point[j+1] = x - middle
		}
		fmt.Fprintf(w, "%.4f\n", f.at(point)+Noise*rng.NormFloat64())
	}
	return w.Flush()
}
