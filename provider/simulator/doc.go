// Package simulator simulates the couriers, gateways and advertisers for development on one machine
// and for tests. It implements their protocols over HTTP, so the adapters need no special case,
// serves a payment page for buyers, and can be switched to many kinds of failure, see [Fault].
//
// Its state is in memory, and it moves no money. It must listen on loopback only.
package simulator
