// Package gatewayb is the adapter of gateway_b, which speaks the protocol of bKash's tokenized
// checkout (Bangladesh), version 1.2.0-beta, with refunds of version 2. A payment is created, the
// buyer approves it on bKash's page, and executing it moves the money.
//
// bKash documents the protocol at developer.bka.sh. Its WooCommerce plugin,
// github.com/bKash-developer/bKash-for-woocommerce, uses it.
//
// The package must not depend on orders or the database. Its only state is the access token, saved
// as the plugin's state, because bKash blocks merchants that request tokens too often.
package gatewayb
