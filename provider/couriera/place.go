package couriera

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"storefront/provider"
	"storefront/shop/plugin"
)

// maxStorePages limits the pages of stores that are requested.
const maxStorePages = 20

// place is an entry of any of the courier's lists.
type place struct {
	CityID   provider.Text `json:"city_id"`
	CityName string        `json:"city_name"`
	ZoneID   provider.Text `json:"zone_id"`
	ZoneName string        `json:"zone_name"`
	AreaID   provider.Text `json:"area_id"`
	AreaName string        `json:"area_name"`
	Delivers provider.Text `json:"home_delivery_available"`

	StoreID   provider.Text `json:"store_id"`
	StoreName string        `json:"store_name"`
	Address   string        `json:"store_address"`
	Active    provider.Text `json:"is_active"`
}

// PlaceKinds implements [plugin.PlaceDirectory].
func (*api) PlaceKinds() []plugin.PlaceKind {
	return []plugin.PlaceKind{plugin.PlaceStore, plugin.PlaceCity, plugin.PlaceZone, plugin.PlaceArea}
}

// ListPlaces implements [plugin.PlaceDirectory].
func (a *api) ListPlaces(ctx context.Context, access plugin.Access, kind plugin.PlaceKind, of int64) ([]plugin.NamedPlace, error) {
	var places []place
	var err error
	number := strconv.FormatInt(of, 10)
	switch kind {
	case plugin.PlaceStore:
		places, err = a.stores(ctx, access)
	case plugin.PlaceCity: // Pathao's documents have one of the paths, its own plugin the other
		places, err = a.placesAt(ctx, access, "/countries/1/city-list")
		if errors.Is(err, plugin.ErrCourierNotFound) {
			places, err = a.placesAt(ctx, access, "/city-list")
		}
	case plugin.PlaceZone:
		places, err = a.placesAt(ctx, access, "/cities/"+number+"/zone-list")
	case plugin.PlaceArea:
		places, err = a.placesAt(ctx, access, "/zones/"+number+"/area-list")
	default:
		err = plugin.ErrCourierUnsupported
	}
	if err != nil {
		return nil, fmt.Errorf("list places: %w", err)
	}
	named := make([]plugin.NamedPlace, len(places))
	for i := range places {
		named[i] = places[i].named(kind)
	}
	return named, nil
}

// named returns the place of an entry of a list.
func (p *place) named(kind plugin.PlaceKind) plugin.NamedPlace {
	id, name, active := p.CityID, p.CityName, provider.Text("")
	switch kind {
	case plugin.PlaceStore:
		id, name, active = p.StoreID, p.StoreName, p.Active
	case plugin.PlaceZone:
		id, name = p.ZoneID, p.ZoneName
	case plugin.PlaceArea:
		id, name, active = p.AreaID, p.AreaName, p.Delivers
	}
	number, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil { // left out by the shop
		number = 0
	}
	return plugin.NamedPlace{ID: number, Name: name, In: p.Address, Active: active != "0" && active != "false"}
}

func (a *api) placesAt(ctx context.Context, access plugin.Access, path string) ([]place, error) {
	var list struct {
		Data []place `json:"data"`
	}
	err := a.call(ctx, access, http.MethodGet, path, nil, &list)
	return list.Data, err
}

// stores returns all stores of the merchant.
func (a *api) stores(ctx context.Context, access plugin.Access) (all []place, err error) {
	for number := 1; number <= maxStorePages; number++ {
		var list struct {
			Data     []place     `json:"data"`
			LastPage json.Number `json:"last_page"`
		}
		path := "/stores"
		if number > 1 {
			path += "?page=" + strconv.Itoa(number)
		}
		if err := a.call(ctx, access, http.MethodGet, path, nil, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Data...)
		if last, err := list.LastPage.Int64(); err != nil || int64(number) >= last || len(list.Data) == 0 {
			break
		}
	}
	return all, nil
}
