// Package gatewaya is the adapter of gateway_a, which speaks the protocol of SSLCommerz
// (Bangladesh). A payment is a session on the gateway's page. The gateway reports its end by a
// signed webhook (IPN), but only its validation API proves the payment. Refunds go through its
// transaction API.
//
// SSLCommerz documents the protocol, version 4, at developer.sslcommerz.com/doc/v4. Its PHP
// library, github.com/sslcommerz/SSLCommerz-PHP, uses it.
//
// The package is stateless and must not depend on orders or the database. The protocol requires the
// store's password in query strings, so errors must never contain a query.
package gatewaya
