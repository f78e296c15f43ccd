package courierb_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"storefront/provider"
	"storefront/provider/courierb"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// newCourier returns the adapter with a courier that responds to every path with answers[path], or
// with 404.
func newCourier(t *testing.T, answers map[string]string) plugin.Courier {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if _, err := io.WriteString(w, answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(host.Close)
	return courierb.New(courierb.Config{Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: host.URL}).Courier
}

var access = plugin.Access{Mode: plugin.Live, Settings: plugin.Settings{"api_key": "hush-key", "secret_key": "hush-secret"}}

// Only the address of returns reports that the goods are back.
func TestFind_Return(t *testing.T) {
	t.Parallel()
	courier := newCourier(t, map[string]string{
		"/status_by_cid/7":                    `{"status":200,"delivery_status":"cancelled"}`,
		"/status_with_return_status_by_cid/7": "\xEF\xBB\xBF" + `{"status":"200","delivery_status":"cancelled_return_received"}`,
	})
	for returning, want := range map[bool]status.Shipment{false: status.ShipmentReturning, true: status.ShipmentReturned} {
		found, err := courier.Find(t.Context(), access, plugin.ShipmentRef{ConsignmentID: "7", Returning: returning, Currency: taka})
		if err != nil || found.Status != want {
			t.Errorf("returning %v: got %s, %v, want %s", returning, found.Status, err, want)
		}
	}
}

// The courier's own words are shown, whatever their form, and never a secret.
func TestBook_RefusalText(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"status":"400","errors":"The invoice is taken by hush-key"}`:  "status 400: The invoice is taken by ***",
		`{"status":400,"errors":{"cod_amount":["Too much."]}}`:          "status 400: cod_amount: Too much.",
		`{"status":400,"msg":"Account blocked","errors":["Call us."]}`:  "status 400: Account blocked Call us.",
		`{"status":429,"message":"Too many requests","errors":[[1,2]]}`: "status 429: Too many requests",
	} {
		_, err := newCourier(t, map[string]string{"/create_order": answer}).Book(t.Context(), access, plugin.ShipmentRequest{
			Ref: "A1", Name: "Rahima", Phone: "+8801711223344", Address: plugin.ShipmentAddress{Way: "House 12, Road 5", Place: "Dhaka"}, Currency: taka,
		})
		if !errors.Is(err, plugin.ErrCourierRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", answer, err, want)
		}
	}
}
