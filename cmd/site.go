package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"storefront/server"
	"storefront/shop"
	"storefront/shop/fault"
	"storefront/site/check"
	"storefront/tenants"
	"storefront/tenants/doctor"
)

func newSiteCommand(a *app) *cobra.Command {
	return newGroupCommand("site", "Check the pages for buyers", newSiteCheckCommand(a))
}

func newSiteCheckCommand(a *app) *cobra.Command {
	var strict bool
	var many manyShops
	cmd := &cobra.Command{
		Use:   "check UID… | --all",
		Short: "Request every page of shops as a search engine would",
		Long: `Request every page of a shop as a search engine would, follow the sitemap and the links, and list what is
wrong: broken links and pictures, missing titles, descriptions, texts and pictures, wrong prices in the data
for search engines and in the feed, missing canonical addresses and languages, pages that are too large, and
a second host. No server is required, and nothing is changed.

It fails if a problem is failing and, with --strict, if a text or a picture is missing.`,
		Example: `  storefront site check acme
  storefront site check acme --json
  storefront site check --all`,
		ValidArgsFunction: a.completeUIDs,
		Args:              many.checkUIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShops(cmd, &many, args, func(t *tenants.Tenants, uids []string) error {
				return a.checkShopSites(cmd.Context(), t, uids, many.areMany(uids), strict)
			})
		},
	}
	many.flags(cmd)
	cmd.Flags().BoolVar(&strict, "strict", false, "fail on warnings, too")
	return cmd
}

// checkShopSites checks the pages of shops. many is as in printShops.
func (a *app) checkShopSites(ctx context.Context, t *tenants.Tenants, uids []string, many, strict bool) error {
	if err := t.RefreshDomains(ctx); err != nil {
		return err
	}
	pages, err := newPageServer(t)
	if err != nil {
		return err
	}
	var options check.Options
	if len(uids) == 1 {
		bar := a.progress("checking")
		defer bar.end()
		options.Progress = bar.set
	}
	results, err := eachShop(ctx, a, "checking", uids, func(uid string) (*check.Report, error) {
		return checkPages(ctx, pages, t, uid, options)
	})
	if err != nil {
		return err
	}
	err = printShops(a, many, results, "checked", printSiteReport)
	failing, warnings := 0, 0
	for _, report := range results.Shops {
		f, w := report.Count()
		failing, warnings = failing+f, warnings+w
	}
	if failing > 0 || strict && warnings > 0 {
		err = errors.Join(err, fmt.Errorf("problems found: failing %d, warnings %d", failing, warnings))
	}
	return err
}

// shownOfKind limits the problems of each kind that people see.
const shownOfKind = 10

// printSiteReport prints the problems and the number of pages.
func printSiteReport(w *table, r *check.Report) {
	all := map[check.Code]int{}
	for _, p := range r.Problems {
		all[p.Code]++
	}
	shown := map[check.Code]int{}
	for _, p := range r.Problems {
		switch shown[p.Code]++; {
		case shown[p.Code] <= shownOfKind:
			row(w, string(p.Code), colour(doctor.State(p.State)), p.Path, p.Message)
		case shown[p.Code] == shownOfKind+1:
			row(w, string(p.Code), colour(doctor.State(p.State)), "", fmt.Sprintf("And %d more, which --json lists.", all[p.Code]-shownOfKind))
		}
	}
	if len(r.Problems) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s: pages %d, products %d, problems %d.\n", r.Origin, r.Pages, r.Products, len(r.Problems))
}

// siteBase is the address below which a shop without a domain is checked.
const siteBase = "https://localhost"

// newPageServer returns a server of pages without limits, for commands.
func newPageServer(t *tenants.Tenants) (*server.Server, error) {
	return server.New(server.Config{
		Tenants: t, Rate: -1, NoAdmin: true, CacheSize: -1, SiteURL: siteBase, Logger: slog.New(slog.DiscardHandler), Routes: imageRoutes(),
	})
}

// errNoPages means that a shop has no pages.
var errNoPages = errors.New("the shop's pages are turned off (setting site.enabled)")

// checkPages checks the pages of a shop with these options.
func checkPages(ctx context.Context, pages *server.Server, t *tenants.Tenants, uid string, o check.Options) (*check.Report, error) {
	s, err := t.Shop(ctx, uid)
	if err != nil {
		return nil, err
	}
	own, err := s.Site(ctx)
	if err != nil {
		return nil, err
	}
	if !own.Enabled {
		return nil, errNoPages
	}
	settings, err := s.Settings(ctx)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(siteBase)
	if err != nil {
		return nil, err
	}
	host := uid + "." + base.Hostname()
	if own.Host != "" {
		o.OtherHosts = append(slices.Clone(settings.Domains), host)
		host = own.Host
	}
	o.OtherHosts = slices.DeleteFunc(o.OtherHosts, func(other string) bool { return other == host || !isServedFor(t, other, uid, base) })
	o.Handler, o.Shop, o.Origin = pages.Handler(), s, base.Scheme+"://"+host
	return check.Run(ctx, o)
}

// isServedFor reports whether a host shows a shop. Doctor reports domains that do not count.
func isServedFor(t *tenants.Tenants, host, uid string, base *url.URL) bool {
	if host == uid+"."+base.Hostname() {
		return true
	}
	owner, ok := t.DomainOwner(host)
	return ok && owner.UID == uid
}

// doctorPages limits the pages of each shop that doctor requests.
const doctorPages = 40

// checkSites adds to each examined shop a summary of its pages. Shops that cannot be opened have
// findings already.
func (a *app) checkSites(ctx context.Context, cfg tenants.Config, found *doctor.Examination) error {
	t, err := tenants.Inspect(cfg)
	if err != nil {
		return nil // a finding already
	}
	defer func() { _ = t.Close(context.WithoutCancel(ctx)) }() // nothing was written
	if t.ReadKey() != nil || t.RefreshDomains(ctx) != nil {
		return nil
	}
	pages, err := newPageServer(t)
	if err != nil {
		return err
	}
	for i := range found.Shops {
		examined := &found.Shops[i]
		if !isReadable(examined) {
			continue
		}
		report, err := checkPages(ctx, pages, t, examined.UID, check.Options{MaxPages: doctorPages})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errNoPages), fault.HasCode(err, fault.CodeTenantNotFound), fault.HasCode(err, fault.CodeTenantSuspended):
		case err != nil:
			examined.Findings = append(examined.Findings, doctor.NewFinding(doctor.CodeSite, doctor.StateWarning, "%s", shop.AsError(err).Message))
		default:
			examined.Findings = append(examined.Findings, siteFinding(examined.UID, report))
		}
	}
	return nil
}

// isReadable reports whether the content of a shop's file can be read.
func isReadable(s *doctor.ExaminedShop) bool {
	return !slices.ContainsFunc(s.Findings, func(f doctor.Finding) bool {
		return f.State != doctor.StateOK && (f.Name == "file" || f.Name == "schema" || f.Code == doctor.CodeSettings)
	})
}

// siteFinding is the summary of a report.
func siteFinding(uid string, r *check.Report) doctor.Finding {
	failing, warnings := r.Count()
	if failing == 0 {
		return doctor.NewFinding(doctor.CodeSite, doctor.StateOK, "Pages checked: %d; texts or pictures missing: %d.", r.Pages, warnings)
	}
	first := r.Problems[0]
	return doctor.NewFinding(doctor.CodeSite, doctor.StateWarning,
		"Pages checked: %d, problems: %d, such as at %s: %s List all with `storefront site check %s`.",
		r.Pages, failing, first.Path, first.Message, uid)
}
