package gatewaya_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"storefront/provider"
	"storefront/provider/gatewaya"
	"storefront/shop/plugin"
)

// Input of a buyer that exceeds the gateway's limits must not prevent the payment.
func TestStart_FieldLimits(t *testing.T) {
	t.Parallel()
	var form map[string][]string
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		form = r.PostForm
		_, _ = io.WriteString(w, `{"status":"SUCCESS","sessionkey":"S1","GatewayPageURL":"http://`+r.Host+`/pay"}`)
	}))
	t.Cleanup(host.Close)
	adapter := gatewaya.New(gatewaya.Config{Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: host.URL})
	long := strings.Repeat("ঢাকা ", 60)
	_, err := adapter.Start(t.Context(), plugin.Access{Mode: plugin.Live, Settings: plugin.Settings{"store_id": "acme"}}, plugin.PaymentStart{
		Ref: "R1", Amount: 970_00, Currency: taka, Title: "Order 1", Name: long, Phone: "+8801711000000", Email: strings.Repeat("a", 60) + "@example.com",
		Line1: long, City: long, Country: "BD", ReturnURL: "https://api.example/return", WebhookURL: "https://api.example/webhook",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cus_name", "cus_email", "cus_add1", "cus_city", "cus_postcode", "cus_country"} {
		if got := form[name]; len(got) != 1 || got[0] == "" || utf8.RuneCountInString(got[0]) > 50 {
			t.Errorf("%s: got %q, want 1 to 50 characters", name, got)
		}
	}
	for name, want := range map[string]string{"total_amount": "970.00", "currency": "BDT", "tran_id": "R1", "cus_email": "none@example.com"} {
		if got := form[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
