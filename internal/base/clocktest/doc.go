// Package clocktest builds programs for tests whose wall clock can be made to jump while they run.
//
// A program reads the wall clock by time.Now. The package makes a copy of the standard library's time
// package in which time.Now adds an offset to the wall part of its result, and leaves the monotonic part
// as it is: as when somebody sets the clock of the machine. The copy is given to the compiler by
// go build -overlay, so that all of a program, with every library in it, sees the jump. The offset stands
// in a file that the program maps into its memory, named by the variable GONB_COPE_TEST_CLOCK. Each
// process has a file of its own, and the test writes there.
package clocktest
