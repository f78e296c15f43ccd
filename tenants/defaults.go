package tenants

import (
	"context"
	"encoding/json"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// ServerDefaults are the defaults of the installation as operators see them. The configurations are
// without secrets.
type ServerDefaults struct {
	shop.Defaults
	SMS  *SMSConfig    `json:"sms" doc:"Gateway of text messages; null means none. Only the names of its secrets are returned"`
	Mail *MailSettings `json:"mail" doc:"Mail server, without its password; null means none"`
}

// installationIfAny returns the installation; nil if there is none. It implements
// shop.Config.Installation.
func (t *Tenants) installationIfAny(ctx context.Context) (*shop.Shop, error) {
	s, err := t.Installation(ctx)
	if fault.HasCode(err, fault.CodeNotFound) {
		return nil, nil
	}
	return s, err
}

// shopDefaults returns the defaults that shops receive; nil if there are none, or if they cannot be
// read: then the background work sets them later.
func (t *Tenants) shopDefaults(ctx context.Context) *shop.Defaults {
	s, err := t.installationIfAny(ctx)
	var d *shop.Defaults
	if err == nil && s != nil {
		d, err = s.DefaultsForShops(ctx)
	}
	if err != nil {
		t.log.Warn("defaults of the installation not read", "error", err)
	}
	return d
}

// FindDefaults returns the defaults of the installation. Codes: not_found (the server has no
// installation), unauthenticated, forbidden.
func (t *Tenants) FindDefaults(ctx context.Context, caller access.Caller) (*ServerDefaults, error) {
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.FindDefaults(ctx, caller)
	if err != nil {
		return nil, err
	}
	return serverDefaults(ctx, s, caller, d)
}

func serverDefaults(ctx context.Context, s *shop.Shop, caller access.Caller, d *shop.Defaults) (*ServerDefaults, error) {
	found := &ServerDefaults{Defaults: *d}
	if d.SMS {
		config, err := s.Sender.SMSConfig(ctx, caller)
		if err != nil {
			return nil, err
		}
		status, err := readSMSStatus(ctx, s, config)
		if err != nil {
			return nil, err
		}
		found.SMS = status.Config
	}
	if d.Mail {
		config, err := s.Sender.MailConfig(ctx, caller)
		if err != nil {
			return nil, err
		}
		status, err := readMailStatus(ctx, s, config)
		if err != nil {
			return nil, err
		}
		found.Mail = status.Config
	}
	return found, nil
}

// SetDefaults changes parts of the defaults; see [shop.Shop.SetDefaults]. The background work of
// the server sets them in its shops; see [Tenants.PushCopies].
func (t *Tenants) SetDefaults(ctx context.Context, caller access.Caller, changes map[string]json.RawMessage) (*ServerDefaults, error) {
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.SetDefaults(ctx, caller, changes)
	if err != nil {
		return nil, err
	}
	return serverDefaults(ctx, s, caller, d)
}

// SetDefaultSMS sets the gateway with which shops without their own send text messages; nil removes
// it. Codes: validation_failed, unauthenticated, forbidden, proof_required.
func (t *Tenants) SetDefaultSMS(ctx context.Context, caller access.Caller, in *SMSInput) (*ServerDefaults, error) {
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := configureSMS(ctx, s, caller, in, access.ToSetDefaults); err != nil {
		return nil, err
	}
	return t.FindDefaults(ctx, caller)
}

// SetDefaultMail sets the server by which shops without their own send e-mails; nil removes it.
// Codes: validation_failed, unauthenticated, forbidden, proof_required.
func (t *Tenants) SetDefaultMail(ctx context.Context, caller access.Caller, in *MailSettings) (*ServerDefaults, error) {
	s, err := t.Installation(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := ConfigureMail(ctx, s, caller, in); err != nil {
		return nil, err
	}
	return t.FindDefaults(ctx, caller)
}

// Branding returns the appearance of the dashboard. The zero value is the program's own.
func (t *Tenants) Branding(ctx context.Context) (b shop.Branding, err error) {
	s, err := t.installationIfAny(ctx)
	if err != nil {
		return b, err
	}
	if s == nil {
		return b, nil
	}
	set, err := s.Settings(ctx)
	if err == nil && set.Defaults != nil {
		b = set.Defaults.Branding
	}
	return b, err
}
