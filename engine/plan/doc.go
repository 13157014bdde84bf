// Package plan forecasts the needs of a fixed-confidence run before it starts: rounds, samples, communication, cost and calendar time,
// for each method.
//
// A forecast is a simulation. It uses the expected rewards of the problem if they are known. If not, or for other gaps, it uses the least
// favourable configuration that the kernel can represent (see scenario.go): the hardest rewards with that gap.
//
//	problem, Question ─Of─▶ Forecast  one row per method and gap
//
// Samples are pulls per agent and in all. Cost is in the unit of Prices, and calendar time in Prices.TimeUnit.
package plan
