package tenants

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
)

// UsageFilter selects a month, and shops. The zero value is the first page of all shops and the
// present month.
type UsageFilter struct {
	page.Request
	UsageMonth
}

// UsageMonth is a month in the time zone of each shop.
type UsageMonth struct {
	Month string `query:"month" doc:"Month in each shop's time zone, such as 2026-11; the present one if left out" example:"2026-11"`
}

// ListShopUsage returns one page of the shops by UID, each with its usage in a month. It opens the
// files of the page's shops. Codes: validation_failed, unauthenticated, forbidden.
func (t *Tenants) ListShopUsage(ctx context.Context, caller access.Caller, filter UsageFilter) (*page.Page[ShopUsage], error) {
	if err := t.permit(ctx, caller, access.ToListShopUsage); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	list, err := t.List(ctx)
	if err != nil {
		return nil, err
	}
	from := min(w.Offset(), len(list))
	until := len(list)
	if w.Limit != page.NoLimit {
		until = min(from+w.Limit, len(list))
	}
	usages, err := t.readUsages(ctx, access.Operator(), filter.Month, list[from:until], func(int, int) {})
	if err != nil {
		return nil, err
	}
	return &page.Page[ShopUsage]{Nodes: db.OrEmpty(usages), Meta: w.MetaFor(len(list))}, nil
}

// ExportUsage writes the usage of all shops in a month as CSV. Codes: validation_failed,
// unauthenticated, forbidden.
func (t *Tenants) ExportUsage(ctx context.Context, caller access.Caller, month string, w io.Writer) error {
	if err := t.permit(ctx, caller, access.ToListShopUsage); err != nil {
		return err
	}
	list, err := t.ListUsage(ctx, access.Operator(), month, func(int, int) {})
	if err != nil {
		return err
	}
	return WriteUsage(w, list)
}

// usageColumns are the columns of [WriteUsage].
var usageColumns = []string{
	"uid", "name", "owner", "suspended", "month", "currency", "orders", "revenue", "smsSegments", "emails", "products", "staff",
	"fileBytes", "imageBytes", "lastOrderAt", "problem", "plan", "domains", "requests", "requestMilliseconds",
	"cpuMilliseconds",
}

// WriteUsage writes the usage of shops as CSV, with amounts in units of the currency. Fields of a
// shop that cannot be read are empty.
func WriteUsage(w io.Writer, list []ShopUsage) error {
	records := [][]string{usageColumns}
	for i := range list {
		records = append(records, list[i].record())
	}
	if err := csv.NewWriter(w).WriteAll(records); err != nil {
		return fmt.Errorf("write usage: %w", err)
	}
	return nil
}

func (s *ShopUsage) record() []string {
	record := make([]string, len(usageColumns))
	set := func(column, value string) { record[slices.Index(usageColumns, column)] = value }
	set("uid", s.UID)
	set("name", input.GuardFormulas(s.Name))
	set("suspended", strconv.FormatBool(s.Suspended))
	set("problem", db.TextOf(s.Problem))
	set("plan", input.GuardFormulas(db.TextOf(s.Plan)))
	if s.FileBytes != nil {
		set("fileBytes", strconv.FormatInt(*s.FileBytes, 10))
	}
	u := s.Usage
	if u == nil {
		return record
	}
	set("owner", input.GuardFormulas(db.TextOf(u.Owner)))
	set("month", u.Month)
	set("currency", u.Currency)
	set("revenue", s.RevenueText())
	for column, n := range map[string]int64{
		"orders": u.Orders, "smsSegments": u.SMSSegments, "emails": u.Emails, "products": u.Products, "staff": u.Staff,
		"imageBytes": u.ImageBytes, "domains": u.Domains, "requests": s.Requests, "requestMilliseconds": s.RequestMilliseconds,
		"cpuMilliseconds": s.CPUMilliseconds,
	} {
		set(column, strconv.FormatInt(n, 10))
	}
	if u.LastOrderAt != nil {
		set("lastOrderAt", u.LastOrderAt.Format(time.RFC3339))
	}
	return record
}

// RevenueText returns the revenue of a shop as a decimal number.
func (s *ShopUsage) RevenueText() string {
	currency, ok := money.ParseCurrency(s.Usage.Currency)
	if !ok {
		return strconv.FormatInt(s.Usage.Revenue, 10)
	}
	return currency.Decimal(s.Usage.Revenue)
}
