package order

import (
	"cmp"
	"context"
	"slices"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/plugin"
	"storefront/shop/sales"
)

const (
	// minCarried are the shipments that a courier must have delivered or returned at a place, so that
	// its figures say something.
	minCarried = 20
	// minLead is by how much the best courier must lead, in tenths of a per cent.
	minLead = 50
)

// CourierSuggestion is the courier that delivers best where an order goes.
type CourierSuggestion struct {
	Provider *plugin.Provider  `json:"provider" doc:"null if no two couriers have enough shipments there, or if they deliver alike"`
	City     string            `json:"city"`
	Area     *string           `json:"area" doc:"null if the figures are of the whole city"`
	Couriers []CourierDelivery `json:"couriers" nullable:"false" doc:"The best first; those with too few shipments are left out"`
}

// CourierDelivery is how often a courier has delivered to a place in the last 180 days.
type CourierDelivery struct {
	Provider     plugin.Provider `json:"provider"`
	Delivered    int             `json:"delivered"`
	Returned     int             `json:"returned" doc:"Returned, or on the way back"`
	DeliveryRate int             `json:"deliveryRate" doc:"Delivered per delivered or returned, in tenths of a per cent"`
}

// SuggestCourier returns the courier that has delivered most reliably to the area of an order, or
// else to its city, with its figures. Codes: not_found, unauthenticated, forbidden.
func (s *Orders) SuggestCourier(
	ctx context.Context, caller access.Caller, invoiceUID string,
) (*CourierSuggestion, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	who, err := s.data.Authorize(ctx, caller, access.ToSuggestCourier)
	if err != nil {
		return nil, err
	}
	var suggestion *CourierSuggestion
	err = s.data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
		o, err := requireSentOrder(tx, invoiceUID)
		if err != nil {
			return err
		}
		of := sales.Settings{Currency: set.Currency, Zone: set.Zone, Country: set.Country}
		inArea, inCity, err := sales.FindCarriers(ctx, tx, of, o.city, o.area)
		if err != nil {
			return err
		}
		suggestion = &CourierSuggestion{City: o.city, Area: db.NullText(o.area)}
		if suggestion.compare(inArea); suggestion.Provider == nil {
			suggestion.Area = nil
			suggestion.compare(inCity)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return suggestion, nil
}

// compare sets the couriers with enough shipments, and the best of them if it leads.
func (s *CourierSuggestion) compare(carriers []sales.Carrier) {
	s.Couriers = []CourierDelivery{}
	for _, c := range carriers {
		if all := c.Delivered + c.Returned; all >= minCarried {
			s.Couriers = append(s.Couriers, CourierDelivery{
				plugin.Provider(c.Courier), c.Delivered, c.Returned, (c.Delivered*1000 + all/2) / all,
			})
		}
	}
	slices.SortStableFunc(s.Couriers,
		func(a, b CourierDelivery) int { return cmp.Compare(b.DeliveryRate, a.DeliveryRate) })
	if len(s.Couriers) > 1 && s.Couriers[0].DeliveryRate-s.Couriers[1].DeliveryRate >= minLead {
		s.Provider = &s.Couriers[0].Provider
	}
}
