// Package provider holds what the adapters of couriers, gateways and SMS services share: the one
// HTTP client for outgoing calls, tolerant parsing of providers' JSON, and [LocalOnly], which
// restricts development pages to this machine.
//
// It contains no vendor's protocol and must not use the database or the shop's use cases. Each
// vendor's protocol is in a package below this one.
package provider
