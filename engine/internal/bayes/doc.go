// Package bayes implements CoBayesFC, which stops by the posterior of a Gaussian process.
package bayes
