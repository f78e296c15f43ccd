// Package metrics counts what the program does and tells it in Prometheus's text format, on a
// listener that only the operator reaches.
//
// It knows how to count and nothing of how the work is done: others tell it what happened, or give
// it a function that is asked at each scrape. No label names a shop, a customer or an address: there
// would be as many series as there are shops.
package metrics
