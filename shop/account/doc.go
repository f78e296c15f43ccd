// Package account owns the customers' accounts of a shop: registration, sign-in by password and by
// a code sent to a phone, access tokens, profiles with addresses, and the throttles that limit
// guessing. It sends codes and notices through package sender.
//
// Use cases are methods of [Accounts]. Orders and coupons use [Identity], [Account] and
// [Accounts.ClientThrottle]. The package must not depend on package shop, on orders or on the
// catalogue; the shop notifies its orders of a verified phone through [Config].
package account
