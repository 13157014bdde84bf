// Benchscale writes the tables of problems of growing size.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

func main() {
	folder := flag.String("tables", "", "write the tables of the problems into this folder")
	flag.Parse()
	if err := tables(*folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sizes are the numbers of arms of all five tasks together.
var sizes = []int{60, 250, 500, 1000, 3000, 10000, 30000, 100000}

// tables writes the table of each size.
func tables(folder string) error {
	for _, n := range sizes {
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%d.csv", n)))
		if err != nil {
			return err
		}
		if err := manyarms.Write(f, n); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
