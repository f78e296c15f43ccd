package tenants

import (
	"context"
	"errors"

	"storefront/provider/mail"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
)

// newMail returns the sender of a shop's e-mails. It implements account.NewMail.
func (t *Tenants) newMail(config []byte, shopName string) (account.Mailer, error) {
	switch {
	case t.inbox != nil:
		return t.inbox.Mail(), nil
	case config == nil:
		return nil, account.ErrMailNotConfigured
	}
	sender, err := mail.New(config, shopName, t.mail)
	if err != nil {
		return nil, err
	}
	return sender, nil
}

// MailConfig returns the configuration of a mail server with these settings, for
// shop.ConfigureMail. The error names the invalid ones.
func MailConfig(settings map[string]string) ([]byte, error) { return mail.FromPairs(settings) }

// MailStatus is a shop's mail configuration without its password.
type MailStatus struct {
	Configured bool         `json:"configured"`
	Config     *mail.Config `json:"config"` // null: not configured
}

// ReadMailStatus returns the shop's mail configuration.
func ReadMailStatus(ctx context.Context, s *shop.Shop) (*MailStatus, error) {
	config, err := s.Accounts.MailConfig(ctx, access.Operator())
	if errors.Is(err, account.ErrMailNotConfigured) {
		return &MailStatus{}, nil
	}
	if err != nil {
		return nil, err
	}
	cfg, err := mail.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	cfg = cfg.Redacted()
	return &MailStatus{Configured: true, Config: &cfg}, nil
}
