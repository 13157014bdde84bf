// Package exchangetest holds what every cluster.Exchange must do, as tests.
package exchangetest
