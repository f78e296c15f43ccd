package shop

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/notify"
	"storefront/shop/order"
	"storefront/shop/staff"
)

// Content returns the definition of shops' public content for a store.
func Content() db.Content {
	return db.Content{
		// An order changes the content by the stock and the sales of its products. Their tables are not
		// among these. Redirects are: no cached response has one.
		Private: []string{
			"addresses", "admin_tokens", "audit_log", "buyer_messages", "campaign_spend", "campaign_visits", "cash_entries", "cash_lines",
			"cash_statement_columns", "cash_statement_differences", "cash_statement_lines", "cash_statements", "cash_sums", "connections", "contacts",
			"counters", "courier_records", "cursors", "customer_passkeys", "customers", "email_codes", "failures", "idempotency_keys",
			"import_changes", "incomplete_order_days", "incomplete_orders", "job_items", "jobs", "known_clients", "media", "notifications", "operator_visits",
			"order_advances", "order_attributions", "order_events", "order_flags", "order_items",
			"order_notes", "order_prints", "order_search", "order_tags", "order_tokens", "orders", "otp_codes", "outbox",
			"parcel_bookings", "parcel_events", "passkey_challenges", "payment_attempts", "payment_checks", "product_orders", "provider_webhooks",
			"push_devices", "redirects", "refunds", "refused_webhooks", "shipment_cash", "shipments", "staff", "staff_codes", "staff_links", "staff_notify",
			"staff_passkeys", "staff_recovery", "staff_requests", "staff_sessions",
			"stock_movements", "waiting_webhooks", "wallet_payments", "webhook_deliveries", "webhook_endpoints", "work_proofs",
		},
		Raise: `INSERT INTO counters (name, value) VALUES ('content', 1), ('pages', 1)
			ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`,
		RaiseQuantities: `INSERT INTO counters (name, value) VALUES ('content', 1)
			ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`,
		Read: `SELECT
			COALESCE((SELECT value FROM counters WHERE name = 'content'), 0),
			COALESCE((SELECT value FROM counters WHERE name = 'pages'), 0)`,
	}
}

// OmittedTables returns the tables that exports omit: tables that an import derives from others,
// and credentials and notification targets, which must not leave the shop.
func OmittedTables() []string {
	return slices.Concat(catalogue.DerivedTables(), []string{"shipment_cash", "cash_sums"}, notify.AccessTables(), staff.AccessTables())
}

// ContentVersion identifies the state of a shop's public content: catalogue and store
// configuration. Within one process, equal versions mean equal responses.
type ContentVersion struct {
	version  uint64 // of the content in the file
	settings uint64 // changes of settings by this process, which are cached separately
	// time at which products are published, or coupons or discounts begin or end, in milliseconds; 0
	// means that none is scheduled
	until int64
	sales uint64 // of pages; see PageVersion
}

// publicationTime is the time at which the content of a version changes by itself.
type publicationTime struct {
	version uint64
	until   int64
}

// salesPause is how old the best-selling order of pages may be.
const salesPause = 10 * time.Minute

// salesTime is a content version with the sales figures that pages have.
type salesTime struct {
	content uint64
	at      time.Time
}

// PageVersion returns the version of pages for buyers: the content without quantities. The sales
// figures, by which lists are sorted, may be ten minutes old.
func (s *Shop) PageVersion(ctx context.Context) (ContentVersion, error) {
	pages, content, err := s.data.Store.PageVersion(ctx, s.data.ID)
	if err != nil {
		return ContentVersion{}, err
	}
	now := s.now()
	sales := s.pageSales.Load()
	if sales == nil || now.Sub(sales.at).Abs() >= salesPause {
		sales = &salesTime{content, now}
		s.pageSales.Store(sales)
	}
	until, err := s.nextPublication(ctx, &s.pagePublication, pages, catalogue.NextPublication, order.NextOffer)
	if err != nil {
		return ContentVersion{}, err
	}
	return ContentVersion{version: pages, settings: s.revision.Load(), until: until, sales: sales.content}, nil
}

// ContentVersion returns the current version. Content that is read afterwards is at least as new. A
// commit of this process changes the version before it is acknowledged, and a commit of another
// process at most 50 ms later.
func (s *Shop) ContentVersion(ctx context.Context) (ContentVersion, error) {
	version, _, err := s.data.Store.ContentVersion(ctx, s.data.ID)
	if err != nil {
		return ContentVersion{}, err
	}
	until, err := s.nextPublication(ctx, &s.publication, version, catalogue.NextPublication, order.NextOffer)
	if err != nil {
		return ContentVersion{}, err
	}
	return ContentVersion{version: version, settings: s.revision.Load(), until: until}, nil
}

// nextPublication returns the earliest time that one of the queries finds as of a version, in
// milliseconds; 0 means that none is scheduled.
func (s *Shop) nextPublication(
	ctx context.Context, known *atomic.Pointer[publicationTime], version uint64, queries ...func(tx *db.Tx) (int64, error),
) (int64, error) {
	next := known.Load()
	if next != nil && next.version == version && (next.until == 0 || next.until > db.Millis(s.now())) {
		return next.until, nil
	}
	found := &publicationTime{version: version}
	err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
		for _, query := range queries {
			at, err := query(tx)
			if err != nil {
				return err
			}
			if at > 0 && (found.until == 0 || at < found.until) {
				found.until = at
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("load publication time: %w", err)
	}
	known.Store(found)
	return found.until, nil
}
