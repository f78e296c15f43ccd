package cmd

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/tenants"
)

// usageOptions are the flags of a list of shops with their usage.
type usageOptions struct {
	show, csv bool
	month     string
}

func (o *usageOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.show, "usage", false, "show how much each shop has, and did in a month")
	cmd.Flags().StringVar(&o.month, "month", "", "month of --usage, such as 2026-11 (default the present one, in each shop's time zone)")
	cmd.Flags().BoolVar(&o.csv, "csv", false, "print --usage as CSV, with amounts in units of the currency")
	cmd.MarkFlagsMutuallyExclusive("format", "usage")
}

func (a *app) printUsage(ctx context.Context, t *tenants.Tenants, o usageOptions) error {
	bar := a.progress("reading")
	defer bar.end()
	list, err := t.ListUsage(ctx, a.caller(), o.month, bar.set)
	if err != nil {
		return err
	}
	bar.end()
	unread := 0
	for i := range list {
		if list[i].Problem != nil {
			unread++
		}
	}
	if o.csv {
		err = a.writeUsageCSV(list)
	} else {
		err = a.print(list, func(w *table) { writeUsage(w, list) })
	}
	if unread > 0 {
		err = errors.Join(err, fmt.Errorf("shops not read: %d of %d", unread, len(list)))
	}
	return err
}

func writeUsage(w *table, list []tenants.ShopUsage) {
	if len(list) == 0 {
		fmt.Fprintln(w, "No shops.")
		return
	}
	heading(w, "UID", "ORDERS", "REVENUE", "[SMS]", "[E-MAILS]", "[PRODUCTS]", "[STAFF]", "[FILE]", "[IMAGES]", "LAST ORDER", "OWNER…")
	for i := range list {
		s := &list[i]
		if s.Usage == nil {
			row(w, s.UID, "", "", "", "", "", "", "", "", "", colour(*s.Problem))
			continue
		}
		u := s.Usage
		file, last := "", ""
		if s.FileBytes != nil {
			file = megabytes(*s.FileBytes)
		}
		if u.LastOrderAt != nil {
			last = w.time(*u.LastOrderAt)
		}
		row(w, s.UID, u.Orders, revenue(s)+" "+u.Currency, u.SMSSegments, u.Emails, u.Products, u.Staff, file, megabytes(u.ImageBytes), last,
			optional(u.Owner))
	}
}

// revenue returns the revenue of a shop as a decimal number.
func revenue(s *tenants.ShopUsage) string {
	currency, ok := money.ParseCurrency(s.Usage.Currency)
	if !ok {
		return strconv.FormatInt(s.Usage.Revenue, 10)
	}
	return currency.Decimal(s.Usage.Revenue)
}

// writeUsageCSV prints the usage of shops as CSV. Fields of a shop that cannot be read are empty.
func (a *app) writeUsageCSV(list []tenants.ShopUsage) error {
	out := csv.NewWriter(a.Stdout)
	records := [][]string{{"uid", "name", "owner", "suspended", "month", "currency", "orders", "revenue", "smsSegments", "emails", "products", "staff",
		"fileBytes", "imageBytes", "lastOrderAt", "problem"}}
	for i := range list {
		s := &list[i]
		record := make([]string, len(records[0]))
		record[0], record[1], record[3], record[15] = s.UID, input.GuardFormulas(s.Name), strconv.FormatBool(s.Suspended), optional(s.Problem)
		if s.FileBytes != nil {
			record[12] = strconv.FormatInt(*s.FileBytes, 10)
		}
		if u := s.Usage; u != nil {
			record[2], record[4], record[5], record[7] = input.GuardFormulas(optional(u.Owner)), u.Month, u.Currency, revenue(s)
			for at, n := range map[int]int64{6: u.Orders, 8: u.SMSSegments, 9: u.Emails, 10: u.Products, 11: u.Staff, 13: u.ImageBytes} {
				record[at] = strconv.FormatInt(n, 10)
			}
			if u.LastOrderAt != nil {
				record[14] = u.LastOrderAt.Format(time.RFC3339)
			}
		}
		records = append(records, record)
	}
	return out.WriteAll(records)
}
