// Package plugin is the contract between a shop and its providers, which are couriers and payment
// gateways: the interfaces that an adapter implements, the requests and results that they exchange,
// and the declared settings of a provider in each mode.
//
// It must not depend on orders, a shop's data or a vendor's protocol.
package plugin
