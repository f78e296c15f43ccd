package courierb_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/provider"
	"storefront/provider/courierb"
	"storefront/shop/plugin"
)

// The courier's record of a phone number is read as its package documents it. What it does not know
// stays unknown, and a response without a record is an error, not a good buyer.
func TestPhoneRecord(t *testing.T) {
	t.Parallel()
	const path = "/fraud_check/score/01713265287"
	for body, want := range map[string]plugin.PhoneRecord{
		`{"status":200,"phone":"01713265287","score":null,"level":null,"reasons":[],"scoring_disabled":true,"doubtful_reports":false,
			"total_reports":0,"delivery_ratio":100,"cancellation_ratio":0,"volume_band":"high","volume_range":"25+","fraud_categories":[],
			"return_ratio":0}`: {Delivered: new(int64(100_00)), Cancelled: new(int64(0)), Returned: new(int64(0)), Shipments: "25+"},
		`{"delivery_ratio":"81.5","cancellation_ratio":10,"return_ratio":8.504,"total_reports":3,"volume_band":"medium","volume_range":"6-20"}`: {
			Delivered: new(int64(81_50)), Cancelled: new(int64(10_00)), Returned: new(int64(8_50)), Shipments: "6-20", Reports: 3,
		},
		`{"delivery_ratio":null,"cancellation_ratio":null,"return_ratio":null,"volume_band":"low","volume_range":"1-5"}`: {Shipments: "1-5"},
		`{"delivery_ratio":0,"cancellation_ratio":0,"return_ratio":0,"volume_band":"none","volume_range":"0"}`:           {},
		`{"delivery_ratio":250,"cancellation_ratio":-1,"volume_band":"high","total_reports":-4}`:                         {},
	} {
		got, err := newPlugin(t, map[string]string{path: body}).Records.PhoneRecord(t.Context(), access, "+8801713265287")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: got error %v and (-want +got):\n%s", body, err, diff)
		}
	}
	for _, body := range []string{``, `{}`, `[]`, `<html>`, `{"status":200}`, `{"delivery_ratio":{}}`} {
		if got, err := newPlugin(t, map[string]string{path: body}).Records.PhoneRecord(t.Context(), access, "+8801713265287"); err == nil {
			t.Errorf("%s: got %+v, want an error", body, got)
		}
	}
	if _, err := newPlugin(t, nil).Records.PhoneRecord(t.Context(), access, "+14155550100"); !errors.Is(err, plugin.ErrCourierRefused) {
		t.Errorf("of another country: got %v, want it refused without a request", err)
	}
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "{}", http.StatusTooManyRequests) }))
	t.Cleanup(busy.Close)
	api := courierb.New(courierb.Config{Client: provider.NewClient(provider.ClientConfig{AllowPrivate: true}), Live: busy.URL})
	if _, err := api.Records.PhoneRecord(t.Context(), access, "+8801713265287"); !errors.Is(err, plugin.ErrCourierRefused) {
		t.Errorf("too many requests: got %v, want it refused", err)
	}
}
