package plugin

import "context"

// PlaceKind is a list of a courier. courier_a has the first four, courier_b the last.
//
//api:enum PlaceKind
type PlaceKind string

// The kinds of places.
const (
	PlaceStore   PlaceKind = "store"   // where the courier picks up shipments
	PlaceCity    PlaceKind = "city"    // a district
	PlaceZone    PlaceKind = "zone"    // a part of a city
	PlaceArea    PlaceKind = "area"    // a part of a zone
	PlaceStation PlaceKind = "station" // a police station
)

// PlaceKinds returns all kinds of places.
func PlaceKinds() []PlaceKind {
	return []PlaceKind{PlaceStore, PlaceCity, PlaceZone, PlaceArea, PlaceStation}
}

// parent returns the kind of place that contains the places of a kind; "" if there is none.
func (k PlaceKind) Parent() PlaceKind {
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

// PlaceDirectory lists places of a courier. Its errors are a [Courier]'s.
type PlaceDirectory interface {
	// PlaceKinds returns the lists that the courier has.
	PlaceKinds() []PlaceKind
	// ListPlaces returns the places of a kind: the zones of a city, the areas of a zone, otherwise
	// all.
	ListPlaces(ctx context.Context, access Access, kind PlaceKind, of int64) ([]NamedPlace, error)
}
