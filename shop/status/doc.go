// Package status defines the statuses of orders, their payments, payment attempts, shipments and
// deliveries, with the permitted transitions, the payment methods, and where orders are placed.
//
// It owns these words and tables only. It must not know a shop, an order or a provider.
package status
