// Package outbox stores what happened in a shop, in the transactions that caused it, so that
// consumers such as the search of orders receive each event once and in the order of the commits.
// It knows neither orders nor products.
package outbox
