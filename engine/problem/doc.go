// Package problem holds problems of collaborative pure exploration: tasks, arms, the kernel
// between them, the noise model, and, in a simulation, the expected rewards.
//
// A Problem comes from a table (Load), from Go (New), or from the families of the paper
// (PaperCase, PaperFamily, Classic). It is checked as a whole; an error names the place.
package problem
