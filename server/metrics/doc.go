// Package metrics counts events of the process and exports them in Prometheus's text format, on a
// listener that only the operator reaches.
//
// It must not depend on the measured work: callers report events, or register a function that is
// called at each scrape. No label contains a shop, a customer or an address, which would add a
// series for each, except for the ten client addresses with the most security events.
//
// It is written by hand: client_golang would bring several modules for counters and a text format.
package metrics
