package gatewaya_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"storefront/provider/gatewaya"
	"storefront/shop/plugin"
)

// sample returns the signed webhook from the README of SSLCommerz's Python library.
func sample() url.Values {
	form := url.Values{}
	for name, value := range map[string]string{
		"tran_id": "5E121A0D01F92", "val_id": "200105225826116qFnATY9sHIwo", "amount": "10.00", "store_amount": "9.75",
		"card_type": "VISA-Dutch Bangla", "card_no": "418117XXXXXX6675", "card_issuer": "TRUST BANK, LTD.", "card_brand": "VISA",
		"card_issuer_country": "Bangladesh", "card_issuer_country_code": "BD", "bank_tran_id": "200105225825DBgSoRGLvczhFjj",
		"status": "VALID", "tran_date": "2020-01-05 22:58:21", "currency": "BDT", "store_id": "test_testemi",
		"currency_type": "BDT", "currency_amount": "10.00", "currency_rate": "1.0000", "base_fair": "0.00",
		"value_a": "", "value_b": "", "value_c": "", "value_d": "", "risk_level": "0", "risk_title": "Safe",
	} {
		form.Set(name, value)
	}
	signed := slices.DeleteFunc(slices.Sorted(maps.Keys(form)), func(name string) bool { return strings.HasPrefix(name, "value_") })
	form.Set("verify_key", strings.Join(append(signed, "value_a", "value_b", "value_c", "value_d"), ","))
	form.Set("verify_sign", "d42fab70ae0bcbda5280e7baffef60b0")
	form.Set("verify_sign_sha2", "02c0417ff467c109006382d56eedccecd68382e47245266e7b47abbb3d43976e")
	return form
}

var sampleStore = plugin.Settings{"store_id": "test_testemi", "store_password": "test_testemi@ssl"}

func read(settings plugin.Settings, form url.Values) (plugin.PaymentEvent, bool) {
	return gatewaya.New(gatewaya.Config{}).ReadWebhook(settings, []byte(form.Encode()))
}

func TestReadWebhook_PublishedSample(t *testing.T) {
	t.Parallel()
	want := plugin.PaymentEvent{
		Ref: "5E121A0D01F92", Event: "VALID", State: plugin.GatewayPaid, ValidationID: "200105225826116qFnATY9sHIwo",
	}
	for _, omitted := range []string{"", "verify_sign", "verify_sign_sha2"} {
		form := sample()
		form.Del(omitted)
		got, ok := read(sampleStore, form)
		if !ok || got != want {
			t.Errorf("without %q: got %+v, %v; want %+v", omitted, got, ok, want)
		}
	}
}

func TestReadWebhook_Forged(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(url.Values)
	}{
		{"amount", func(f url.Values) { f.Set("amount", "10.01") }},
		{"status", func(f url.Values) { f.Set("status", "FAILED") }},
		{"reference", func(f url.Values) { f.Set("tran_id", "5E121A0D01F93") }},
		{"other store", func(f url.Values) { f.Set("store_id", "another") }},
		{"no signature", func(f url.Values) { f.Del("verify_sign"); f.Del("verify_sign_sha2") }},
		{"one of two wrong", func(f url.Values) { f.Set("verify_sign", strings.Repeat("0", 32)) }},
		{"the other of two wrong", func(f url.Values) { f.Set("verify_sign_sha2", strings.Repeat("0", 64)) }},
		{"a field twice", func(f url.Values) { f.Add("amount", "99.00") }},
		{"no verify_key", func(f url.Values) { f.Del("verify_key") }},
		{"empty", func(f url.Values) { clear(f) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form := sample()
			tt.change(form)
			if got, ok := read(sampleStore, form); ok || got != (plugin.PaymentEvent{}) {
				t.Errorf("got %+v, want a rejection", got)
			}
		})
	}
	for name, settings := range map[string]plugin.Settings{
		"wrong password": {"store_id": "test_testemi", "store_password": "test_testemi@ssk"},
		"no password":    {"store_id": "test_testemi"},
		"no settings":    {},
	} {
		if got, ok := read(settings, sample()); ok {
			t.Errorf("%s: got %+v, want a rejection", name, got)
		}
	}
}

// Anyone could change a field that the signatures do not cover.
func TestReadWebhook_RequiredFieldUnsigned(t *testing.T) {
	t.Parallel()
	all := []string{"tran_id", "status", "amount", "currency", "store_id", "val_id"}
	for _, unsigned := range all {
		form := sample()
		names := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == unsigned })
		gatewaya.Sign(form, names, sampleStore["store_password"])
		if _, ok := read(sampleStore, form); ok {
			t.Errorf("accepted without a signature of %s", unsigned)
		}
	}
	form := sample() // a failure has no val_id
	form.Set("status", "FAILED")
	form.Del("val_id")
	gatewaya.Sign(form, all[:5], sampleStore["store_password"])
	if got, ok := read(sampleStore, form); !ok || got.State != plugin.GatewayFailed {
		t.Errorf("signed failure: got %+v, %v", got, ok)
	}
}

func FuzzReadWebhook(f *testing.F) {
	f.Add([]byte(sample().Encode()))
	f.Add([]byte("verify_key=&verify_sign=%zz"))
	adapter := gatewaya.New(gatewaya.Config{})
	f.Fuzz(func(t *testing.T, body []byte) {
		event, ok := adapter.ReadWebhook(sampleStore, body)
		if ok && (event.Ref == "" || event.Event == "") {
			t.Errorf("%q: got %+v without reference or event", body, event)
		}
	})
}
