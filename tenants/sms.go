package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"storefront/provider/sms"
	"storefront/shop"
)

// newSMS makes the sender of a shop; it implements shop.NewSMS.
func (t *Tenants) newSMS(config []byte) (shop.SMS, error) {
	switch {
	case t.smsLog != nil:
		return t.smsLog, nil
	case config == nil:
		return nil, shop.ErrSMSNotConfigured
	}
	cfg, err := sms.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	sender, err := sms.New(cfg, t.client)
	if err != nil {
		return nil, err
	}
	return sender, nil
}

// SMSPage shows the last text messages that were kept instead of sent, to this machine only. It is
// nil unless they are kept.
func (t *Tenants) SMSPage() http.Handler {
	if t.smsLog == nil {
		return nil
	}
	return t.smsLog.Page()
}

// SMSPreset is a gateway whose configuration is ready but for an account's own data.
type SMSPreset = sms.PresetInfo

// SMSPresets lists the gateways that are known.
func SMSPresets() ([]SMSPreset, error) { return sms.Presets() }

// SMSPresetConfig gives the configuration of a known gateway for an account, as shop.ConfigureSMS takes
// it. The error names what is missing or unknown.
func SMSPresetConfig(name string, params map[string]string) ([]byte, error) {
	cfg, err := sms.Preset(name, params)
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("write SMS configuration: %w", err)
	}
	return config, nil
}

// SMSStatus is how a shop's text messages are sent, without its secrets.
type SMSStatus struct {
	Configured bool        `json:"configured"`
	Config     *sms.Config `json:"config"` // null: not configured
}

// ReadSMSStatus tells how the shop's text messages are sent.
func ReadSMSStatus(ctx context.Context, s *shop.Shop) (*SMSStatus, error) {
	config, err := s.SMSConfig(ctx)
	if errors.Is(err, shop.ErrSMSNotConfigured) {
		return &SMSStatus{}, nil
	}
	if err != nil {
		return nil, err
	}
	cfg, err := sms.ParseConfig(config)
	if err != nil {
		return nil, err
	}
	cfg = cfg.Redacted()
	return &SMSStatus{Configured: true, Config: &cfg}, nil
}
