// Package mail sends e-mails through a shop's mail server, by SMTP over TLS.
//
// The package implements [sender.Mailer]. It must not depend on codes, budgets or customers.
package mail

import "storefront/shop/sender"

var _ sender.Mailer = (*Sender)(nil)
