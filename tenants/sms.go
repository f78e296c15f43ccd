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
	"storefront/shop/fault"
	"storefront/shop/phone"
	"storefront/shop/sender"
)

// newSMS returns the sender of a shop's text messages. It implements sender.NewSMS.
func (t *Tenants) newSMS(config []byte, callingCode string) (sender.SMS, error) {
	switch {
	case t.inbox != nil:
		return t.inbox.SMS(), nil
	case config == nil:
		return nil, sender.ErrSMSNotConfigured
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

// MessagesPage returns a page of the last logged text messages and e-mails. Only this machine can
// open it. It returns nil unless Config.LogMessages is set.
func (t *Tenants) MessagesPage() http.Handler {
	if t.inbox == nil {
		return nil
	}
	return t.inbox.Page()
}

// SMSPreset describes a gateway with a configuration that is complete except for the account's own
// data.
type SMSPreset = sms.PresetInfo

// SMSPresets returns the presets.
func SMSPresets() ([]SMSPreset, error) { return sms.Presets() }

// SMSPresetConfig returns the configuration of a preset with an account's parameters, for
// shop.ConfigureSMS. callingCodes replaces the preset's own unless it is empty. The error contains
// the missing or unknown parameter.
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

// Types of an SMS configuration.
type (
	SMSConfig       = sms.Config
	SMSAuthKind     = sms.AuthKind
	SMSBodyKind     = sms.BodyKind
	SMSNumberFormat = sms.NumberFormat
)

// SMSInput is an SMS gateway to configure: a preset with an account's parameters, or a whole
// configuration.
type SMSInput struct {
	Preset       string // "" means Config
	Params       map[string]string
	CallingCodes []string // replace the preset's unless it is empty
	Config       *SMSConfig
}

// config returns the configuration in its JSON form. Codes: validation_failed.
func (in *SMSInput) config() ([]byte, error) {
	var bad fault.Invalid
	if (in.Preset == "") == (in.Config == nil) {
		bad.Add("config", fault.CodeInvalidValue, "Either a preset or a configuration must be given.")
	}
	if in.Preset == "" && (len(in.Params) > 0 || len(in.CallingCodes) > 0) {
		bad.Add("params", fault.CodeInvalidValue, "Parameters and calling codes must be given with a preset only.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if in.Preset != "" {
		config, err := SMSPresetConfig(in.Preset, in.Params, in.CallingCodes)
		return config, smsInputError("params.", err)
	}
	config, err := json.Marshal(in.Config)
	if err != nil {
		return nil, fmt.Errorf("encode SMS configuration: %w", err)
	}
	return config, nil
}

// smsInputError returns the faults of a configuration as an error of code validation_failed with
// the fields. It returns other errors unchanged.
func smsInputError(prefix string, err error) error {
	faults, ok := errors.AsType[sms.Faults](err)
	if !ok {
		return err
	}
	var bad fault.Invalid
	for _, f := range faults {
		field := prefix + f.Field
		if f.Field == "preset" {
			field = f.Field
		}
		code := fault.CodeInvalidValue
		if f.Missing {
			code = fault.CodeRequired
		}
		bad.Add(field, code, "%s", fault.Sentence(f.Message))
	}
	return bad.Err()
}

// ConfigureSMS sets a shop's SMS gateway and returns its configuration without secrets; nil removes
// it. Codes: validation_failed, unauthenticated, forbidden, proof_required.
func ConfigureSMS(ctx context.Context, s *shop.Shop, caller access.Caller, in *SMSInput) (*SMSStatus, error) {
	return configureSMS(ctx, s, caller, in, access.ToConfigureSMS)
}

// configureSMS sets the SMS gateway of a shop, or of the installation, by the use case of either.
func configureSMS(ctx context.Context, s *shop.Shop, caller access.Caller, in *SMSInput, use access.UseCase) (*SMSStatus, error) {
	if _, err := s.Staff.Authorize(ctx, caller, use); err != nil {
		return nil, err
	}
	var config []byte
	if in != nil {
		var err error
		if config, err = in.config(); err != nil {
			return nil, err
		}
	}
	if err := s.Sender.ConfigureSMS(ctx, caller, config); err != nil {
		return nil, smsInputError("config.", err)
	}
	return readSMSStatus(ctx, s, config)
}

// ListSMSPresets returns the presets. Codes: unauthenticated, forbidden.
func ListSMSPresets(ctx context.Context, s *shop.Shop, caller access.Caller) ([]SMSPreset, error) {
	if _, err := s.Staff.Authorize(ctx, caller, access.ToSMSConfig); err != nil {
		return nil, err
	}
	return SMSPresets()
}

// ListDefaultSMSPresets is [ListSMSPresets] for operators, in the installation. Codes:
// unauthenticated, forbidden.
func ListDefaultSMSPresets(ctx context.Context, s *shop.Shop, caller access.Caller) ([]SMSPreset, error) {
	if _, err := s.Staff.Authorize(ctx, caller, access.ToFindDefaults); err != nil {
		return nil, err
	}
	return SMSPresets()
}

// SMSStatus is a shop's SMS configuration without its secrets.
type SMSStatus struct {
	Configured bool       `json:"configured"`
	Config     *SMSConfig `json:"config"` // null if it is not configured, or inherited
	// Inherited means that messages are sent with the gateway of the operator of the server.
	Inherited bool `json:"inherited" doc:"Messages are sent with the gateway of the operator of the server"`
	Locked    bool `json:"locked" doc:"The operator allows no other gateway"`
	// HasDefault means that the operator's is used where the shop has none.
	HasDefault bool `json:"hasDefault" doc:"The operator of the server has one for shops without their own"`
	// whether messages are accepted, as of the last one
	Connection shop.Connection `json:"connection"`
}

// ReadSMSStatus returns the shop's SMS configuration. Codes: unauthenticated, forbidden.
func ReadSMSStatus(ctx context.Context, s *shop.Shop, caller access.Caller) (*SMSStatus, error) {
	config, err := s.Sender.SMSConfig(ctx, caller)
	if errors.Is(err, sender.ErrSMSNotConfigured) {
		return readSMSStatus(ctx, s, nil)
	}
	if err != nil {
		return nil, err
	}
	status, err := readSMSStatus(ctx, s, config)
	if err != nil {
		return nil, err
	}
	status.Connection, err = s.FindConnection(ctx, caller, access.ToSMSConfig, "sms")
	return status, err
}

// readSMSStatus returns a shop's SMS configuration from its stored form, nil if there is none.
func readSMSStatus(ctx context.Context, s *shop.Shop, config []byte) (*SMSStatus, error) {
	has, locked, err := s.Sender.InheritsSMS(ctx)
	if err != nil {
		return nil, err
	}
	isInherited := has && (locked || config == nil)
	if isInherited || config == nil {
		return &SMSStatus{
			Connection: shop.Connection{State: shop.ConnectionUnchecked}, Configured: isInherited, Inherited: isInherited, Locked: locked, HasDefault: has,
		}, nil
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
	return &SMSStatus{Connection: shop.Connection{State: shop.ConnectionUnchecked}, Configured: true, Config: &cfg, HasDefault: has}, nil
}
