package courierb_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/provider"
	"storefront/provider/courierb"
	"storefront/shop/plugin"
)

// newPlugin returns the adapter with a courier that answers as in [newCourier].
func newPlugin(t *testing.T, answers map[string]string) plugin.Plugin {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.WriteString(w, answers[r.URL.Path]); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(host.Close)
	return courierb.New(courierb.Config{Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: host.URL})
}

// The list of police stations is read in each form in which couriers write lists, and a refusal
// within a response of success is one.
func TestListPlaces_Forms(t *testing.T) {
	t.Parallel()
	want := []plugin.NamedPlace{{ID: 17, Name: "Dhanmondi", In: "Dhaka", Active: true}, {ID: 204, Name: "Kotwali", In: "Chattogram", Active: true}}
	for name, body := range map[string]string{
		"list": `[{"id":17,"name":"Dhanmondi","district":"Dhaka"},{"id":"204","name":"Kotwali","district":"Chattogram"}]`,
		"objects": `{"status":200,"data":[{"id":17,"name":"Dhanmondi","district":{"id":1,"name":"Dhaka"}},
			{"id":204,"police_station":"Kotwali","district_name":"Chattogram"}]}`,
		"named": `{"police_stations":[{"id":17,"name":"Dhanmondi","district":"Dhaka"},{"id":204,"name":"Kotwali","district":"Chattogram"}]}`,
	} {
		got, err := newPlugin(t, map[string]string{"/police_stations": body}).Places.ListPlaces(t.Context(), access, plugin.PlaceStation, 0)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: got error %v and (-want +got):\n%s", name, err, diff)
		}
	}
	for _, body := range []string{`{"status":401,"message":"Unauthorized"}`, `<html>`, ``, `{"data":7}`} {
		places := newPlugin(t, map[string]string{"/police_stations": body}).Places
		if got, err := places.ListPlaces(t.Context(), access, plugin.PlaceStation, 0); err == nil {
			t.Errorf("%s: got %v, want an error", body, got)
		}
	}
}

// What the courier owes, and its payouts as its guide has them.
func TestAccount(t *testing.T) {
	t.Parallel()
	account := newPlugin(t, map[string]string{
		"/get_balance": `{"status":200,"current_balance":12450.5}`,
		"/payments": `{"status":1,"alertclass":"success","message":"Fetched successfully.","payments":[
			{"payment_id":"SFC-88213","amount":12450,"method":"bank","due_bills":0,"paid_bills":3200,"charges":124,"total":12450,
			"status_label":"Paid","created_at":"2026-09-18 11:04:22","ready_at":"2026-09-18 12:00:00","paid_at":"2026-09-19 10:31:07"},
			{"payment_id":88214,"amount":"300.00","method":"bkash","status_label":"Pending","created_at":"2026-09-20 11:00:00","paid_at":null}]}`,
	}).Account
	if owed, err := account.Balance(t.Context(), access, taka); owed != 1_245_050 || err != nil {
		t.Errorf("got balance %d, %v, want 12450.50", owed, err)
	}
	got, err := account.ListPayouts(t.Context(), access, taka)
	want := []plugin.CourierPayout{
		{
			ID: "SFC-88213", Amount: 1_245_000, Charges: new(int64(12_400)), Method: "bank", Status: "Paid",
			At: time.Date(2026, 9, 19, 4, 31, 7, 0, time.UTC),
		},
		{ID: "88214", Amount: 30_000, Method: "bkash", Status: "Pending", At: time.Date(2026, 9, 20, 5, 0, 0, 0, time.UTC)},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("got error %v and payouts (-want +got):\n%s", err, diff)
	}
	owing := newPlugin(t, map[string]string{"/get_balance": `{"status":200,"current_balance":-60}`}).Account
	if owed, err := owing.Balance(t.Context(), access, taka); owed != -6000 || err != nil {
		t.Errorf("got balance %d, %v, want -60.00", owed, err)
	}
	broken := newPlugin(
		t,
		map[string]string{"/get_balance": `{"status":200}`, "/payments": `{"payments":[{"payment_id":"1","amount":"much"}]}`},
	).Account
	if owed, err := broken.Balance(t.Context(), access, taka); err == nil {
		t.Errorf("got balance %d, want an error", owed)
	}
	if got, err := broken.ListPayouts(t.Context(), access, taka); err == nil {
		t.Errorf("got payouts %v, want an error", got)
	}
}
