package demo

import (
	"context"
	"fmt"
	"time"

	"storefront/shop/campaign"
)

// advertisement is a campaign that leads buyers to the shop, or a website without one.
type advertisement struct {
	source, medium, name string
	visits               int   // of a day
	spend                int64 // of a day, in minor units
}

// advertisements lead buyers in turn. The empty one stands for buyers who came directly.
var advertisements = []advertisement{
	{"facebook", "paid", "Eid sharees", 62, 280_00},
	{},
	{"facebook", "paid", "T-shirt, two for less", 41, 160_00},
	{"google", "organic", "", 18, 0},
	{"facebook", "paid", "Eid sharees", 0, 0},
	{"instagram", "paid", "Tea from Sylhet", 27, 90_00},
	{},
}

// attribution returns what led the buyer of the ith order.
func attribution(i int) *campaign.AttributionInput {
	ad := advertisements[i%len(advertisements)]
	if ad.source == "" {
		return nil
	}
	touch := &campaign.TouchInput{Source: &ad.source, Medium: &ad.medium}
	if ad.name != "" {
		touch.Campaign = &ad.name
	}
	return &campaign.AttributionInput{Last: touch}
}

// advertise counts the visits of each day, and saves what was spent.
func (a *author) advertise(ctx context.Context, start, end time.Time) error {
	zone, err := a.past.TimeZone(ctx)
	if err != nil {
		return err
	}
	var spend []campaign.SpendInput
	for at := start; !at.After(end); at = at.AddDate(0, 0, 1) {
		day, more := at.In(zone).Format(time.DateOnly), at.Day()*5%17
		visits := campaign.Visits{}
		for _, ad := range advertisements {
			if ad.visits > 0 {
				visits[campaign.NewKey(ad.source, ad.medium, ad.name)] = ad.visits + more
			}
			if ad.spend > 0 {
				spend = append(spend, campaign.SpendInput{Day: day, Name: ad.name, Amount: ad.spend})
			}
		}
		if err := a.past.Campaigns.AddVisits(ctx, day, visits); err != nil {
			return err
		}
	}
	if _, err := a.past.Campaigns.SaveSpend(ctx, a.caller, spend); err != nil {
		return fmt.Errorf("save spend: %w", err)
	}
	return nil
}
