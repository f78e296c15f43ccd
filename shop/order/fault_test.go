package order_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/shoptest"
	"storefront/shop/status"
)

var errFault = errors.New("the disk has a fault")

// faults makes one call of a store fail.
type faults struct {
	kind string // of the calls that are counted
	at   int    // the number of the call that fails; 0 means none
	call int    // calls so far
}

func (f *faults) next(call string) error {
	if call != f.kind {
		return nil
	}
	if f.call++; f.call == f.at {
		return &db.Error{Kind: db.ErrIO, Err: errFault}
	}
	return nil
}

// faultShop is a shop whose store fails.
type faultShop struct {
	*courierShop
	faults  *faults
	shipped string // an order
	code    string // of a coupon that one order may use
}

func newFaultShop(t *testing.T) *faultShop {
	t.Helper()
	s := &faultShop{courierShop: newCourierShop(t, ""), faults: &faults{}, code: "ONCE"}
	s.shipped = s.place(t)
	if _, err := s.Orders.ConfirmOrder(t.Context(), access.Operator(), s.shipped); err != nil {
		t.Fatal(err)
	}
	s.recordShipment(t, s.shipped, plugin.CourierA, "DL1")
	once := order.CouponSpec{
		Code: s.code, Kind: order.CouponFixed, Amount: new(int64(50_00)), Active: true, UsageLimit: new(int64(1)),
	}
	if _, err := s.Orders.SaveCoupon(t.Context(), access.Operator(), once); err != nil {
		t.Fatal(err)
	}
	s.store.InjectFaults(s.faults.next)
	return s
}

// faultCases are use cases with what their success changes, as a query. Those of one transaction
// change nothing when they fail.
var faultCases = map[string]struct {
	run    func(ctx context.Context, s *faultShop) error
	effect string
	want   int64
	parts  bool // has several transactions
}{
	"place an order": {run: func(ctx context.Context, s *faultShop) error {
		in := shoptest.GuestOrder(s.mug.ID, 3)
		in.CouponCode = &s.code
		_, err := s.Orders.PlaceOrder(ctx, access.Caller{}, in, "key")
		return err
	}, effect: `SELECT SUM(i.quantity) FROM orders o JOIN order_items i ON i.order_number = o.number WHERE o.coupon_code = 'ONCE'`, want: 3},
	"a courier's webhook": {run: func(ctx context.Context, s *faultShop) error {
		header := http.Header{}
		header.Set("X-CourierA-Signature", secretA)
		_, err := s.Orders.HandleCourierWebhook(ctx, plugin.CourierA, "application/json", plugin.WebhookRequest{
			Header: header.Get, Body: []byte(step(1, "order.delivered", "collected_amount", "970")),
		})
		return err
	}, effect: `SELECT COUNT(*) FROM shipments WHERE status = 'delivered'`, want: 1, parts: true},
	"change a product": {run: func(ctx context.Context, s *faultShop) error {
		_, err := s.Catalogue.UpdateProduct(ctx, access.Operator(), s.mug.ID, catalogue.ProductChange{
			Title: new("Lamp"), Tags: []string{"new", "light"},
		})
		return err
	}, effect: `SELECT COUNT(*) FROM products WHERE title = 'Lamp'`, want: 1},
	"import products": {run: func(ctx context.Context, s *faultShop) error {
		_, err := s.Catalogue.ImportProducts(ctx, access.Operator(), strings.NewReader(
			"Handle,Title,Variant SKU,Variant Price,Variant Inventory Qty\npen,Pen,P,20,5\nink,Ink,I,90,6\n"), catalogue.ImportOptions{})
		return err
	}, effect: `SELECT SUM(stock) FROM variants WHERE sku IN ('P', 'I')`, want: 11, parts: true},
	"cancel an order": {run: func(ctx context.Context, s *faultShop) error {
		_, err := s.Orders.CancelOrderAsStaff(ctx, access.Operator(), s.shipped, "fault")
		return err
	}, effect: `SELECT COUNT(*) FROM orders WHERE status = '` + string(status.OrderCancelled) + `'`, want: 1},
}

// Each statement and each commit of a use case fails once. The failure is returned, nothing is
// half-written, and the next attempt succeeds, with its effect once.
func TestUseCase_FailsAtEachCall(t *testing.T) {
	t.Parallel()
	for name, tc := range faultCases {
		for _, kind := range []string{db.CallStatement, db.CallCommit, db.CallCommitted} {
			t.Run(fmt.Sprint(name, ", ", kind), func(t *testing.T) {
				t.Parallel()
				s := newFaultShop(t)
				for at := 1; ; at++ {
					before := s.dump(t)
					*s.faults = faults{kind: kind, at: at}
					err := tc.run(t.Context(), s)
					hit := s.faults.call >= at
					*s.faults = faults{}
					if hit && err == nil && kind == db.CallStatement && !tc.parts {
						t.Fatalf("call %d: got no error", at)
					}
					if !hit && err != nil {
						t.Fatalf("after %d faults: got %v, want success", at-1, err)
					}
					if diff := cmp.Diff(before, s.dump(t)); hit && kind != db.CallCommitted && !tc.parts && diff != "" {
						t.Fatalf("call %d: the failure has changed (-before +after):\n%s", at, diff)
					}
					s.checkInvariants(t, at)
					if !hit || at > 400 {
						break
					}
				}
				if got := shoptest.Number(t, s.store, s.UID(), tc.effect); got != tc.want {
					t.Errorf("got the effect %d, want %d, once", got, tc.want)
				}
			})
		}
	}
}

// dump returns the lines of the shop's data.
func (s *faultShop) dump(t *testing.T) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.store.Export(t.Context(), db.ID(s.UID()), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(out.String(), "\n")
}

func (s *faultShop) checkInvariants(t *testing.T, at int) {
	t.Helper()
	broken, err := s.CheckInvariants(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range broken {
		t.Errorf("after call %d: %s", at, fault)
	}
}
