package order

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/fault"
)

// Limits bound orders, and the stock that unproven buyers can hold: guests, and accounts that
// have not verified a phone number, which anybody can register. A zero limit means its default.
type Limits struct {
	UnitsPerLine        int64 // of one variant in an order
	UnitsPerOrder       int64 // of all variants in an order
	OpenOrdersPerPhone  int64 // a guest's unconfirmed cash orders with one phone
	OpenOrdersPerClient int64 // unconfirmed cash orders of unproven buyers from one client address
	CODProofAbove       int64 // total of a cash order above which its phone must be verified; 0 means none
	CODExpiryHours      int64 // until a guest's unconfirmed cash order expires
	// OrderTokenDays is how long an order's token is valid. nil means its default, 0 without end.
	OrderTokenDays *int64
}

func (set Limits) unitsPerLine() int64 { return orDefault(set.UnitsPerLine, 100) }

func (set Limits) unitsPerOrder() int64 { return orDefault(set.UnitsPerOrder, 1000) }

func (set Limits) codExpiry() time.Duration {
	return time.Duration(orDefault(set.CODExpiryHours, 72)) * time.Hour
}

func orDefault(limit, byDefault int64) int64 {
	if limit == 0 {
		return byDefault
	}
	return limit
}

// NoLimit is the largest value of a limit. It means no limit: open orders are not counted
// then.
const NoLimit = 1_000_000

// maxCODExpiryHours is one year.
const maxCODExpiryHours = 366 * 24

// Check adds the limits that are out of bounds to bad.
func (set Limits) Check(bad *fault.Invalid) {
	for _, limit := range []struct {
		name  string
		value int64
	}{
		{"unitsPerLine", set.UnitsPerLine}, {"unitsPerOrder", set.UnitsPerOrder},
		{"openOrdersPerPhone", set.OpenOrdersPerPhone}, {"openOrdersPerClient", set.OpenOrdersPerClient},
	} {
		if limit.value < 0 || limit.value > NoLimit {
			bad.Add(limit.name, fault.CodeInvalidValue, "Must be 1 to %d, or 0 for the default.", NoLimit)
		}
	}
	if set.CODProofAbove < 0 {
		bad.Add("codProofAbove", fault.CodeInvalidValue, "Must be an amount in minor units, or 0 for none.")
	}
	if set.CODExpiryHours < 0 || set.CODExpiryHours > maxCODExpiryHours {
		bad.Add("codExpiryHours", fault.CodeInvalidValue, "Must be 1 to %d hours, or 0 for the default.", maxCODExpiryHours)
	}
	if days := set.OrderTokenDays; days != nil && (*days < 0 || *days > maxOrderTokenDays) {
		bad.Add("orderTokenDays", fault.CodeInvalidValue, "Must be 1 to %d days, or 0 for no expiry.", maxOrderTokenDays)
	}
}

// checkUnits checks the quantities of an order. Codes: quantity_limit.
func (set Limits) checkUnits(lines []orderLine) error {
	var bad fault.Invalid
	var sum int64
	for _, line := range lines {
		sum += int64(line.quantity)
		if limit := set.unitsPerLine(); int64(line.quantity) > limit {
			bad.Add(itemField(line.first, "quantity"), fault.CodeQuantityLimit, "An order can have at most %d of a product.", limit)
		}
	}
	if limit := set.unitsPerOrder(); sum > limit {
		bad.Add("items", fault.CodeQuantityLimit, "An order can have at most %d units: place several orders, or contact the shop.", limit)
	}
	if len(bad) == 0 {
		return nil
	}
	return &fault.Error{Code: fault.CodeQuantityLimit, Message: bad[0].Message, Fields: bad}
}

// orderClient is the client that a buyer orders from.
type orderClient struct {
	address string // "" if unknown
	hash    []byte // of the address, as stored
}

// newOrderClient reads the shop's keys, so it runs before the transaction of the order.
func (s *Orders) newOrderClient(ctx context.Context, address string) (orderClient, error) {
	hash, err := s.clientHash(ctx, address)
	return orderClient{address, hash}, err
}

// unprovenBuyer is an unproven buyer of a cash order: a guest, or an account that has not verified
// a phone number.
type unprovenBuyer struct {
	guest  bool
	phone  string
	client orderClient
}

// clientHash returns a keyed hash of a client address, by which orders are counted and cancelled
// without storing the address.
func (s *Orders) clientHash(ctx context.Context, client string) ([]byte, error) {
	keys, err := s.cfg.Secrets.Keys(ctx)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, keys.Throttle)
	mac.Write([]byte("order by client\x00" + client))
	return mac.Sum(nil)[:16], nil
}

// openOrdersQuery counts unconfirmed cash orders of unproven buyers by phone or client. In a shop
// that confirms orders itself, an order counts for as long as it would stay open in another shop.
const openOrdersQuery = `
	SELECT COUNT(*)
	FROM orders
	WHERE client IS NOT NULL AND %s = ? AND placed_at > ?`

// openOrdersRule limits the open orders with the same phone or client.
type openOrdersRule struct {
	query, message string
	value          any
	limit          int64
}

// rules returns the rules that apply to the buyer.
func (b unprovenBuyer) rules(set Limits) (rules []openOrdersRule) {
	if limit := orDefault(set.OpenOrdersPerPhone, 5); b.guest && limit != NoLimit {
		rules = append(rules, openOrdersRule{fmt.Sprintf(openOrdersQuery, "customer_phone"),
			"Too many orders with this phone number wait for the shop's confirmation", b.phone, limit})
	}
	if limit := orDefault(set.OpenOrdersPerClient, 20); b.client.address != "" && limit != NoLimit {
		rules = append(rules, openOrdersRule{fmt.Sprintf(openOrdersQuery, "client"),
			"Too many orders from this network wait for the shop's confirmation", b.client.hash, limit})
	}
	return rules
}

// openSince returns the time since which orders may be open.
func (set Limits) openSince(tx *db.Tx) int64 { return db.Millis(tx.Now().Add(-set.codExpiry())) }

// announceQueries announces the queries of check.
func (b unprovenBuyer) announceQueries(tx *db.Tx, set Limits) error {
	for _, rule := range b.rules(set) {
		if err := tx.Ahead(rule.query, rule.value, set.openSince(tx)); err != nil {
			return fmt.Errorf("count open orders: %w", err)
		}
	}
	return nil
}

// check checks how many open orders an unproven buyer has. It runs in the transaction that adds
// one, so that concurrent orders cannot exceed the limits. Codes: too_many_open_orders.
func (b unprovenBuyer) check(tx *db.Tx, set Limits) error {
	for _, rule := range b.rules(set) {
		var open int64
		if err := tx.QueryRow(rule.query, rule.value, set.openSince(tx)).Scan(&open); err != nil {
			return fmt.Errorf("count open orders: %w", err)
		}
		if open >= rule.limit {
			return fault.Errorf(fault.CodeTooManyOpenOrders, "%s: sign in with a code sent to your phone, pay online, or try again later.", rule.message)
		}
	}
	return nil
}

// checkProof checks that the phone number of a cash order is verified if its total requires that.
// Codes: phone_proof_required.
func (set Limits) checkProof(total int64, customer account.Account, phone string) error {
	if set.CODProofAbove == 0 || total <= set.CODProofAbove || db.TextOf(customer.VerifiedPhone()) == phone {
		return nil
	}
	return fault.Errorf(fault.CodePhoneProofRequired,
		"Cash on delivery of this total needs a verified phone number: sign in with a code sent to it, or pay online.").WithField("customer.phoneNumber")
}

// checkCash checks a cash order against the limits of unproven buyers, and returns the hash of the
// buyer's client address to store with it: nil if the buyer is proven or nothing is to be paid.
// Codes: phone_proof_required, too_many_open_orders.
func (set *CheckoutSettings) checkCash(
	tx *db.Tx, customer account.Account, client orderClient, phone string, total int64,
) ([]byte, error) {
	if err := set.checkProof(total, customer, phone); err != nil {
		return nil, err
	}
	if customer.VerifiedPhone() != nil {
		return nil, nil
	}
	buyer := unprovenBuyer{guest: customer.IsGuest(), phone: phone, client: client}
	return client.hash, buyer.check(tx, set.Limits)
}
