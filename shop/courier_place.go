package shop

import (
	"context"
	"errors"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/district"
	"storefront/shop/fault"
	"storefront/shop/input"
)

// PlaceKind is a list of a courier: the merchant's stores, or places that it delivers to.
type PlaceKind string

// The kinds of places.
const (
	PlaceStore   PlaceKind = "store"   // where the courier picks up shipments
	PlaceCity    PlaceKind = "city"    // a district
	PlaceZone    PlaceKind = "zone"    // a part of a city
	PlaceArea    PlaceKind = "area"    // a part of a zone
	PlaceStation PlaceKind = "station" // a police station, by whose names addresses are sorted
)

// PlaceKinds returns all kinds of places.
func PlaceKinds() []PlaceKind {
	return []PlaceKind{PlaceStore, PlaceCity, PlaceZone, PlaceArea, PlaceStation}
}

// parent returns the kind of place whose parts the places of a kind are; "" means none.
func (k PlaceKind) parent() PlaceKind {
	switch k {
	case PlaceZone:
		return PlaceCity
	case PlaceArea:
		return PlaceZone
	}
	return ""
}

// NamedPlace is a place by a courier's own number and name.
type NamedPlace struct {
	ID     int64  `json:"_id" doc:"The courier's number"`
	Name   string `json:"name"`
	In     string `json:"in" doc:"The address of a store, the district of a police station; otherwise empty"`
	Active bool   `json:"active" doc:"Whether the courier picks up at a store, or delivers to an area"`
}

// PlaceDirectory lists places of a courier. Its errors are those of a [Courier].
type PlaceDirectory interface {
	// PlaceKinds returns the lists that the courier has.
	PlaceKinds() []PlaceKind
	// ListPlaces returns the places of a kind: the zones of a city, the areas of a zone, otherwise
	// all.
	ListPlaces(ctx context.Context, access PluginAccess, kind PlaceKind, of int64) ([]NamedPlace, error)
}

// PlaceFilter selects places of a courier.
type PlaceFilter struct {
	Provider Provider
	Kind     PlaceKind
	Of       int64  // the city of zones, or the zone of areas
	Search   string // each word must be the beginning of a word of the name; blank disables the search
}

// CourierPlaces are places of a courier, sorted by name.
type CourierPlaces struct {
	Provider Provider     `json:"provider"`
	Kind     PlaceKind    `json:"kind"`
	Nodes    []NamedPlace `json:"nodes" nullable:"false"`
}

// ListCourierPlaces returns the places of a courier that match a filter, in the shop's mode. Codes:
// validation_failed, state_conflict (settings are missing, or the courier refuses or has no such
// list), unavailable, unauthenticated, forbidden.
func (s *Shop) ListCourierPlaces(ctx context.Context, caller access.Caller, filter PlaceFilter) (*CourierPlaces, error) {
	who, err := s.requireStaff(ctx, caller, access.ToListCourierPlaces)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	parent := filter.Kind.parent()
	switch {
	case !slices.Contains(PlaceKinds(), filter.Kind):
		bad.Add("kind", fault.CodeInvalidValue, "Must be one of %s.", joinNames(PlaceKinds()))
	case parent != "" && filter.Of <= 0:
		bad.Add("of", fault.CodeRequired, "The _id of a %s is required.", parent)
	case parent == "" && filter.Of != 0:
		bad.Add("of", fault.CodeInvalidValue, "Only zones and areas are parts of another place.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	plugin, pluginAccess, err := s.courierFor(ctx, filter.Provider, "")
	if err != nil {
		return nil, err
	}
	// The settings are cached: the caller is checked again before the courier is called.
	if err := s.data.ViewAs(ctx, who, func(context.Context, *db.Tx) error { return nil }); err != nil {
		return nil, err
	}
	places, err := s.courierPlaces(ctx, plugin, pluginAccess, filter.Kind, filter.Of)
	if err != nil {
		return nil, err
	}
	return &CourierPlaces{filter.Provider, filter.Kind, searchPlaces(places, filter.Search)}, nil
}

// courierPlaces returns a list of a courier, from the cache if it has it. Codes: state_conflict,
// unavailable.
func (s *Shop) courierPlaces(ctx context.Context, plugin *Plugin, pluginAccess PluginAccess, kind PlaceKind, of int64) ([]NamedPlace, error) {
	if !plugin.hasPlaces(kind) {
		return nil, fault.Errorf(fault.CodeStateConflict, "%s has no list of %s.", plugin.Provider, placesNamed[kind])
	}
	return s.courierLists.places(ctx, s.now, plugin, pluginAccess, kind, of)
}

// placesNamed has the kinds of places in the plural.
var placesNamed = map[PlaceKind]string{
	PlaceStore: "stores", PlaceCity: "cities", PlaceZone: "zones", PlaceArea: "areas", PlaceStation: "police stations",
}

// hasPlaces reports whether a courier has a list.
func (p *Plugin) hasPlaces(kind PlaceKind) bool {
	return p.Places != nil && slices.Contains(p.Places.PlaceKinds(), kind)
}

// errCourierList is the error of a query to a courier that changes nothing.
func errCourierList(err error) *fault.Error {
	switch {
	case errors.Is(err, ErrCourierUnsupported), errors.Is(err, ErrCourierRefused), errors.Is(err, ErrCourierNotFound):
		return &fault.Error{Code: fault.CodeStateConflict, Message: "The courier refused to answer: " + courierWords(err) + ".", Err: err}
	}
	return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: int(courierListRetry.Seconds()),
		Message: "The courier did not respond. Try again in a moment.", Err: err}
}

// searchPlaces returns the places that match a search. A city is found by each name of its
// district, in Bangla too.
func searchPlaces(places []NamedPlace, search string) []NamedPlace {
	words := strings.Fields(input.FoldKey(search))
	city, _ := district.Find(search)
	found := []NamedPlace{}
	for _, place := range places {
		named := strings.FieldsFunc(input.FoldKey(place.Name+" "+place.In), func(r rune) bool { return strings.ContainsRune(" -,()/.", r) })
		matches := !slices.ContainsFunc(words, func(word string) bool {
			return !slices.ContainsFunc(named, func(name string) bool { return strings.HasPrefix(name, word) })
		})
		if other, _ := district.Find(place.Name); matches || city != "" && city == other {
			found = append(found, place)
		}
	}
	return found
}

// checkPlace adds what is wrong about the place of a shipment to bad.
func (in *BookingInput) checkPlace(bad *fault.Invalid) {
	p := in.Place
	for _, number := range []struct {
		field string
		value int64
	}{{"city", p.City}, {"zone", p.Zone}, {"area", p.Area}, {"station", p.Station}} {
		if number.value < 0 {
			bad.Add(number.field, fault.CodeInvalidValue, "Must be the _id of a %s.", number.field)
		}
	}
	if p.Zone > 0 && p.City == 0 {
		bad.Add("city", fault.CodeRequired, "A zone needs its city.")
	}
	if p.Area > 0 && p.Zone == 0 {
		bad.Add("zone", fault.CodeRequired, "An area needs its zone.")
	}
}

// completeOrderPlace is completePlace in the mode of an order. Codes: not_found too.
func (s *Shop) completeOrderPlace(ctx context.Context, who access.Staff, orderID string, in *BookingInput) error {
	if in.Place == (CourierPlace{}) {
		return nil
	}
	mode := Live
	err := s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err == nil && order.test != 0 {
			mode = Sandbox
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.completePlace(ctx, in, mode)
}

// completePlace checks that a courier knows a kind of place, and adds the name of a police station.
// Codes: validation_failed, state_conflict, unavailable.
func (s *Shop) completePlace(ctx context.Context, in *BookingInput, mode Mode) error {
	if in.Place == (CourierPlace{}) {
		return nil
	}
	plugin, pluginAccess, err := s.courierFor(ctx, in.Provider, mode)
	if err != nil {
		return err
	}
	var bad fault.Invalid
	if in.Place.City > 0 && !plugin.hasPlaces(PlaceCity) {
		bad.Add("city", fault.CodeInvalidValue, "%s has no cities.", plugin.Provider)
	}
	if in.Place.Station > 0 && !plugin.hasPlaces(PlaceStation) {
		bad.Add("station", fault.CodeInvalidValue, "%s has no police stations.", plugin.Provider)
	}
	if err := bad.Err(); err != nil || in.Place.Station == 0 {
		return err
	}
	stations, err := s.courierPlaces(ctx, plugin, pluginAccess, PlaceStation, 0)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(stations, func(p NamedPlace) bool { return p.ID == in.Place.Station })
	if i < 0 {
		bad.Add("station", fault.CodeInvalidValue, "%s has no police station with this _id.", plugin.Provider)
		return bad.Err()
	}
	in.stationName = joinNonEmpty(stations[i].Name, stations[i].In)
	return nil
}
