package gatewaya_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/provider"
	"storefront/provider/gatewaya"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

var taka, _ = money.ParseCurrency("BDT")

// query queries a payment at a host with a fixed response.
func query(t *testing.T, status int, body string, q plugin.StatusQuery) (plugin.GatewayStatus, error) {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("store_passwd") != "hush-password" || r.FormValue("format") != "json" {
			t.Errorf("got a request without credentials: %v", r.Form)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(host.Close)
	adapter := gatewaya.New(gatewaya.Config{Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: host.URL})
	q.Currency = taka
	return adapter.QueryStatus(t.Context(), plugin.Access{
		Mode: plugin.Live, Settings: plugin.Settings{"store_id": "acme", "store_password": "hush-password"},
	}, q)
}

func TestQueryStatus_ByValidationID(t *testing.T) {
	t.Parallel()
	const valid = `{"status":"VALID","tran_date":"2026-03-01 12:00:00","tran_id":"R1","val_id":"V1","amount":"970.00","store_amount":"945.75",` +
		`"currency":"BDT","bank_tran_id":"B1","card_no":"432149XXXXXX0667","currency_type":"BDT","currency_amount":"970.00","currency_rate":"1.0000",` +
		`"risk_level":"0","risk_title":"Safe","APIConnect":"DONE","validated_on":"2026-03-01 12:00:02","gw_version":""}`
	paid := plugin.GatewayStatus{State: plugin.GatewayPaid, Ref: "R1", Amount: 970_00, Currency: "BDT", Readable: true, TransactionID: "B1"}
	change := func(old, with string) string { return strings.Replace(valid, old, with, 1) }
	risky, dollars, odd := paid, paid, paid
	risky.ReviewReason = "the gateway flagged the payment as risky"
	other, nobodys, elsewhere := paid, paid, paid
	other.Ref, other.ReviewReason = "R2", "the gateway returned another payment"
	nobodys.Ref, nobodys.ReviewReason = "", other.ReviewReason
	elsewhere.ReviewReason = "the payment went to another store"
	dollars.Amount, dollars.Currency, dollars.Readable = 0, "USD", false
	odd.Amount = 970_01
	tests := []struct {
		name   string
		status int
		body   string
		want   plugin.GatewayStatus
		err    error
	}{
		{"valid", 200, valid, paid, nil},
		{"validated", 200, change(`"VALID"`, `"VALIDATED"`), paid, nil},
		{"numbers", 200, change(`"currency_amount":"970.00"`, `"currency_amount":970`), paid, nil},
		{"risky", 200, change(`"risk_level":"0"`, `"risk_level":1`), risky, nil},
		{"other payment", 200, change(`"R1"`, `"R2"`), other, nil},
		{"no reference", 200, change(`"tran_id":"R1",`, ""), nobodys, nil},
		{"our store", 200, change(`"VALID"`, `"VALID","store_id":"acme"`), paid, nil},
		{"other store", 200, change(`"VALID"`, `"VALID","store_id":"evil"`), elsewhere, nil},
		{"other currency", 200, change(`"currency_type":"BDT"`, `"currency_type":"USD"`), dollars, nil},
		{"long decimal", 200, change(`"currency_amount":"970.00"`, `"currency_amount":969.9999999999`), paid, nil},
		{"other amount with a long decimal", 200, change(`"currency_amount":"970.00"`, `"currency_amount":"970.005"`), odd, nil},
		{"byte order mark", 200, "\ufeff" + valid, paid, nil},
		{"invalid", 200, `{"status":"INVALID_TRANSACTION","APIConnect":"DONE"}`, plugin.GatewayStatus{State: plugin.GatewayOpen}, nil},
		{"inactive store", 200, `{"APIConnect":"INACTIVE"}`, plugin.GatewayStatus{}, plugin.ErrGatewayRefused},
		{"not JSON", 200, `<html>`, plugin.GatewayStatus{}, plugin.ErrGatewayUnknown},
		{"unavailable", 503, valid, plugin.GatewayStatus{}, plugin.ErrGatewayUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := query(t, tt.status, tt.body, plugin.StatusQuery{Ref: "R1", ValidationID: "V1"})
			if !errors.Is(err, tt.err) || got != tt.want {
				t.Errorf("got %+v, %v; want %+v, %v", got, err, tt.want, tt.err)
			}
			if err != nil && strings.Contains(err.Error(), "hush") {
				t.Errorf("error contains a secret: %v", err)
			}
		})
	}
}

// A reference can have several transactions. A paid one takes precedence wherever it is in the
// list.
func TestQueryStatus_ByReference(t *testing.T) {
	t.Parallel()
	const failed = `{"tran_id":"R1","status":"FAILED"}`
	const valid = `{"tran_id":"R1","status":"VALID","bank_tran_id":"B1","currency_type":"BDT","currency_amount":"10.00"}`
	const pending = `{"tran_id":"R1","status":"PENDING"}`
	for name, tt := range map[string]struct {
		elements string
		want     plugin.PaymentState
		review   bool
	}{
		"none":            {`""`, plugin.GatewayOpen, false},
		"empty list":      {`[]`, plugin.GatewayOpen, false},
		"null":            {`null`, plugin.GatewayOpen, false},
		"failed":          {`[` + failed + `]`, plugin.GatewayFailed, false},
		"failed and paid": {`[` + failed + `,` + valid + `]`, plugin.GatewayPaid, false},
		"paid and failed": {`[` + valid + `,` + failed + `]`, plugin.GatewayPaid, false},
		"paid twice":      {`[` + valid + `,` + valid + `]`, plugin.GatewayPaid, true},
		"one object":      {valid, plugin.GatewayPaid, false},
		"pending":         {`[` + pending + `]`, plugin.GatewayOpen, false},
		"retried":         {`[` + failed + `,` + pending + `,` + failed + `]`, plugin.GatewayOpen, false},
		"no reference":    {`[` + strings.Replace(valid, `"tran_id":"R1",`, "", 1) + `]`, plugin.GatewayPaid, false},
		"other reference": {`[` + strings.Replace(valid, "R1", "R2", 1) + `]`, plugin.GatewayPaid, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := query(t, 200, `{"APIConnect":"DONE","no_of_trans_found":1,"element":`+tt.elements+`}`, plugin.StatusQuery{Ref: "R1"})
			if err != nil || got.State != tt.want || (got.ReviewReason != "") != tt.review {
				t.Errorf("got %+v, %v; want state %s, review %v", got, err, tt.want, tt.review)
			}
		})
	}
}

// Staff read why the gateway refused, without the secrets and the buyer's data that it may quote.
func TestStart_GatewayWords(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"FAILED","failedreason":"Store Credential Error: acme / hush%2Fpassword of +8801711000000"}`)
	}))
	t.Cleanup(host.Close)
	adapter := gatewaya.New(gatewaya.Config{Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: host.URL})
	_, err := adapter.Start(t.Context(), plugin.Access{
		Mode: plugin.Live, Settings: plugin.Settings{"store_id": "acme", "store_password": "hush/password"},
	}, plugin.PaymentStart{Ref: "R1", Amount: 100_00, Currency: taka, Phone: "+8801711000000"})
	const want = "the gateway refused: session: status failed: Store Credential Error: *** / *** of ***"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestQueryStatus_GatewayWords(t *testing.T) {
	t.Parallel()
	got, err := query(t, 200, `{"APIConnect":"DONE","element":[{"tran_id":"R1","status":"FAILED","error":"Insufficient funds, pw hush-password"}]}`,
		plugin.StatusQuery{Ref: "R1"})
	if want := "the payment failed: Insufficient funds, pw ***"; err != nil || got.Reason != want {
		t.Errorf("got reason %q, %v; want %q", got.Reason, err, want)
	}
	_, err = query(t, 200, `{"APIConnect":"INVALID_REQUEST","errorReason":"IP not listed"}`, plugin.StatusQuery{Ref: "R1"})
	if want := "the gateway refused: transaction: connection invalid_request: IP not listed"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
