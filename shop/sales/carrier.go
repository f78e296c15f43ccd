package sales

import (
	"context"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/timezone"
)

// byCarrier counts deliveries and returns by courier and area. No report has it: it is stored for
// [FindCarriers].
const byCarrier Grouping = "carrier"

// carrierDays are the days that [FindCarriers] counts.
const carrierDays = 180

// Carrier is how often a courier has delivered to a place.
type Carrier struct {
	Courier             string
	Delivered, Returned int
}

// addToCarriers adds the deliveries and returns of the order to the rows of its couriers in its
// area.
func (o *soldOrder) addToCarriers(rows salesRows, own salesRow) {
	if o.orders == 0 || o.courier == "" {
		return
	}
	of := salesRows{}
	o.addToCouriers(of, own)
	for courier, row := range of {
		if row.sums[sumDelivered]+row.sums[sumReturned] == 0 {
			continue
		}
		to := rows.row(courier + areaSeparator + areaKey(o.city, o.area))
		to.sums[sumDelivered] += row.sums[sumDelivered]
		to.sums[sumReturned] += row.sums[sumReturned]
	}
}

// FindCarriers returns what each courier has delivered and returned in the last months: in an area,
// and in the whole of its city. The spelling of the places does not count. Its work grows with the
// days, not with the orders.
func FindCarriers(
	ctx context.Context, tx *db.Tx, set Settings, city, area string,
) (inArea, inCity []Carrier, err error) {
	today := timezone.StartOfDay(tx.Now().In(set.Zone), 0)
	days := timezone.Days(timezone.StartOfDay(today, 1-carrierDays), today)
	sums, err := findSales(ctx, tx, byCarrier, days)
	if err != nil {
		return nil, nil, err
	}
	places := placeFolder{country: set.Country, cities: map[string]string{}}
	wantArea, wantCity := places.fold(ByArea, areaKey(city, area)), places.fold(ByCity, city)
	byArea, byCity := map[string]*Carrier{}, map[string]*Carrier{}
	for key, row := range sums.rows {
		courier, place, _ := strings.Cut(key, areaSeparator)
		of, _, _ := strings.Cut(place, areaSeparator)
		if places.fold(ByCity, of) != wantCity {
			continue
		}
		addCarrier(byCity, courier, row)
		if area != "" && places.fold(ByArea, place) == wantArea {
			addCarrier(byArea, courier, row)
		}
	}
	return sortedCarriers(byArea), sortedCarriers(byCity), nil
}

func addCarrier(to map[string]*Carrier, courier string, row *salesRow) {
	c := to[courier]
	if c == nil {
		c = &Carrier{Courier: courier}
		to[courier] = c
	}
	c.Delivered += int(row.sums[sumDelivered])
	c.Returned += int(row.sums[sumReturned])
}

// sortedCarriers returns the carriers by the names of the couriers.
func sortedCarriers(of map[string]*Carrier) (all []Carrier) {
	for _, c := range of {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Carrier) int { return strings.Compare(a.Courier, b.Courier) })
	return all
}
