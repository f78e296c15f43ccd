package campaign_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/campaign"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

// month is a shop with a month of invented advertising.
type month struct {
	*shoptest.Stocked
	t      *testing.T
	random *rand.Rand
}

var channels = []campaign.TouchInput{
	{Source: new("facebook"), Medium: new("paid"), Campaign: new("Eid Sale")},
	{Source: new("instagram"), Medium: new("paid"), Campaign: new("eid sale")},
	{Source: new("facebook"), Medium: new("paid"), Campaign: new("Mugs | retargeting")},
	{Source: new("google"), Medium: new("cpc")},
	{Referrer: new("www.blog.example")},
	{Fbclid: new("IwAR0abc")},
}

// place places an order of the month: by staff, directly, or after one or two campaigns.
func (m *month) place(phone string) string {
	m.t.Helper()
	buyer := shoptest.GuestOrder(m.Card.ID, 1+m.random.IntN(3))
	buyer.Customer.PhoneNumber = &phone
	if m.random.IntN(5) == 0 {
		placed, err := m.Orders.PlaceOrderAsStaff(m.t.Context(), access.Operator(), order.StaffInput{
			Items:    []order.StaffItemInput{{VariantID: m.Card.Variants[0].ID, Quantity: 1}},
			Customer: buyer.Customer, ShippingAddress: buyer.ShippingAddress, Confirm: new(m.random.IntN(2) == 0),
			Source: []status.Source{status.SourceFacebook, status.SourceWhatsApp, status.SourcePhone}[m.random.IntN(3)],
		}, false)
		if err != nil {
			m.t.Fatal(err)
		}
		return placed.Order.ID
	}
	if m.random.IntN(6) > 0 {
		first, last := channels[m.random.IntN(len(channels))], channels[m.random.IntN(len(channels))]
		first.At = new(m.Clock.Now().AddDate(0, 0, -m.random.IntN(40))) // older than 30 days does not count
		buyer.Attribution = &campaign.AttributionInput{First: &first, Last: &last, Fbp: new("fb.1.1.2")}
	}
	return m.Place(m.t, access.Caller{}, buyer).ID
}

// end delivers an order, returns it, cancels it, or leaves it open.
func (m *month) end(id string) {
	m.t.Helper()
	ship := func() {
		in := order.ShipmentInput{Provider: plugin.CourierA, ConsignmentID: "C" + id}
		if _, err := m.Orders.RecordShipment(m.t.Context(), access.Operator(), id, in); err != nil {
			m.t.Fatal(err)
		}
	}
	confirm := func() { _, _ = m.Orders.ConfirmOrder(m.t.Context(), access.Operator(), id) } // staff may have confirmed it
	var err error
	switch m.random.IntN(6) {
	case 0:
		confirm()
	case 1, 2:
		confirm()
		ship()
		_, err = m.Orders.MarkDelivered(m.t.Context(), access.Operator(), id, nil)
	case 3:
		confirm()
		ship()
		m.Move(m.t, plugin.CourierA, "C"+id, status.ShipmentReturning)
		if m.random.IntN(2) == 0 {
			_, err = m.Orders.MarkReturned(m.t.Context(), access.Operator(), id, nil)
		}
	case 4:
		_, err = m.Orders.CancelOrderAsStaff(m.t.Context(), access.Operator(), id, "test")
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// byHand computes the report in SQL, from the orders, the visits and the spend.
func (m *month) byHand(touch sales.AttributionTouch, first, last string) (rows []string) {
	m.t.Helper()
	zone, err := m.TimeZone(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	start, _ := time.ParseInLocation(time.DateOnly, first, zone)
	end, _ := time.ParseInLocation(time.DateOnly, last, zone)
	of := func(part string) string { return "COALESCE(a." + string(touch) + "_" + part + ", '')" }
	kind := `CASE WHEN ` + of("campaign") + ` <> '' THEN 'campaign' WHEN ` + of("source") + ` <> '' THEN 'source'
		WHEN o.source <> 'storefront' THEN 'staff' ELSE 'direct' END`
	name := `CASE WHEN ` + of("campaign") + ` <> '' THEN LOWER(` + of("campaign") + `)
		WHEN ` + of("medium") + ` <> '' THEN ` + of("source") + ` || ' / ' || ` + of("medium") + `
		WHEN ` + of("source") + ` <> '' THEN ` + of("source") + ` WHEN o.source <> 'storefront' THEN o.source ELSE '' END`
	const counts = "o.status NOT IN ('cancelled', 'expired', 'pending_payment')"
	sum := func(condition, value string) string {
		return "SUM(CASE WHEN " + condition + " THEN " + value + " ELSE 0 END)"
	}
	query := `
		SELECT kind, name, MAX(visits), SUM(orders), SUM(confirmed), SUM(delivered), SUM(returned), SUM(cancelled), SUM(sold), SUM(earned),
			SUM(sold) - SUM(cost), SUM(spent)
		FROM (
			SELECT ` + kind + ` AS kind, ` + name + ` AS name, 0 AS visits, ` + sum(counts, "1") + ` AS orders,
				` + sum("o.status IN ('confirmed', 'processing', 'completed', 'returned')", "1") + ` AS confirmed,
				` + sum(counts+" AND o.fulfillment_status IN ('delivered', 'partially_delivered')", "1") + ` AS delivered,
				` + sum(counts+" AND o.fulfillment_status IN ('returning', 'returned')", "1") + ` AS returned,
				` + sum("o.status = 'cancelled'", "1") + ` AS cancelled,
				` + sum(counts+" AND o.status <> 'returned'", "o.subtotal - o.discount") + ` AS sold,
				` + sum(counts+" AND o.fulfillment_status = 'delivered'", "o.total") + ` AS earned,
				` + sum(counts+" AND o.status <> 'returned'", "(SELECT SUM(i.quantity * 60) FROM order_items i WHERE i.order_number = o.number)") + ` AS cost,
				0 AS spent
			FROM orders o
			LEFT JOIN order_attributions a ON a.order_number = o.number
			WHERE o.placed_at >= ? AND o.placed_at < ?
			GROUP BY 1, 2
			UNION ALL
			SELECT kind, CASE WHEN kind = 'campaign' THEN LOWER(campaign) WHEN medium <> '' THEN source || ' / ' || medium ELSE source END,
				SUM(visits), 0, 0, 0, 0, 0, 0, 0, 0, 0
			FROM campaign_visits
			WHERE day BETWEEN ? AND ?
			GROUP BY 1, 2
			UNION ALL
			SELECT kind, LOWER(name), 0, 0, 0, 0, 0, 0, 0, 0, 0, SUM(amount)
			FROM campaign_spend
			WHERE day BETWEEN ? AND ?
			GROUP BY 1, 2) parts
		GROUP BY kind, name`
	err = m.Store.View(m.t.Context(), db.ID(m.UID()), func(_ context.Context, tx *db.Tx) error {
		rows = nil
		args := []any{db.Millis(start), db.Millis(end.AddDate(0, 0, 1)), first, last, first, last}
		return tx.Each(query, args, func(r db.Row) error {
			var kind, name string
			var n [10]int64
			err := r.Scan(&kind, &name, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9])
			rows = append(rows, fmt.Sprint(kind, " ", name, " ", n))
			return err
		})
	})
	if err != nil {
		m.t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

// reported returns the rows of the report in the form of byHand.
func (m *month) reported(touch sales.AttributionTouch, first, last string) (rows []string) {
	m.t.Helper()
	r := m.ReportCampaigns(m.t, sales.CampaignFilter{From: first, To: last, Touch: touch})
	for _, row := range r.Rows {
		var visits, spend int64
		if row.Visits != nil {
			visits = *row.Visits
		}
		if row.Spend != nil {
			spend = row.Spend.Amount
			if row.Return == nil || *row.Return != (row.Earned.Amount*1000+spend/2)/spend || (row.Cost == nil) != (row.Delivered == 0) ||
				row.Cost != nil && row.Cost.Amount != spend/int64(row.Delivered) {
				m.t.Errorf("%s %s: got return %v and cost %v of %d", row.Kind, row.Name, row.Return, row.Cost, spend)
			}
		}
		rows = append(rows, fmt.Sprint(row.Kind, " ", strings.ToLower(row.Name), " ", [10]int64{
			visits, int64(row.Orders), int64(row.Confirmed), int64(row.Delivered), int64(row.Returned), int64(row.Cancelled),
			row.Sales.Amount, row.Earned.Amount, row.Margin.Amount, spend,
		}))
	}
	slices.Sort(rows)
	return rows
}

// The report of a month of advertising equals a calculation in SQL: while no day is counted, after
// all days were, and after a late change.
func TestReportCampaigns_Month(t *testing.T) {
	t.Parallel()
	m := &month{shoptest.NewCouriers(t, map[string]any{
		"openOrdersPerPhone": 10_000, "deliveryCharges": []map[string]any{{"name": "Dhaka", "charge": 60_00}},
	}), t, rand.New(rand.NewPCG(1, 2))}
	cost := catalogue.ProductChange{Variants: []catalogue.VariantChange{{Variant: m.Card.Variants[0].ID, Cost: new(int64(60))}}}
	if _, err := m.Catalogue.UpdateProduct(t.Context(), access.Operator(), m.Card.ID, cost); err != nil {
		t.Fatal(err)
	}
	first := m.Clock.Now().Format(time.DateOnly)
	var orders []string
	for day := range 30 {
		for range 6 {
			orders = append(orders, m.place(fmt.Sprintf("01711-0000%02d", m.random.IntN(40))))
			m.Clock.Advance(time.Hour)
		}
		today := m.Clock.Now().Format(time.DateOnly)
		for range 2 { // two servers
			err := m.Campaigns.AddVisits(t.Context(), today, campaign.Visits{
				campaign.NewKey("facebook", "paid", "Eid Sale"): 5, campaign.NewKey("instagram", "paid", "eid sale"): 1 + day,
				campaign.NewKey("google", "cpc", ""): 1,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err := m.Campaigns.SaveSpend(t.Context(), access.Operator(), []campaign.SpendInput{
			{Day: today, Name: "EID  sale", Amount: int64(100_00 + day)}, {Day: today, Name: "Never seen", Amount: 7_00},
			{Day: today, Kind: campaign.KindStaff, Name: "facebook", Amount: 50_00},
		})
		if err != nil {
			t.Fatal(err)
		}
		m.Clock.Advance(18 * time.Hour)
	}
	for _, id := range orders {
		m.end(id)
	}
	last := m.Clock.Now().Format(time.DateOnly)
	check := func(when string) {
		t.Helper()
		for _, touch := range []sales.AttributionTouch{sales.TouchFirst, sales.TouchLast} {
			want := m.byHand(touch, first, last)
			if diff := cmp.Diff(want, m.reported(touch, first, last)); diff != "" || len(want) < 9 {
				t.Errorf("%s, by the %s touch, %d rows (-by hand +reported):\n%s", when, touch, len(want), diff)
			}
		}
	}
	check("not counted")
	m.CountDays(t)
	check("counted")
	m.end(m.place("01711-000099"))
	for range 20 {
		_, _ = m.Orders.ConfirmOrder(t.Context(), access.Operator(), orders[m.random.IntN(len(orders))]) // some are closed
	}
	check("changed")
	m.CountDays(t)
	check("counted again")
	m.CheckDays(t)

	// An erased buyer's orders count, and say nothing about the buyer's browser.
	before := m.byHand(sales.TouchFirst, first, last)
	const personal = `SELECT COUNT(*) FROM order_attributions a JOIN orders o ON o.number = a.order_number WHERE a.details LIKE '%IwAR0abc%'`
	all := m.Number(t, personal)
	of := m.Number(t, personal+` AND o.customer_phone = '+8801711000001'`)
	if all == of || of == 0 {
		t.Fatalf("got %d orders with a click, %d of one buyer", all, of)
	}
	export, err := m.ExportCustomer(t.Context(), access.Operator(), "01711-000001")
	if err != nil || len(export.Attributions) < int(of) || export.Attributions[0].OrderID == "" {
		t.Errorf("got %+v, %v, want the buyer's attributions in the export", export.Attributions, err)
	}
	if _, err := m.DeleteCustomer(t.Context(), access.Operator(), "01711-000001"); err != nil {
		t.Fatal(err)
	}
	if got := m.Number(t, personal); got != all-of {
		t.Errorf("got %d orders with a click after the erasure, want %d", got, all-of)
	}
	if diff := cmp.Diff(before, m.reported(sales.TouchFirst, first, last)); diff != "" {
		t.Errorf("the erasure changed the report:\n%s", diff)
	}
}
