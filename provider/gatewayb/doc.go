// Package gatewayb speaks the protocol of the provider in the slot gateway_b, a tokenized checkout:
// a payment is created, the buyer agrees on the provider's page, and executing it moves the money.
//
// It knows nothing of orders. All that it keeps is the access token, in the shop's memory, because
// the provider blocks whoever asks for tokens too often.
package gatewayb
