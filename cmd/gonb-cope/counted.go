package main

import "fmt"

// counted returns a number of things in words: "1 task", "3 tasks".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
