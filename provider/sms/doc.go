// Package sms sends text messages through any gateway with an HTTP API of one request per message.
// The differences between gateways are data, a [Config]; no gateway has code of its own.
//
// The package implements [sender.SMS]. It must not depend on sign-in codes, budgets or customers.
package sms

import "storefront/shop/sender"

var _ sender.SMS = (*Sender)(nil)
