package order_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db/dbtest"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
)

// directory is the lists and the account of a fake courier.
type directory struct {
	*fakeCourier
	kinds []plugin.PlaceKind
	lists map[string][]plugin.NamedPlace // by kind and number

	mu    sync.Mutex
	calls []string
	err   error
	last  plugin.ShipmentRequest // booked
}

func (d *directory) call(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, name)
	return d.err
}

func (d *directory) PlaceKinds() []plugin.PlaceKind { return d.kinds }

func (d *directory) ListPlaces(_ context.Context, _ plugin.Access, kind plugin.PlaceKind, of int64) ([]plugin.NamedPlace, error) {
	name := fmt.Sprint(kind, " ", of)
	return d.lists[name], d.call(name)
}

func (d *directory) Balance(context.Context, plugin.Access, money.Currency) (int64, error) {
	return 1_245_000, d.call("balance")
}

func (d *directory) ListPayouts(context.Context, plugin.Access, money.Currency) ([]plugin.CourierPayout, error) {
	return []plugin.CourierPayout{{ID: "SFC-1", Amount: 30_000, Method: "bank", Status: "Paid", At: time.Unix(0, 0)}}, d.call("payouts")
}

func (d *directory) Book(ctx context.Context, access plugin.Access, r plugin.ShipmentRequest) (plugin.BookedShipment, error) {
	d.mu.Lock()
	d.last = r
	d.mu.Unlock()
	return d.fakeCourier.Book(ctx, access, r)
}

// took returns the calls since the last one of it.
func (d *directory) took() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := d.calls
	d.calls = nil
	return calls
}

const dhanmondi = "0000000000000001"

// newPlaceShop returns a shop with two couriers that have lists, and an order to Dhanmondi.
func newPlaceShop(t *testing.T) (a *shoptest.Accounts, first, second *directory) {
	t.Helper()
	a = shoptest.NewAccounts(t)
	newDirectory := func(kinds []plugin.PlaceKind, lists map[string][]plugin.NamedPlace) *directory {
		return &directory{fakeCourier: &fakeCourier{booked: map[string]int{}}, kinds: kinds, lists: lists}
	}
	first = newDirectory([]plugin.PlaceKind{plugin.PlaceStore, plugin.PlaceCity, plugin.PlaceZone, plugin.PlaceArea}, map[string][]plugin.NamedPlace{
		"store 0": {{ID: 3, Name: "New", In: "Banani"}, {ID: 1, Name: "Demo", Active: true}},
		"city 0":  {{ID: 2, Name: "Chittagong", Active: true}, {ID: 1, Name: "Dhaka", Active: true}, {ID: 0, Name: "Nowhere"}, {ID: 9, Name: ""}},
		"zone 1": {
			{ID: 37, Name: "Mirpur 1", Active: true}, {ID: 49, Name: "Mirpur 10", Active: true}, {ID: 50, Name: " Dhanmondi\n", Active: true},
			{ID: 51, Name: "Dhanmondi - Road 3", Active: true},
		},
		"area 50": {{ID: 8, Name: "Road 3", Active: true}, {ID: 9, Name: "Road 32", Active: true}, {ID: 10, Name: "Road 33"}},
	})
	second = newDirectory([]plugin.PlaceKind{plugin.PlaceStation}, map[string][]plugin.NamedPlace{"station 0": {
		{ID: 204, Name: "Kotwali", In: "Chattogram", Active: true}, {ID: 61, Name: "Kotwali", In: "Dhaka", Active: true},
		{ID: 17, Name: "Dhanmondi", In: "Dhaka", Active: true},
	}})
	keys := []plugin.Key{{Name: "token", For: []plugin.Capability{plugin.CanBook}}}
	a.Config.Plugins = []plugin.Plugin{
		{Provider: plugin.CourierA, Courier: first, Places: first, Keys: keys},
		{Provider: plugin.CourierB, Courier: second, Places: second, Account: second, Keys: keys},
	}
	a = a.Reopened()
	for _, provider := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		shoptest.ConfigurePlugin(t, a.Shop, provider, map[string]any{"token": "T"})
	}
	a.InsertOrder(t, dhanmondi, shoptest.RahimsPhone)
	a.Exec(t, `UPDATE orders SET status = 'confirmed', line1 = 'House 12, Road-32', area = 'dhanmondi', city = 'ঢাকা'`)
	return a, first, second
}

func names(places []plugin.NamedPlace) (names []string) {
	for _, p := range places {
		names = append(names, p.Name)
	}
	return names
}

// A courier is queried once for a list, until it is old; while it does not respond its last list is
// used, and it is not queried all the time.
func TestListCourierPlaces_Cached(t *testing.T) {
	t.Parallel()
	a, courier, _ := newPlaceShop(t)
	list := func(filter order.PlaceFilter) ([]string, fault.Code) {
		t.Helper()
		filter.Provider = plugin.CourierA
		found, err := a.Orders.ListCourierPlaces(t.Context(), access.Operator(), filter)
		if err != nil {
			return nil, shoptest.ErrorCode(err)
		}
		return names(found.Nodes), ""
	}
	check := func(what string, filter order.PlaceFilter, want []string, code fault.Code, calls ...string) {
		t.Helper()
		got, gotCode := list(filter)
		if diff := cmp.Diff(want, got); diff != "" || gotCode != code {
			t.Errorf("%s: got code %q and places (-want +got):\n%s", what, gotCode, diff)
		}
		if diff := cmp.Diff(calls, courier.took()); diff != "" {
			t.Errorf("%s: calls of the courier (-want +got):\n%s", what, diff)
		}
	}
	cities, stores := order.PlaceFilter{Kind: plugin.PlaceCity}, order.PlaceFilter{Kind: plugin.PlaceStore}
	check("first", cities, []string{"Chittagong", "Dhaka"}, "", "city 0")
	check("again", cities, []string{"Chittagong", "Dhaka"}, "")
	check("search", order.PlaceFilter{Kind: plugin.PlaceCity, Search: "dha"}, []string{"Dhaka"}, "")
	check("search in Bangla", order.PlaceFilter{Kind: plugin.PlaceCity, Search: "চট্টগ্রাম"}, []string{"Chittagong"}, "")
	check("search for nothing", order.PlaceFilter{Kind: plugin.PlaceCity, Search: "paris"}, nil, "")
	check("zones", order.PlaceFilter{Kind: plugin.PlaceZone, Of: 1, Search: "MIRPUR 1"}, []string{"Mirpur 1", "Mirpur 10"}, "", "zone 1")
	check("stores", stores, []string{"Demo", "New"}, "", "store 0")

	courier.err = plugin.ErrCourierUnknown
	a.Clock.Advance(6 * time.Minute)
	check("stores while the courier is down", stores, []string{"Demo", "New"}, "", "store 0")
	check("stores a moment later", stores, []string{"Demo", "New"}, "")
	check("cities while the courier is down", cities, []string{"Chittagong", "Dhaka"}, "")
	check("areas while the courier is down", order.PlaceFilter{Kind: plugin.PlaceArea, Of: 50}, nil, fault.CodeUnavailable, "area 50")
	check("areas a moment later", order.PlaceFilter{Kind: plugin.PlaceArea, Of: 50}, nil, fault.CodeUnavailable)
	courier.err = plugin.ErrCourierRefused
	a.Clock.Advance(time.Minute)
	check("areas refused", order.PlaceFilter{Kind: plugin.PlaceArea, Of: 50}, nil, fault.CodeStateConflict, "area 50")
	courier.err = nil
	shoptest.ConfigurePlugin(t, a.Shop, plugin.CourierA, map[string]any{"token": "other"})
	check("areas of another account", order.PlaceFilter{Kind: plugin.PlaceArea, Of: 50}, []string{"Road 3", "Road 32", "Road 33"}, "", "area 50")
	a.Clock.Advance(24 * time.Hour)
	check("a day later", order.PlaceFilter{Kind: plugin.PlaceArea, Of: 50}, []string{"Road 3", "Road 32", "Road 33"}, "", "area 50")

	check("stations", order.PlaceFilter{Kind: plugin.PlaceStation}, nil, fault.CodeStateConflict)
	check("zones of nothing", order.PlaceFilter{Kind: plugin.PlaceZone}, nil, fault.CodeValidationFailed)
	check("cities of something", order.PlaceFilter{Kind: plugin.PlaceCity, Of: 1}, nil, fault.CodeValidationFailed)
	check("no kind", order.PlaceFilter{}, nil, fault.CodeValidationFailed)
}

// Many requests for a list that is not cached are one query, and lists that were not used for
// longest make room.
func TestListCourierPlaces_Bounded(t *testing.T) {
	t.Parallel()
	a, courier, _ := newPlaceShop(t)
	huge := make([]plugin.NamedPlace, 9000)
	for i := range huge {
		huge[i] = plugin.NamedPlace{ID: int64(i + 1), Name: strings.Repeat("x", 300)}
	}
	for i := range 4 {
		courier.lists[fmt.Sprint("zone ", i+1)] = huge
	}
	list := func(of int64) {
		found, err := a.Orders.ListCourierPlaces(t.Context(), access.Operator(), order.PlaceFilter{
			Provider: plugin.CourierA, Kind: plugin.PlaceZone, Of: of,
		})
		if err != nil || len(found.Nodes) != 9000 || len(found.Nodes[0].Name) != 200 {
			t.Errorf("got %v, %v, want 9000 places with shortened names", found, err)
		}
	}
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() { list(1) })
	}
	group.Wait()
	if diff := cmp.Diff([]string{"zone 1"}, courier.took()); diff != "" {
		t.Errorf("calls at once (-want +got):\n%s", diff)
	}
	for _, of := range []int64{2, 1, 3, 1, 2} { // two fit
		a.Clock.Advance(time.Second)
		list(of)
	}
	if diff := cmp.Diff([]string{"zone 2", "zone 3", "zone 2"}, courier.took()); diff != "" {
		t.Errorf("calls of lists that do not fit (-want +got):\n%s", diff)
	}
}

// The place of a shipment is suggested from the address, and sent when it is booked.
func TestSuggestCourierPlace(t *testing.T) {
	t.Parallel()
	a, first, second := newPlaceShop(t)
	suggest := func(provider plugin.Provider) order.PlaceSuggestion {
		t.Helper()
		found, err := a.Orders.SuggestCourierPlace(t.Context(), access.Operator(), dhanmondi, provider)
		if err != nil {
			t.Fatal(err)
		}
		return *found
	}
	want := order.PlaceSuggestion{
		Provider: plugin.CourierA, City: &plugin.NamedPlace{ID: 1, Name: "Dhaka", Active: true},
		Zone: &plugin.NamedPlace{ID: 50, Name: "Dhanmondi", Active: true}, Area: &plugin.NamedPlace{ID: 9, Name: "Road 32", Active: true},
	}
	if diff := cmp.Diff(want, suggest(plugin.CourierA)); diff != "" {
		t.Errorf("suggestion (-want +got):\n%s", diff)
	}
	want = order.PlaceSuggestion{Provider: plugin.CourierB, Station: &plugin.NamedPlace{ID: 17, Name: "Dhanmondi", In: "Dhaka", Active: true}}
	if diff := cmp.Diff(want, suggest(plugin.CourierB)); diff != "" {
		t.Errorf("suggestion (-want +got):\n%s", diff)
	}
	a.Exec(t, `UPDATE orders SET line1 = 'House 12, Road 33'`) // where the courier does not deliver
	if got := suggest(plugin.CourierA); got.Zone == nil || got.Zone.ID != 50 || got.Area != nil {
		t.Errorf("an area that is not active: got %+v, want the zone alone", got)
	}
	fail := func(err error) {
		first.mu.Lock()
		defer first.mu.Unlock()
		first.err = err
	}
	fail(plugin.ErrCourierUnknown)
	a.Exec(t, `UPDATE orders SET line1 = 'House 1', area = 'Mirpur 10'`) // a zone whose areas were not listed yet
	if got := suggest(plugin.CourierA); got.City == nil || got.Zone == nil || got.Zone.ID != 49 || got.Area != nil {
		t.Errorf("without the list of areas: got %+v, want city and zone", got)
	}
	fail(nil)
	for _, test := range []struct {
		line1, area, city string
		zone, station     int64
	}{
		{"House 1", "Mirpur-10", "Dhaka North City Corporation", 49, 0},
		{"House 1, Mirpur 1", "", "Dhaka", 37, 0},
		{"House 1", "", "Dhaka", 0, 0},
		{"House 1, Dhanmondi", "Kotwali", "Chattogram", 0, 204},
		{"House 1, Dhanmondi", "", "Paris", 0, 0},
		{"Dhanmondi Road 3", "", "Dhaka", 51, 17},
	} {
		a.Exec(t, `UPDATE orders SET line1 = ?, area = ?, city = ?`, test.line1, test.area, test.city)
		id := func(p *plugin.NamedPlace) int64 {
			if p == nil {
				return 0
			}
			return p.ID
		}
		if zone, station := id(suggest(plugin.CourierA).Zone), id(suggest(plugin.CourierB).Station); zone != test.zone || station != test.station {
			t.Errorf("%+v: got zone %d and station %d", test, zone, station)
		}
	}
	first.took()

	for _, test := range []struct {
		provider plugin.Provider
		place    plugin.CourierPlace
		field    string
	}{
		{plugin.CourierA, plugin.CourierPlace{Zone: 50}, "city"},
		{plugin.CourierA, plugin.CourierPlace{City: 1, Area: 9}, "zone"},
		{plugin.CourierA, plugin.CourierPlace{City: -1}, "city"},
		{plugin.CourierA, plugin.CourierPlace{Station: 17}, "station"},
		{plugin.CourierB, plugin.CourierPlace{City: 1}, "city"},
		{plugin.CourierB, plugin.CourierPlace{Station: 9999}, "station"},
	} {
		_, err := a.Orders.BookShipment(t.Context(), access.Operator(), dhanmondi, order.BookingInput{Provider: test.provider, Place: test.place})
		if invalid := shop.AsError(err); err == nil || len(invalid.Fields) != 1 || invalid.Fields[0].Field != test.field {
			t.Errorf("%+v: got %v, want %s to be invalid", test, err, test.field)
		}
	}
	if len(first.booked)+len(second.booked) > 0 {
		t.Fatal("got a booking with an invalid place, want none")
	}
	place := plugin.CourierPlace{City: 1, Zone: 50, Area: 9}
	if _, err := a.Orders.BookShipment(t.Context(), access.Operator(), dhanmondi, order.BookingInput{
		Provider: plugin.CourierA, Place: place,
	}); err != nil {
		t.Fatal(err)
	}
	if first.last.Place != place || first.last.Station != "" {
		t.Errorf("got %+v sent, want the place", first.last)
	}
	done, err := a.Orders.ChangeOrders(t.Context(), access.Operator(), order.BulkChange{
		Action: order.BulkBook, IDs: []string{dhanmondi},
		Options: order.BulkOptions{
			Provider: plugin.CourierB,
			Places:   map[string]plugin.CourierPlace{strings.ToLower(dhanmondi): {Station: 17, City: -1}},
		},
	})
	if shoptest.ErrorCode(err) != fault.CodeValidationFailed {
		t.Errorf("a job with an invalid place: got %v, %v, want validation_failed", done, err)
	}
}

// A job books each shipment with its own place.
func TestChangeOrders_Places(t *testing.T) {
	t.Parallel()
	a, _, second := newPlaceShop(t)
	_, err := a.Orders.ChangeOrders(t.Context(), access.Operator(), order.BulkChange{
		Action: order.BulkBook, IDs: []string{dhanmondi},
		Options: order.BulkOptions{Provider: plugin.CourierB, Places: map[string]plugin.CourierPlace{dhanmondi: {Station: 61}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Eventually(t, "booked with its police station", func() bool {
		second.mu.Lock()
		defer second.mu.Unlock()
		return second.last.Station == "Kotwali, Dhaka" && second.last.Place.Station == 61
	})
}

// Couriers that report an account are queried at most once a minute, and a failure is shown.
func TestListCourierBalances(t *testing.T) {
	t.Parallel()
	a, _, courier := newPlaceShop(t)
	list := func() order.CourierBalance {
		t.Helper()
		found, err := a.Orders.ListCourierBalances(t.Context(), access.Operator())
		if err != nil || len(found.Nodes) != 1 || found.Nodes[0].Provider != plugin.CourierB {
			t.Fatalf("got %+v, %v, want the account at courier_b alone", found, err)
		}
		return found.Nodes[0]
	}
	got := list()
	if got.Balance == nil || got.Balance.Amount != 1_245_000 || len(got.Payouts) != 1 || got.Payouts[0].Amount.Amount != 30_000 ||
		got.Problem != nil {
		t.Errorf("got %+v, want balance and payout", got)
	}
	if again := list(); !again.At.Equal(got.At) || !slices.Equal(courier.took(), []string{"balance", "payouts"}) {
		t.Errorf("again: got %+v, want the answer of a moment ago", again)
	}
	a.Clock.Advance(time.Minute)
	courier.err = fmt.Errorf("balance: %w", &plugin.Refusal{Kind: plugin.ErrCourierRefused, Status: 401, Words: "Unauthorized"})
	if failed := list(); failed.Balance != nil || failed.Problem == nil || !strings.Contains(*failed.Problem, "Unauthorized") {
		t.Errorf("got %+v, want the courier's refusal", failed)
	}
	list()
	if calls := courier.took(); !slices.Equal(calls, []string{"balance"}) {
		t.Errorf("after a failure: got calls %v, want one in a minute", calls)
	}
	courier.err = nil
	shoptest.ConfigurePlugin(t, a.Shop, plugin.CourierB, map[string]any{"token": "other"})
	if got := list(); got.Balance == nil {
		t.Errorf("another account: got %+v, want a new query", got)
	}
}
