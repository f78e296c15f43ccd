// Package courierb is the adapter of courier_b, which speaks the protocol of Steadfast Courier
// (Bangladesh, also Packzy): it authenticates and reads the courier's webhooks, and books and
// tracks shipments through its API.
//
// Steadfast documents its webhooks on the webhook page of its merchant panel and its API in a guide
// for merchants. Its Laravel package, github.com/steadfast-it/SteadFast-Courier-Laravel-Package,
// uses both.
//
// The package translates between the courier and package shop. It must not depend on orders,
// tenants or the database.
package courierb
