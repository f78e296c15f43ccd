package tenants_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// A shop sends messages to its own country alone unless it lists others.
func TestSendOTP_Countries(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	gateway := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer gateway.Close()
	all := open(t, "", func(cfg *tenants.Config) { cfg.PrivateProviders = true })
	s := create(t, all, "acme")
	configure := func(codes string) {
		t.Helper()
		config := `{"url":"` + gateway.URL + `","allowHttp":true,"body":{"kind":"form","params":{"to":"{to}","text":"{text}"}}` + codes + `}`
		if err := s.Sender.ConfigureSMS(t.Context(), access.Operator(), []byte(config)); err != nil {
			t.Fatal(err)
		}
	}
	send := func(phone string) error {
		_, err := s.Accounts.SendOTP(t.Context(), access.Caller{}, account.SendOTPInput{PhoneNumber: phone})
		return err
	}
	configure("")
	wantCode(t, send("+919812345678"), fault.CodeValidationFailed)
	if n := requests.Load(); n != 0 {
		t.Errorf("got %d requests to the gateway for a phone of another country, want none", n)
	}
	if err := send("01711-000000"); err != nil {
		t.Errorf("a phone of the shop's country: %v", err)
	}
	configure(`,"callingCodes":["880","91"]`)
	if err := send("+919812345678"); err != nil {
		t.Errorf("a phone of a listed country: %v", err)
	}
	configure(`,"callingCodes":["*"]`)
	if err := send("+447400123456"); err != nil {
		t.Errorf("with all countries: %v", err)
	}
	configure("")
	if err := s.SetSettings(t.Context(), access.Operator(), shoptest.Raw(t, map[string]any{"country": "IN"})); err != nil {
		t.Fatal(err)
	}
	wantCode(t, send("+8801811000000"), fault.CodeValidationFailed)
	if err := send("+919812345679"); err != nil {
		t.Errorf("after the shop has moved to India: %v", err)
	}
}

// No preset sends to all countries by itself.
func TestSMSPresets_CallingCodes(t *testing.T) {
	t.Parallel()
	presets, err := tenants.SMSPresets()
	if err != nil {
		t.Fatal(err)
	}
	all := open(t, "", nil)
	s := create(t, all, "acme")
	for _, preset := range presets {
		params := map[string]string{}
		for _, param := range preset.Params {
			params[param.Name] = "x"
		}
		config, err := tenants.SMSPresetConfig(preset.Name, params, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Sender.ConfigureSMS(t.Context(), access.Operator(), config); err != nil {
			t.Fatalf("%s: %v", preset.Name, err)
		}
		status, err := tenants.ReadSMSStatus(t.Context(), s, access.Operator())
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"880"}; !slices.Equal(status.Config.CallingCodes, want) {
			t.Errorf("%s: got calling codes %v, want %v", preset.Name, status.Config.CallingCodes, want)
		}
	}
}
