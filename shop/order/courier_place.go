package order

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
	"storefront/shop/plugin"
)

// PlaceFilter selects places of a courier.
type PlaceFilter struct {
	Provider plugin.Provider
	Kind     plugin.PlaceKind `query:"kind" required:"true" doc:"The list"`
	Of       int64            `query:"of" doc:"The city to list zones, the zone to list areas"`
	Search   string           `query:"search" doc:"The beginnings of words of the name"`
}

// CourierPlaces are places of a courier, sorted by name.
type CourierPlaces struct {
	Provider plugin.Provider     `json:"provider"`
	Kind     plugin.PlaceKind    `json:"kind"`
	Nodes    []plugin.NamedPlace `json:"nodes" nullable:"false"`
}

// ListCourierPlaces returns the places of a courier that match a filter, in the shop's mode. Codes:
// validation_failed, state_conflict (settings are missing, or the courier refuses or has no such
// list), unavailable, unauthenticated, forbidden.
func (s *Orders) ListCourierPlaces(ctx context.Context, caller access.Caller, filter PlaceFilter) (*CourierPlaces, error) {
	if err := access.Permit(ctx, s.data, caller, access.ToListCourierPlaces); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	parent := filter.Kind.Parent()
	switch {
	case !slices.Contains(plugin.PlaceKinds(), filter.Kind):
		bad.Add("kind", fault.CodeInvalidValue, "Must be one of %s.", input.JoinValues(plugin.PlaceKinds()))
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
	places, err := s.courierPlaces(ctx, plugin, pluginAccess, filter.Kind, filter.Of)
	if err != nil {
		return nil, err
	}
	return &CourierPlaces{filter.Provider, filter.Kind, searchPlaces(places, filter.Search)}, nil
}

// courierPlaces returns a list of a courier, from the cache if it has it. Codes: state_conflict,
// unavailable.
func (s *Orders) courierPlaces(
	ctx context.Context,
	plugin *plugin.Plugin,
	pluginAccess plugin.Access,
	kind plugin.PlaceKind,
	of int64,
) ([]plugin.NamedPlace, error) {
	if !plugin.HasPlaces(kind) {
		return nil, fault.Errorf(fault.CodeStateConflict, "%s has no list of %s.", plugin.Provider.Name(), placesNamed[kind])
	}
	return s.courierLists.places(ctx, s.now, plugin, pluginAccess, kind, of)
}

// placesNamed has the kinds of places in the plural.
var placesNamed = map[plugin.PlaceKind]string{
	plugin.PlaceStore: "stores", plugin.PlaceCity: "cities", plugin.PlaceZone: "zones", plugin.PlaceArea: "areas",
	plugin.PlaceStation: "police stations",
}

// errCourierList is the error of a query to a courier that changes nothing.
func errCourierList(provider plugin.Provider, err error) *fault.Error {
	switch {
	case errors.Is(err, plugin.ErrCourierUnsupported), errors.Is(err, plugin.ErrCourierRefused), errors.Is(err, plugin.ErrCourierNotFound):
		return errCourier("The courier refused to answer", provider, err)
	}
	return &fault.Error{Code: fault.CodeUnavailable, RetryAfter: int(courierListRetry.Seconds()),
		Message: "The courier did not respond. Try again in a moment.", Err: err}
}

// searchPlaces returns the places that match a search. A city is found by any name of its district,
// in Bangla too.
func searchPlaces(places []plugin.NamedPlace, search string) []plugin.NamedPlace {
	words := strings.Fields(input.FoldKey(search))
	city, _ := district.Find(search)
	found := []plugin.NamedPlace{}
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

// checkPlace adds the faults of a shipment's place to bad.
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
func (s *Orders) completeOrderPlace(ctx context.Context, who access.Staff, orderID string, in *BookingInput) error {
	if in.Place == (plugin.CourierPlace{}) {
		return nil
	}
	var mode plugin.Mode
	err := s.data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		order, err := requireOrder(tx, orderID)
		if err == nil {
			mode = order.mode()
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.completePlace(ctx, in, mode)
}

// completePlace checks that a courier uses a kind of place, and adds the name of a police station.
// Codes: validation_failed, state_conflict, unavailable.
func (s *Orders) completePlace(ctx context.Context, in *BookingInput, mode plugin.Mode) error {
	if in.Place == (plugin.CourierPlace{}) {
		return nil
	}
	adapter, pluginAccess, err := s.courierFor(ctx, in.Provider, mode)
	if err != nil {
		return err
	}
	var bad fault.Invalid
	if in.Place.City > 0 && !adapter.HasPlaces(plugin.PlaceCity) {
		bad.Add("city", fault.CodeInvalidValue, "%s does not use cities.", adapter.Provider.Name())
	}
	if in.Place.Station > 0 && !adapter.HasPlaces(plugin.PlaceStation) {
		bad.Add("station", fault.CodeInvalidValue, "%s does not use police stations.", adapter.Provider.Name())
	}
	if err := bad.Err(); err != nil {
		return err
	}
	if in.Place.Station == 0 {
		return nil
	}
	stations, err := s.courierPlaces(ctx, adapter, pluginAccess, plugin.PlaceStation, 0)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(stations, func(p plugin.NamedPlace) bool { return p.ID == in.Place.Station })
	if i < 0 {
		bad.Add("station", fault.CodeInvalidValue, "%s has no police station with this number.", adapter.Provider.Name())
		return bad.Err()
	}
	in.stationName = joinNonEmpty(stations[i].Name, stations[i].In)
	return nil
}
