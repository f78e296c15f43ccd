package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

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
		err = tenants.WriteUsage(a.Stdout, list)
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
	heading(w, "UID", "[PLAN]", "ORDERS", "REVENUE", "[SMS]", "[E-MAILS]", "[PRODUCTS]", "[STAFF]", "[FILE]", "[IMAGES]", "[REQUESTS]",
		"LAST ORDER", "OWNER…")
	for i := range list {
		s := &list[i]
		if s.Usage == nil {
			row(w, s.UID, optional(s.Plan), "", "", "", "", "", "", "", "", "", "", colour(*s.Problem))
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
		row(w, s.UID, optional(s.Plan), u.Orders, s.RevenueText()+" "+u.Currency, u.SMSSegments, u.Emails, u.Products, u.Staff, file,
			megabytes(u.ImageBytes), s.Requests, last, optional(u.Owner))
	}
}
