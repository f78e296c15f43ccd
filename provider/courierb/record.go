package courierb

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"

	"storefront/provider"
	"storefront/shop/input"
	"storefront/shop/plugin"
)

// score is the response about a phone number, as in the courier's package for Laravel, 2026. Ratios
// are percentages. The courier's own score is not used: its rules are not documented.
type score struct {
	Delivered *json.Number  `json:"delivery_ratio"`
	Cancelled *json.Number  `json:"cancellation_ratio"`
	Returned  *json.Number  `json:"return_ratio"`
	Band      *string       `json:"volume_band"`
	Range     provider.Text `json:"volume_range"`
	Reports   *json.Number  `json:"total_reports"`
}

const maxRange = 20

// PhoneRecord implements [plugin.PhoneRecords]. A response without the fields of a record is none.
func (a *api) PhoneRecord(ctx context.Context, access plugin.Access, phone string) (plugin.PhoneRecord, error) {
	number := mobile.FindStringSubmatch(phone)
	if number == nil {
		return plugin.PhoneRecord{}, fmt.Errorf("request record: %w: not a mobile number of Bangladesh", plugin.ErrCourierRefused)
	}
	resp, err := a.request(ctx, access, http.MethodGet, "/fraud_check/score/0"+number[1], nil)
	if err != nil {
		return plugin.PhoneRecord{}, fmt.Errorf("request record: %w", err)
	}
	if _, err := decode(access.Settings, resp); err != nil {
		return plugin.PhoneRecord{}, fmt.Errorf("request record: %w", err)
	}
	var found score
	if err := json.Unmarshal(provider.TrimBOM(resp.Body), &found); err != nil || found.Band == nil && found.Delivered == nil {
		return plugin.PhoneRecord{}, fmt.Errorf("request record: %w: the response is no record", plugin.ErrCourierUnknown)
	}
	record := plugin.PhoneRecord{
		Delivered: share(found.Delivered), Cancelled: share(found.Cancelled), Returned: share(found.Returned),
		Shipments: input.Shorten(input.CleanLine(string(found.Range)), maxRange),
	}
	if found.Band != nil && strings.EqualFold(*found.Band, "none") { // no shipments: the ratios say nothing
		record.Delivered, record.Cancelled, record.Returned, record.Shipments = nil, nil, nil, ""
	}
	if found.Reports != nil {
		if n, err := found.Reports.Int64(); err == nil {
			record.Reports = max(0, n)
		}
	}
	return record, nil
}

// share returns a percentage in hundredths; nil if it is missing or none.
func share(percent *json.Number) *int64 {
	if percent == nil {
		return nil
	}
	value, err := percent.Float64()
	if err != nil || math.IsNaN(value) || value < 0 || value > 100 {
		return nil
	}
	return new(int64(math.Round(value * 100)))
}
