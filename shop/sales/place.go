package sales

import (
	"cmp"
	"strings"

	"storefront/shop/district"
)

// foldPlaces adds up the rows of a city or an area that buyers spell in several ways. The key of
// the row is its most frequent spelling.
func (p *periodSums) foldPlaces(by Grouping, country string) {
	if by != ByCity && by != ByArea {
		return
	}
	places := placeFolder{country: country, cities: map[string]string{}}
	folded := make(salesRows, len(p.rows))
	most := map[string]int64{} // orders of the spelling that is the key of the row
	for spelling, row := range p.rows {
		key, orders := places.fold(by, spelling), row.sums[sumOrders]
		all, ok := folded[key]
		if !ok {
			folded[key], most[key] = row, orders
			continue
		}
		all.add(row)
		if c := cmp.Compare(orders, most[key]); c > 0 || c == 0 && spelling < all.key {
			all.key, most[key] = spelling, orders
		}
	}
	p.rows, p.fold = folded, func(spelling string) string { return places.fold(by, spelling) }
}

// placeFolder finds the form of the names of places for comparison.
type placeFolder struct {
	country string
	cities  map[string]string // by spelling
}

// fold returns that form of a city, or of an area with its city.
func (f *placeFolder) fold(by Grouping, spelling string) string {
	city, area := spelling, ""
	if by == ByArea {
		city, area, _ = strings.Cut(spelling, areaSeparator)
	}
	key, ok := f.cities[city]
	if !ok {
		name, known := "", false
		if f.country == "BD" {
			name, known = district.Find(city)
		}
		if !known {
			name = city
		}
		key = cmp.Or(district.Key(name), name)
		f.cities[city] = key
	}
	if by == ByArea {
		return areaKey(key, cmp.Or(district.Key(area), area))
	}
	return key
}
