package order

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
)

// exportPage is the number of orders that an export holds in memory.
const exportPage = 100

var exportColumns = []string{
	"Order", "Invoice", "Placed at", "Status", "Payment status", "Fulfillment status", "Payment method", "Test",
	"Name", "Phone", "Email", "Address 1", "Address 2", "Area", "City", "Postcode", "Country", "Note", "Coupon",
	"Subtotal", "Discount", "Delivery", "Rounding", "Total", "Currency",
	"Item SKU", "Item", "Item variant", "Item quantity", "Item price", "Item discount", "Item total", "Consignments",
	"Source", "Discount reason", "Staff discount", "Advance", "Cash to collect",
	"Returned", "Paid", "Refunded", "Due", "Quantity discount", "Automatic discount", "Automatic discounts",
}

// ExportOrders writes orders to w as CSV, one line per item. Amounts are decimals in the shop's
// currency, times are in its time zone. The filter selects the orders at the start, and each is
// read when it is written. The page of the filter is ignored. The export is recorded in the audit
// log before anything is written. Codes: validation_failed, unauthenticated, forbidden.
func (s *Orders) ExportOrders(ctx context.Context, caller access.Caller, filter ListFilter, w io.Writer) error {
	who, err := s.data.Authorize(ctx, caller, access.ToExportOrders)
	if err != nil {
		return err
	}
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	numbers, err := s.selectOrders(ctx, who, filter)
	if err != nil {
		return err
	}
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		return who.Audit(tx, access.Subject{Kind: access.SubjectOrders}, access.Set("orders", len(numbers)))
	})
	if err != nil {
		return err
	}
	file := csv.NewWriter(w)
	if err := file.Write(exportColumns); err != nil {
		return fmt.Errorf("export orders: %w", err)
	}
	for part := range slices.Chunk(numbers, exportPage) {
		orders, err := s.findNumberedOrders(ctx, who, part)
		if err != nil {
			return err
		}
		for _, o := range orders {
			if err := writeOrder(file, o, set.Display, set.Zone); err != nil {
				return fmt.Errorf("export orders: %w", err)
			}
		}
	}
	file.Flush()
	return file.Error()
}

// selectOrders returns the numbers of all orders that a filter selects, in the order of the list.
// Codes: validation_failed.
func (s *Orders) selectOrders(ctx context.Context, who access.Staff, filter ListFilter) (numbers []int64, err error) {
	var bad fault.Invalid
	query := filter.query(&bad, s.now())
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if query.search != nil {
		if _, err := s.updateOrderSearch(ctx, allBatches); err != nil {
			return nil, err
		}
	}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if err := query.prepare(tx); err != nil {
			return err
		}
		numbers, err = query.findNumbers(tx)
		return err
	})
	return numbers, err
}

// findNumberedOrders returns the orders with these numbers, in the same order.
func (s *Orders) findNumberedOrders(ctx context.Context, who access.Staff, numbers []int64) (orders []*orderRow, err error) {
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		ids, err := findOrderIDs(tx, numbers)
		if err == nil {
			orders, err = findOrderRows(tx, ids)
		}
		return err
	})
	slices.SortFunc(orders, func(a, b *orderRow) int {
		return cmp.Compare(slices.Index(numbers, a.number), slices.Index(numbers, b.number))
	})
	return orders, err
}

// joinDiscounts returns the titles of automatic discounts.
func joinDiscounts(discounts []AppliedDiscount) string {
	titles := make([]string, len(discounts))
	for i, d := range discounts {
		titles[i] = d.Title
	}
	return strings.Join(titles, "; ")
}

func writeOrder(w *csv.Writer, row *orderRow, shown Display, zone *time.Location) error {
	o := row.view(shown, viewStaff)
	decimal := func(m money.Money) string { return shown.Decimal(m.Amount) }
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
	staff := []string{shown.Decimal(row.staffDiscount), shown.Decimal(row.received()), shown.Decimal(row.cashToCollect()),
		decimal(o.ReturnedAmount), decimal(o.Paid), decimal(o.Refunded), decimal(o.Due), decimal(o.QuantityDiscount),
		shown.Decimal(row.automaticDiscount), joinDiscounts(o.Discounts)}
	var consignments []string
	for _, p := range o.Shipments {
		if p.ConsignmentID != nil {
			consignments = append(consignments, string(p.Provider)+" "+*p.ConsignmentID)
		}
	}
	for i, item := range o.Items {
		if i > 0 {
			sums, staff = make([]string, len(sums)), make([]string, len(staff))
		}
		line := append(append(append([]string{}, head...), sums...), o.Total.Currency,
			db.TextOf(item.SKU), item.Title, db.TextOf(item.VariantTitle), strconv.Itoa(item.Quantity),
			decimal(item.UnitPrice), decimal(item.Discount), decimal(item.Total), strings.Join(consignments, "; "), string(row.source), row.discountReason)
		line = append(line, staff...)
		for c, cell := range line {
			line[c] = input.GuardFormulas(cell)
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
