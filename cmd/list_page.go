package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"storefront/shop/page"
)

// defaultLimit is the default page size of lists on a terminal.
const defaultLimit = 50

// listPage has the flags --page and --limit of a list command. Without them, a list is complete,
// except on a terminal.
type listPage struct{ number, limit int }

// flags adds the flags. items are the list's items in the plural.
func (p *listPage) flags(cmd *cobra.Command, items string) {
	cmd.Flags().IntVar(&p.number, "page", 1, "page number")
	cmd.Flags().IntVar(&p.limit, "limit", 0, fmt.Sprintf(
		"%s per page, at most %d, or %d for all (default %d on a terminal, otherwise all)",
		items, page.MaxLimit, page.NoLimit, defaultLimit))
}

// request returns the page to be listed.
func (p *listPage) request(a *app, cmd *cobra.Command) page.Request {
	if a.wantsAllPages(cmd) {
		return noLimit()
	}
	if !cmd.Flags().Changed("limit") {
		p.limit = defaultLimit
	}
	return page.Request{Page: &p.number, Limit: &p.limit}
}

// wantsAllPages reports whether a list is printed whole: not if the command line selects a page, or
// the output is a terminal.
func (a *app) wantsAllPages(cmd *cobra.Command) bool {
	for _, name := range []string{"page", "limit"} {
		if flag := cmd.Flags().Lookup(name); flag == nil || flag.Changed {
			return false
		}
	}
	return a.json || !terminal(a.Stdout)
}

// noLimit returns the input for a whole list on one page.
func noLimit() page.Request {
	limit := page.NoLimit
	return page.Request{Limit: &limit}
}

// printMore prints a hint for reading the next page of a list.
func printMore(w *table, m page.ListMeta) {
	if !m.HasNextPage {
		return
	}
	more := ""
	if m.Bounded {
		more = "more than "
	}
	fmt.Fprintf(w, "\nPage %d of %s%d, %s%d in total; next: --page %d.\n",
		m.CurrentPage, more, m.TotalPages, more, m.TotalCount, m.CurrentPage+1)
}
