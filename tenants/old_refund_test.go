package tenants_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"storefront/db"
	"storefront/db/dbtest"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/shoptest"
	"storefront/tenants"
)

// beforePartialRefunds is the last schema version that stored a refund with its payment.
const beforePartialRefunds = 7

// A refund that was open when its shop was upgraded continues afterwards, and is not made twice.
func TestSteps_OpenRefund(t *testing.T) {
	t.Parallel()
	if name := tenants.Steps()[beforePartialRefunds-1].Name; name != "refunds of a part of a payment" {
		t.Fatalf("version %d: the next step is %q", beforePartialRefunds, name)
	}
	for name, tt := range map[string]struct {
		refundID string // the gateway's, as the old version stored it; "": its response was lost
		listed   string // the payment's refunds at the gateway
		made     int64  // refunds that are requested after the upgrade
	}{
		"response lost, made":     {"", `[{"refundTrxId":"RF1","refundTransactionStatus":"Completed","refundAmount":"810.00"}]`, 0},
		"response lost, not made": {"", `[]`, 1},
		"in progress":             {"RF1", `[{"refundTrxId":"RF1","refundTransactionStatus":"Completed","refundAmount":"810.00"}]`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var made atomic.Int64
			gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/token/grant"):
					fmt.Fprint(w, `{"statusCode":"0000","id_token":"t","refresh_token":"r","expires_in":3600}`)
				case strings.HasSuffix(r.URL.Path, "/refund/payment/status"):
					fmt.Fprintf(w, `{"refundTransactions":%s}`, tt.listed)
				case strings.HasSuffix(r.URL.Path, "/refund/payment/transaction"):
					made.Add(1)
					var in struct{ RefundAmount string }
					if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.RefundAmount != "810.00" {
						t.Errorf("got a refund of %q, %v; want 810.00", in.RefundAmount, err)
					}
					fmt.Fprint(w, `{"refundTrxId":"RF2","refundTransactionStatus":"Completed"}`)
				default:
					t.Errorf("unexpected request %s", r.URL.Path)
				}
			}))
			t.Cleanup(gateway.Close)
			dir := t.TempDir()
			dbtest.Unpack(t, oldShop(beforePartialRefunds), filepath.Join(dir, "tenants", "old.db"))
			addOldRefund(t, dir, tt.refundID)

			clock := shoptest.NewClock()
			clock.Advance(time.Hour)
			all := open(t, dir, func(cfg *tenants.Config) {
				cfg.Key, cfg.PublicURL, cfg.Now = oldKey, "https://api.example", clock.Now
				cfg.Providers = tenants.Providers{
					AllowPrivate: true, Addresses: map[shop.Provider]map[shop.Mode]string{shop.GatewayB: {shop.Live: gateway.URL}},
				}
			})
			if _, err := all.Migrate(t.Context(), "old"); err != nil {
				t.Fatal(err)
			}
			s := find(t, all, "old")
			shoptest.ConfigurePlugin(t, s, shop.GatewayB, map[string]any{"username": "u", "password": "p", "app_key": "k", "app_secret": "s"})
			if got := oldRefund(t, s); got.Status != shop.AttemptRefundDue || len(got.Refunds) != 1 || got.Refunds[0].Amount.Amount != 810_00 {
				t.Fatalf("after the upgrade: got %+v, want one refund of ৳810.00 of a payment that is due for refund", got)
			}
			for range 3 {
				clock.Advance(time.Hour)
				if _, err := s.SweepPayments(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := oldRefund(t, s); got.Status != shop.AttemptRefunded || got.RefundedAmount.Amount != 810_00 || made.Load() != tt.made {
				t.Errorf("got %+v after %d requests, want ৳810.00 refunded after %d", got, made.Load(), tt.made)
			}
			if faults, err := s.CheckInvariants(t.Context()); err != nil || len(faults) > 0 {
				t.Errorf("got broken invariants %v, %v", faults, err)
			}
		})
	}
}

// addOldRefund makes the cancelled order of an old shop one that was paid online and whose refund
// was requested.
func addOldRefund(t *testing.T, dir, refundID string) {
	t.Helper()
	store := openStore(t, dir, sqlite.Options{Schema: readOldest(t), Steps: tenants.Steps()[:beforePartialRefunds-1]})
	err := store.Update(t.Context(), "old", func(_ context.Context, tx *db.Tx) error {
		for _, query := range []string{
			`UPDATE orders SET payment_method = 'gateway_b', payment_status = 'refund_due' WHERE status = 'cancelled'`,
			`INSERT INTO payment_attempts
			SELECT 'P1', id, 'gateway_b', 'live', 'refund_due', total, 'TR1', 'TRX1', '', '', 1, 1
			FROM orders WHERE status = 'cancelled'`,
			`INSERT INTO payment_checks VALUES ('P1', '', NULL, '', '` + refundID + `', 1, 0, 0)`,
		} {
			if _, err := tx.Exec(query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func oldRefund(t *testing.T, s *shop.Shop) *shop.AttemptRecord {
	t.Helper()
	record, err := s.FindPaymentAttempt(t.Context(), access.Operator(), "P1")
	if err != nil {
		t.Fatal(err)
	}
	return record
}
