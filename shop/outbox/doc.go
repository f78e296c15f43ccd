// Package outbox stores the events of a shop in the transactions that caused them, so that
// consumers such as the search of orders receive each event once and in the order of the commits.
// It depends on neither orders nor products.
package outbox
