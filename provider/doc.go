// Package provider holds the shared parts of the adapters of couriers, gateways and SMS services:
// the one HTTP client for outgoing calls, tolerant parsing of providers' JSON, and [LocalOnly],
// which restricts development pages to this machine.
//
// It contains no vendor's protocol and must not use the database or the shop's use cases. Each
// vendor's protocol is in a package below this one.
package provider
