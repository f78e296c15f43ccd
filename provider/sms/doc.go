// Package sms sends text messages through any gateway that is asked by one HTTP request. What
// differs between gateways is data, a [Config]; there is no code for any of them.
//
// It knows nothing of codes, budgets or customers: it is the shop's [shop.SMS].
package sms

import "storefront/shop"

var (
	_ shop.SMS = (*Sender)(nil)
	_ shop.SMS = (*LogSender)(nil)
)
