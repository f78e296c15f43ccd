package sales

import (
	"cmp"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/campaign"
	"storefront/shop/status"
)

// byFirstCampaign groups orders by the first touch, as packed by package campaign. No report on
// sales has it: it is stored for [Reports.ReportCampaigns].
const byFirstCampaign Grouping = "first_campaign"

// byLastCampaign is as byFirstCampaign, by the last touch.
const byLastCampaign Grouping = "last_campaign"

// campaign returns the key of an order's row by the campaign that is known of it.
func (o *soldOrder) campaign(known string) string {
	switch {
	case known != "":
		return known
	case o.source != string(status.SourceStorefront):
		return campaign.StaffKey(status.Source(o.source)).Pack()
	}
	return campaign.Key{Kind: campaign.KindDirect}.Pack()
}

const soldCampaignsQuery = `
		SELECT a.order_number, a.first_source, a.first_medium, a.first_campaign, a.last_source, a.last_medium, a.last_campaign
		FROM orders o
		JOIN order_attributions a ON a.order_number = o.number
		WHERE o.placed_at >= ? AND o.placed_at < ? AND o.test = 0`

// addCampaigns adds its campaigns to each order.
func addCampaigns(tx *db.Tx, from, before time.Time, orders map[int64]*soldOrder) error {
	err := tx.Each(soldCampaignsQuery, []any{db.Millis(from), db.Millis(before)}, func(r db.Row) error {
		var number int64
		var first, last struct{ source, medium, campaign string }
		err := r.Scan(&number, &first.source, &first.medium, &first.campaign, &last.source, &last.medium, &last.campaign)
		if o := orders[number]; err == nil && o != nil {
			o.first = campaign.NewKey(first.source, first.medium, first.campaign).Pack()
			o.last = campaign.NewKey(last.source, last.medium, last.campaign).Pack()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("count campaigns: %w", err)
	}
	return nil
}

// campaignName identifies a row of the report by campaign. Spellings of a name are one row.
type campaignName struct {
	kind campaign.Kind
	key  string
}

// campaignRow are the figures of a row while they are added up.
type campaignRow struct {
	sales    salesRow
	visits   *int64 // nil means that none are counted
	spend    *int64 // nil means that none was entered
	name     string
	spelled  int64           // orders and visits with the name
	channels map[string]bool // sources and mediums
}

// campaignRows are the rows of a report by campaign.
type campaignRows map[campaignName]*campaignRow

// row returns the row of a name, after adding one if there is none. weight decides which spelling
// the row shows.
func (rows campaignRows) row(kind campaign.Kind, name string, weight int64) *campaignRow {
	id := campaignName{kind, campaign.Fold(name)}
	r, ok := rows[id]
	if !ok {
		r = &campaignRow{name: name, spelled: weight, channels: map[string]bool{}}
		rows[id] = r
		return r
	}
	if c := cmp.Compare(weight, r.spelled); c > 0 || c == 0 && name < r.name {
		r.name, r.spelled = name, weight
	}
	return r
}

// of returns the row of a key.
func (rows campaignRows) of(k campaign.Key, weight int64) *campaignRow {
	r := rows.row(k.Kind, k.Name(), weight)
	if channel := k.Channel(); k.Kind == campaign.KindCampaign && channel != "" {
		r.channels[channel] = true
	}
	return r
}

func addTo(sum **int64, n int64) {
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += n
}

// add adds another row.
func (r *campaignRow) add(other *campaignRow) {
	r.sales.add(&other.sales)
	if other.visits != nil {
		addTo(&r.visits, *other.visits)
	}
	if other.spend != nil {
		addTo(&r.spend, *other.spend)
	}
}
