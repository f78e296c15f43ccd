package order

import (
	"context"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/district"
	"storefront/shop/plugin"
)

// PlaceSuggestion is the destination of an order's shipment in a courier's lists, as far as its
// address identifies it.
type PlaceSuggestion struct {
	Provider plugin.Provider    `json:"provider"`
	City     *plugin.NamedPlace `json:"city"     doc:"Null if the courier has no cities, or the address names none for certain"`
	Zone     *plugin.NamedPlace `json:"zone"     doc:"Zone of the city; null as for city"`
	Area     *plugin.NamedPlace `json:"area"     doc:"Area of the zone; null as for city"`
	Station  *plugin.NamedPlace `json:"station"  doc:"Police station; null as for city"`
}

// SuggestCourierPlace returns the destination of an order's shipment in the lists of a courier, by
// its address. If a list within its city is unavailable, it returns the places found so far. Codes:
// validation_failed, not_found, state_conflict (settings are missing, or the courier refuses),
// unavailable, unauthenticated, forbidden.
func (s *Orders) SuggestCourierPlace(
	ctx context.Context,
	caller access.Caller,
	invoiceUID string,
	provider plugin.Provider,
) (*PlaceSuggestion, error) {
	order, err := access.Read(ctx, s.data, caller, access.ToSuggestCourierPlace,
		func(tx *db.Tx, _ access.Staff) (*orderRow, error) {
			return requireSentOrder(tx, invoiceUID)
		})
	if err != nil {
		return nil, err
	}
	adapter, pluginAccess, err := s.courierFor(ctx, provider, order.mode())
	if err != nil {
		return nil, err
	}
	list := func(kind plugin.PlaceKind, of int64) []plugin.NamedPlace {
		if err != nil || !adapter.HasPlaces(kind) {
			return nil
		}
		var places []plugin.NamedPlace
		places, err = s.courierPlaces(ctx, adapter, pluginAccess, kind, of)
		return places
	}
	served := func(place *plugin.NamedPlace) *plugin.NamedPlace {
		if place == nil || !place.Active {
			return nil
		}
		return place
	}
	address := newPlaceFinder(order)
	suggestion := &PlaceSuggestion{Provider: provider, City: served(address.city(list(plugin.PlaceCity, 0)))}
	if suggestion.City != nil {
		suggestion.Zone = served(address.longest(list(plugin.PlaceZone, suggestion.City.ID)))
	}
	if suggestion.Zone != nil {
		suggestion.Area = served(address.longest(list(plugin.PlaceArea, suggestion.Zone.ID)))
	}
	suggestion.Station = served(address.station(list(plugin.PlaceStation, 0)))
	if err != nil && suggestion.City == nil { // otherwise staff choose the rest from the lists
		return nil, err
	}
	return suggestion, nil
}

// placeFinder finds places in the words of an address.
type placeFinder struct {
	cityName string
	parts    [][]string // the likeliest to contain a place first
}

func newPlaceFinder(o *orderRow) placeFinder {
	a := placeFinder{cityName: o.city}
	for _, text := range []string{o.area, o.line2, o.line1, o.city} {
		a.parts = append(a.parts, district.Words(text))
	}
	return a
}

// city returns the place of the address's city, in any spelling of its district.
func (a placeFinder) city(places []plugin.NamedPlace) *plugin.NamedPlace {
	return findCity(a.cityName, places, placeName)
}

func placeName(p plugin.NamedPlace) string { return p.Name }

func placeIn(p plugin.NamedPlace) string { return p.In }

// findCity returns the first place with a name, from of, that is the city; nil if there is none.
func findCity(city string, places []plugin.NamedPlace, of func(plugin.NamedPlace) string) *plugin.NamedPlace {
	name, known := district.Find(city)
	for i := range places {
		other, otherKnown := district.Find(of(places[i]))
		if known && otherKnown && name == other || district.Key(of(places[i])) == district.Key(city) && district.Key(city) != "" {
			return &places[i]
		}
	}
	return nil
}

// longest returns the place with the longest name in the address; nil if there is none, or two of
// equal length.
func (a placeFinder) longest(places []plugin.NamedPlace) *plugin.NamedPlace {
	for _, part := range a.parts {
		var best *plugin.NamedPlace
		size, twice := 0, false
		for i := range places {
			words := district.Words(places[i].Name)
			length := len(strings.Join(words, " "))
			if length < size || !hasWords(part, words) {
				continue
			}
			twice = length == size
			best, size = &places[i], length
		}
		if best != nil && !twice {
			return best
		}
	}
	return nil
}

// station returns the police station of the address's district in the address.
func (a placeFinder) station(places []plugin.NamedPlace) *plugin.NamedPlace {
	var within []plugin.NamedPlace
	for _, place := range places {
		if findCity(a.cityName, []plugin.NamedPlace{place}, placeIn) != nil {
			within = append(within, place)
		}
	}
	return a.longest(within)
}

// hasWords reports whether text has words one after the other. Without words it returns false.
func hasWords(text, words []string) bool {
	for i := 0; len(words) > 0 && i+len(words) <= len(text); i++ {
		if slices.Equal(text[i:i+len(words)], words) {
			return true
		}
	}
	return false
}
