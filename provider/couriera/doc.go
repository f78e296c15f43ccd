// Package couriera is the adapter of courier_a, which speaks the protocol of Pathao Courier
// (Bangladesh): it authenticates and reads the courier's webhooks, and books, tracks and prices
// shipments through its Merchant API.
//
// Pathao documents both on the developer and webhook pages of its merchant panel. Its WooCommerce
// plugin, github.com/pathao-eng/courier-woocommerce-plugin, uses them.
//
// The package translates between the courier and package shop. It must not depend on orders,
// tenants or the database.
package couriera
