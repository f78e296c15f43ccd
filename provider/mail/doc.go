// Package mail sends e-mails through a shop's mail server, by SMTP over TLS.
//
// The package implements [account.Mailer]. It must not depend on codes, budgets or customers.
package mail

import "storefront/shop/account"

var _ account.Mailer = (*Sender)(nil)
