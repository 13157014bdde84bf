package cluster

import "fmt"

// count returns a number of things in words: "1 round", "3 rounds".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
