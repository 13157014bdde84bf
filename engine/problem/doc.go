// Package problem holds problems of collaborative pure exploration: tasks, arms, the kernel
// between them, the noise model, and, in a simulation, the expected rewards.
//
// A Problem has V tasks and N arms in all, in task order; slices over arms have length N. It comes
// from a table (Load, whose comment has the format), from Go (New), or from the families of the
// paper (PaperCase, PaperFamily, Classic). Rewards, noise and ε are in the units of the data;
// higher is better unless Goal is GoalMin. An error of a table names file, line and column.
package problem
