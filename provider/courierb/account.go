package courierb

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop/money"
	"storefront/shop/plugin"
)

// PlaceKinds implements [plugin.PlaceDirectory].
func (*api) PlaceKinds() []plugin.PlaceKind { return []plugin.PlaceKind{plugin.PlaceStation} }

// station is an entry of the courier's list. Its guide documents the list but not its fields, so
// several names are accepted.
type station struct {
	ID       provider.Text   `json:"id"`
	Name     string          `json:"name"`
	Thana    string          `json:"police_station"`
	District json.RawMessage `json:"district"` // its name, or an object
	InName   string          `json:"district_name"`
}

// ListPlaces implements [plugin.PlaceDirectory].
func (a *api) ListPlaces(ctx context.Context, access plugin.Access, kind plugin.PlaceKind, _ int64) ([]plugin.NamedPlace, error) {
	if kind != plugin.PlaceStation {
		return nil, fmt.Errorf("list places: %w", plugin.ErrCourierUnsupported)
	}
	body, err := a.send(ctx, access, http.MethodGet, "/police_stations", nil)
	if err != nil {
		return nil, fmt.Errorf("list police stations: %w", err)
	}
	stations, err := readStations(body)
	if err != nil {
		return nil, fmt.Errorf("list police stations: %w: %w", plugin.ErrCourierUnknown, err)
	}
	places := make([]plugin.NamedPlace, len(stations))
	for i, s := range stations {
		id, err := strconv.ParseInt(string(s.ID), 10, 64)
		if err != nil { // left out by the shop
			id = 0
		}
		places[i] = plugin.NamedPlace{ID: id, Name: cmp.Or(s.Name, s.Thana), In: s.district(), Active: true}
	}
	return places, nil
}

// readStations parses a list of police stations, alone or within an object.
func readStations(body []byte) (stations []station, err error) {
	body = provider.TrimBOM(body)
	if err := json.Unmarshal(body, &stations); err == nil {
		return stations, nil
	}
	var object struct {
		Data     []station `json:"data"`
		Stations []station `json:"police_stations"`
	}
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, fmt.Errorf("read police stations: %w", err)
	}
	return append(object.Data, object.Stations...), nil
}

// district returns the name of the station's district, "" if there is none.
func (s *station) district() string {
	var name string
	if json.Unmarshal(s.District, &name) == nil && name != "" {
		return name
	}
	var object struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(s.District, &object) == nil && object.Name != "" {
		return object.Name
	}
	return s.InName
}

// Balance implements [plugin.CourierAccount].
func (a *api) Balance(ctx context.Context, access plugin.Access, currency money.Currency) (int64, error) {
	r, err := a.call(ctx, access, http.MethodGet, "/get_balance", nil)
	if err != nil {
		return 0, fmt.Errorf("request balance: %w", err)
	}
	text, isNegative := strings.CutPrefix(string(r.Balance), "-")
	amount, ok := provider.ParseAmount(text, currency)
	if !ok {
		return 0, fmt.Errorf("request balance: %w: the response has no balance", plugin.ErrCourierUnknown)
	}
	if isNegative {
		amount = -amount
	}
	return amount, nil
}

// payment is a payout of the courier.
type payment struct {
	ID      provider.Text `json:"payment_id"`
	Amount  provider.Text `json:"amount"`
	Charges provider.Text `json:"charges"`
	Method  string        `json:"method"`
	Status  string        `json:"status_label"`
	Created string        `json:"created_at"`
	Paid    string        `json:"paid_at"`
}

// ListPayouts implements [plugin.CourierAccount]. The courier returns the newest ten.
func (a *api) ListPayouts(ctx context.Context, access plugin.Access, currency money.Currency) ([]plugin.CourierPayout, error) {
	r, err := a.call(ctx, access, http.MethodGet, "/payments", nil)
	if err != nil {
		return nil, fmt.Errorf("list payouts: %w", err)
	}
	var payouts []plugin.CourierPayout
	for _, p := range r.Payments {
		amount, ok := provider.ParseAmount(string(p.Amount), currency)
		if !ok || p.ID == "" {
			return nil, fmt.Errorf("list payouts: %w: a payout has no amount or no number", plugin.ErrCourierUnknown)
		}
		payout := plugin.CourierPayout{ID: string(p.ID), Amount: amount, Method: p.Method, Status: p.Status, At: payoutTime(p)}
		if charges, ok := provider.ParseAmount(string(p.Charges), currency); ok {
			payout.Charges = &charges
		}
		payouts = append(payouts, payout)
	}
	return payouts, nil
}

// payoutTime returns the time at which a payout was paid, otherwise created.
func payoutTime(p payment) time.Time {
	return provider.Payload{"paid": p.Paid, "created": p.Created}.Time(dhaka, "paid", "created")
}
