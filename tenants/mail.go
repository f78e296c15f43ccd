package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"storefront/provider/mail"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/sender"
)

// newMail returns the sender of a shop's e-mails. It implements sender.NewMail.
func (t *Tenants) newMail(config []byte, shopName string) (sender.Mailer, error) {
	switch {
	case t.inbox != nil:
		return t.inbox.Mail(), nil
	case config == nil:
		return nil, sender.ErrMailNotConfigured
	}
	sender, err := mail.New(config, shopName, t.mail)
	if err != nil {
		return nil, err
	}
	return sender, nil
}

// MailConfig returns the configuration of a mail server with these settings, for
// shop.ConfigureMail. The error lists the invalid ones.
func MailConfig(settings map[string]string) ([]byte, error) { return mail.FromPairs(settings) }

// Types of a mail configuration.
type (
	MailSettings = mail.Config
	MailSecurity = mail.Security
	MailSecret   = mail.Secret
)

// ConfigureMail sets a shop's mail server and returns its configuration without the password; nil
// removes it. Codes: validation_failed, unauthenticated, forbidden, proof_required.
func ConfigureMail(ctx context.Context, s *shop.Shop, caller access.Caller, in *MailSettings) (*MailStatus, error) {
	var config []byte
	if in != nil {
		var err error
		if config, err = json.Marshal(in); err != nil {
			return nil, fmt.Errorf("encode mail configuration: %w", err)
		}
	}
	if err := s.Sender.ConfigureMail(ctx, caller, config); err != nil {
		return nil, err
	}
	return readMailStatus(ctx, s, config)
}

// MailStatus is a shop's mail configuration without its password.
type MailStatus struct {
	Configured bool          `json:"configured"`
	Config     *MailSettings `json:"config"` // null if it is not configured, or inherited
	// Inherited means that e-mails are sent by the server of the operator.
	Inherited bool `json:"inherited" doc:"E-mails are sent by the mail server of the operator of the server"`
	Locked    bool `json:"locked" doc:"The operator allows no other mail server"`
	// HasDefault means that the operator's is used where the shop has none.
	HasDefault bool `json:"hasDefault" doc:"The operator of the server has one for shops without their own"`
	// whether e-mails are accepted, as of the last one
	Connection shop.Connection `json:"connection"`
}

// ReadMailStatus returns the shop's mail configuration. Codes: unauthenticated, forbidden.
func ReadMailStatus(ctx context.Context, s *shop.Shop, caller access.Caller) (*MailStatus, error) {
	config, err := s.Sender.MailConfig(ctx, caller)
	if errors.Is(err, sender.ErrMailNotConfigured) {
		return readMailStatus(ctx, s, nil)
	}
	if err != nil {
		return nil, err
	}
	status, err := readMailStatus(ctx, s, config)
	if err != nil {
		return nil, err
	}
	status.Connection, err = s.FindConnection(ctx, caller, access.ToMailConfig, "mail")
	return status, err
}

// readMailStatus returns a mail configuration from its stored form, nil if there is none.
func readMailStatus(ctx context.Context, s *shop.Shop, config []byte) (*MailStatus, error) {
	has, locked, err := s.Sender.InheritsMail(ctx)
	if err != nil {
		return nil, err
	}
	isInherited := has && (locked || config == nil)
	if isInherited || config == nil {
		return &MailStatus{
			Connection: shop.Connection{State: shop.ConnectionUnchecked}, Configured: isInherited, Inherited: isInherited, Locked: locked, HasDefault: has,
		}, nil
	}
	cfg, err := mail.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	cfg = cfg.Redacted()
	return &MailStatus{Connection: shop.Connection{State: shop.ConnectionUnchecked}, Configured: true, Config: &cfg, HasDefault: has}, nil
}
