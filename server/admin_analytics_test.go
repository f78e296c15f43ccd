package server_test

import (
	"strings"
	"testing"

	"storefront/shop"
	"storefront/shop/campaign"
	"storefront/shop/fault"
	"storefront/shop/sales"
	"storefront/shop/shoptest"
)

// A report on sales has the rows that its path names, beside those of the period before, to those
// who may view analytics alone; a file has the same rows.
func TestAdmin_Analytics(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t, nil)
	s.shop.InsertOrder(t, "0123456789ABCDE0", shoptest.RahimsPhone)
	s.shop.Exec(t, `UPDATE orders SET placed_at = ? WHERE number = 1`, s.shop.Clock.Now().UnixMilli())
	s.shop.Exec(t, `
		INSERT INTO order_items (order_number, position, product_id, variant_id, title, variant_title, sku, image_url, quantity, unit_price,
			discount, stock_taken)
		VALUES (1, 1, 'mug', 'large', 'Mug', '', '', '', 1, 100, 0, 0)`)
	const path = "/admin/v1/shops/test/"
	reader, exporter := s.key(t, "analytics.read"), s.key(t, "export")
	for name, by := range map[string]sales.Grouping{
		"days": sales.ByDay, "products": sales.ByProduct, "places": sales.ByCity, "couriers": sales.ByCourier,
		"payments": sales.ByMethod, "coupons": sales.ByCoupon, "discounts": sales.ByDiscount,
		"areas": sales.ByArea, "sources": sales.BySource, "buyers": sales.ByBuyer,
	} {
		var r shop.SalesReport
		s.get(path+"analytics/"+name+"?compare=previous", "Authorization", reader).ok(200, &r)
		rows := 1
		if name == "days" {
			rows = 30
		}
		if r.By != by || len(r.Rows) != rows || r.Total.Orders != 1 || r.Rows[rows-1].Orders != 1 || r.Before == nil || r.Before.Total.Orders != 0 {
			t.Errorf("%s: got %d rows by %s of %d orders, want one order by %s in %d rows, and none before", name, len(r.Rows), r.By, r.Total.Orders, by, rows)
		}
		s.get(path+"exports/analytics/"+name, "Authorization", reader).problem(403, fault.CodeForbidden)
		file := s.get(path+"exports/analytics/"+name+"?bom=false", "Authorization", exporter)
		lines := strings.Split(strings.TrimSpace(string(file.body)), "\n")
		if file.status != 200 || len(lines) != rows+1 || !strings.HasPrefix(lines[0], "Key,Name,Orders,") {
			t.Errorf("file of %s: got %d %.200q, want %d rows", name, file.status, file.body, rows)
		}
		s.get(path+"analytics/"+name, "Authorization", s.key(t, "orders.read")).problem(403, fault.CodeForbidden)
	}
	for query, field := range map[string]string{
		"from=1%20March": "from", "from=2020-01-01&to=2026-01-01": "from", "from=2026-03-02&to=2026-03-01": "to", "limit=-2": "limit",
		"compare=decade": "compare",
	} {
		for _, name := range []string{"analytics/days?", "exports/analytics/days?"} {
			if strings.HasPrefix(name, "exports") && (field == "limit" || field == "compare") {
				continue // a file has all rows of one period
			}
			caller := reader
			if strings.HasPrefix(name, "exports") {
				caller = exporter
			}
			p := s.get(path+name+query, "Authorization", caller).problem(422, fault.CodeValidationFailed)
			if !strings.HasPrefix(p.fields(), field+" ") {
				t.Errorf("%s%s: got fields %s, want %s", name, query, p.fields(), field)
			}
		}
	}
	s.get(path+"exports/analytics/moons", "Authorization", exporter).problem(422, fault.CodeValidationFailed)
	s.shop.Exec(t, `INSERT INTO products (id, number, handle, status, title, title_key, description_html, vendor, type, options, seo_title,
		seo_description, metadata, price, price_max, on_sale, created_at, updated_at)
		VALUES ('mug', 99, 'mug-99', 'draft', 'Mug', 'mug', '', '', '', '[]', '', '', '{}', 100, 100, 0, 0, 0)`)
	s.shop.Exec(t, `INSERT INTO variants (id, product_id, position, sku, barcode, option1, option2, option3, price, weight_grams, tracked, backorder,
		low_stock, cost) VALUES ('large', 'mug', 1, '', '', '', '', '', 100, 0, 0, 0, 0, 40)`)
	for scopes, want := range map[string]bool{"analytics.read": false, "analytics.read,costs.read": true} {
		var o sales.Overview
		s.get(path+"analytics/overview", "Authorization", s.key(t, strings.Split(scopes, ",")...)).ok(200, &o)
		if *o.Orders.Value != 1 || *o.Orders.Before != 0 || o.Orders.Change != nil || o.Orders.How == "" || (o.Margin.Value != nil) != want {
			t.Errorf("overview by %s: got %+v, want one order, none before, and a margin: %t", scopes, o, want)
		}
		var r shop.SalesReport
		s.get(path+"analytics/products", "Authorization", s.key(t, strings.Split(scopes, ",")...)).ok(200, &r)
		if (r.Rows[0].Margin != nil) != want || len(r.Customers) != 0 {
			t.Errorf("products by %s: got %+v, want a margin: %t", scopes, r.Rows[0], want)
		}
	}
	file := s.get(path+"exports/analytics/overview?bom=false", "Authorization", exporter)
	if lines := strings.Split(string(file.body), "\n"); len(lines) != 12 || !strings.HasPrefix(lines[1], "orders,1,0,,count,") {
		t.Errorf("file of the overview: got %q", file.body)
	}
	var campaigns sales.CampaignReport
	s.get(path+"analytics/campaigns?compare=previous&touch=first", "Authorization", reader).ok(200, &campaigns)
	if len(campaigns.Rows) != 1 || campaigns.Rows[0].Kind != campaign.KindDirect || campaigns.Rows[0].Orders != 1 ||
		campaigns.Touch != sales.TouchFirst || campaigns.Total.Orders != 1 || campaigns.Before == nil || campaigns.Rows[0].Margin != nil {
		t.Errorf("campaigns: got %+v, want one direct order without its margin, and none before", campaigns)
	}
	s.get(path+"analytics/campaigns?touch=middle", "Authorization", reader).problem(422, fault.CodeValidationFailed)
	s.get(path+"analytics/campaigns?to=x", "Authorization", reader).problem(422, fault.CodeValidationFailed)
	s.get(path+"analytics/spend?from=x", "Authorization", reader).problem(422, fault.CodeValidationFailed)
	s.send("DELETE", path+"analytics/spend?day=2026-03-01&name=x", "", "Authorization", s.key(t, "analytics.write")).problem(404, fault.CodeNotFound)
	s.send("POST", path+"analytics/spend", `{"spend":[{"day":"2026-03-01","name":"x","amount":1}]}`, "Authorization", reader).
		problem(403, fault.CodeForbidden)
	file = s.get(path+"exports/analytics/campaigns?bom=false", "Authorization", exporter)
	if lines := strings.Split(string(file.body), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "direct,,,,1,") {
		t.Errorf("file of campaigns: got %q", file.body)
	}
	if n := s.shop.Number(t, `SELECT COUNT(*) FROM audit_log WHERE action = 'export.sales'`); n != 12 {
		t.Errorf("got %d entries in the audit log, want one for each file", n)
	}
}
