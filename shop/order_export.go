package shop

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

// exportPage is how many orders an export holds in memory at once.
const exportPage = 100

var exportColumns = []string{
	"Order", "Invoice", "Placed at", "Status", "Payment status", "Fulfillment status", "Payment method", "Test",
	"Name", "Phone", "Email", "Address 1", "Address 2", "Area", "City", "Postcode", "Country", "Note", "Coupon",
	"Subtotal", "Discount", "Delivery", "Rounding", "Total", "Currency",
	"Item SKU", "Item", "Item variant", "Item quantity", "Item price", "Item discount", "Item total", "Consignments",
}

// ExportOrders writes orders to w as CSV, one line per item. Amounts are decimals in the shop's
// currency, times are in its time zone. It reads page by page, and excludes orders placed after its
// start, which would shift the pages. Codes: validation_failed, unauthenticated, forbidden.
func (s *Shop) ExportOrders(ctx context.Context, caller access.Caller, filter OrderListFilter, w io.Writer) error {
	if now := s.now(); filter.PlacedBefore == nil {
		filter.PlacedBefore = &now
	}
	zone, err := s.TimeZone(ctx)
	if err != nil {
		return err
	}
	file := csv.NewWriter(w)
	for number := 1; ; number++ {
		limit := exportPage
		filter.Export = true
		filter.Request = page.Request{Page: &number, Limit: &limit}
		orders, err := s.ListOrders(ctx, caller, filter)
		if err != nil {
			return err
		}
		if number == 1 {
			if err := file.Write(exportColumns); err != nil {
				return fmt.Errorf("export orders: %w", err)
			}
		}
		for i := range orders.Nodes {
			if err := writeOrder(file, &orders.Nodes[i], zone); err != nil {
				return fmt.Errorf("export orders: %w", err)
			}
		}
		if !orders.Meta.HasNextPage {
			file.Flush()
			return file.Error()
		}
	}
}

func writeOrder(w *csv.Writer, o *Order, zone *time.Location) error {
	currency, _ := money.ParseCurrency(o.Total.Currency)
	decimal := func(m money.Money) string { return currency.Decimal(m.Amount) }
	at := o.ShippingAddress
	coupon := ""
	if o.Coupon != nil {
		coupon = o.Coupon.Code
	}
	head := []string{
		strconv.FormatInt(o.OrderNumber, 10), o.InvoiceUID, o.PlacedAt.In(zone).Format(time.RFC3339), string(o.Status), string(o.PaymentStatus),
		string(o.FulfillmentStatus), string(o.Payment.Method), strconv.FormatBool(o.Test),
		o.Customer.Name, o.Customer.PhoneNumber, db.TextOf(o.Customer.Email), db.TextOf(at.Line1), db.TextOf(at.Line2), db.TextOf(at.Area),
		at.City, db.TextOf(at.Postcode), db.TextOf(at.Country), db.TextOf(o.Note), coupon,
	}
	sums := []string{decimal(o.Subtotal), decimal(o.Discount), decimal(o.DeliveryCharge), decimal(o.Rounding), decimal(o.Total)}
	var consignments []string
	for _, p := range o.Shipments {
		if p.ConsignmentID != nil {
			consignments = append(consignments, string(p.Provider)+" "+*p.ConsignmentID)
		}
	}
	for i, item := range o.Items {
		if i > 0 {
			sums = make([]string, len(sums))
		}
		line := append(append(append([]string{}, head...), sums...), o.Total.Currency,
			db.TextOf(item.SKU), item.Title, db.TextOf(item.VariantTitle), strconv.Itoa(item.Quantity),
			decimal(item.UnitPrice), decimal(item.Discount), decimal(item.Total), strings.Join(consignments, "; "))
		for c, cell := range line {
			line[c] = input.GuardFormulas(cell)
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
