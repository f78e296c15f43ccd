package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"storefront/provider/sms"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/phone"
)

// newSMS returns the sender of a shop's text messages. It implements account.NewSMS.
func (t *Tenants) newSMS(config []byte, callingCode string) (account.SMS, error) {
	switch {
	case t.inbox != nil:
		return t.inbox.SMS(), nil
	case config == nil:
		return nil, account.ErrSMSNotConfigured
	}
	cfg, err := sms.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	sender, err := sms.New(cfg, t.client, callingCode)
	if err != nil {
		return nil, err
	}
	return sender, nil
}

// MessagesPage returns a page of the last logged text messages and e-mails, which only this machine
// can open. It returns nil unless Config.LogMessages is set.
func (t *Tenants) MessagesPage() http.Handler {
	if t.inbox == nil {
		return nil
	}
	return t.inbox.Page()
}

// SMSPreset describes a gateway whose configuration is complete except for the account's own data.
type SMSPreset = sms.PresetInfo

// SMSPresets returns the presets.
func SMSPresets() ([]SMSPreset, error) { return sms.Presets() }

// SMSPresetConfig returns the configuration of a preset with an account's parameters, for
// shop.ConfigureSMS. callingCodes replaces the preset's own unless it is empty. The error names the
// missing or unknown parameter.
func SMSPresetConfig(name string, params map[string]string, callingCodes []string) ([]byte, error) {
	cfg, err := sms.Preset(name, params)
	if err != nil {
		return nil, err
	}
	if len(callingCodes) > 0 {
		cfg.CallingCodes = callingCodes
	}
	config, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("encode SMS configuration: %w", err)
	}
	return config, nil
}

// SMSStatus is a shop's SMS configuration without its secrets.
type SMSStatus struct {
	Configured bool        `json:"configured"`
	Config     *sms.Config `json:"config"` // null: not configured
}

// ReadSMSStatus returns the shop's SMS configuration.
func ReadSMSStatus(ctx context.Context, s *shop.Shop) (*SMSStatus, error) {
	config, err := s.Accounts.SMSConfig(ctx, access.Operator())
	if errors.Is(err, account.ErrSMSNotConfigured) {
		return &SMSStatus{}, nil
	}
	if err != nil {
		return nil, err
	}
	cfg, err := sms.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	callingCode, _ := phone.CallingCode(set.Country)
	cfg = cfg.WithDefaults(callingCode).Redacted()
	return &SMSStatus{Configured: true, Config: &cfg}, nil
}
