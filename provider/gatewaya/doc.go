// Package gatewaya speaks the protocol of the provider in the slot gateway_a: a session at the
// gateway, its signed notices (IPN), and the validation call that alone proves a payment.
//
// It knows nothing of orders and keeps nothing. The store's password travels in addresses here, as
// the protocol wants it: errors never show a query.
package gatewaya
