package order

import (
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// AdvanceSettings state when buyers of cash orders pay in advance, and how. The zero value requires
// no advance.
type AdvanceSettings struct {
	Rules   []AdvanceRule `json:"rules" nullable:"false" doc:"At most 10; the first that matches a cash order applies"`
	Wallets []Wallet      `json:"wallets" nullable:"false" doc:"Where buyers send an advance by hand; at most 10"`
}

// AdvanceRule requires a part of a cash order's total before shipping. An order matches if it meets
// all conditions.
type AdvanceRule struct {
	DeliveryChargeIDs []string      `json:"deliveryChargeIds" nullable:"false" doc:"Only orders with one of these delivery charges; empty means any"`
	MinTotal          int64         `json:"minTotal" doc:"Only orders from this total, in minor units"`
	Records           []RecordLevel `json:"records" nullable:"false" doc:"Only buyers with one of these records; empty means any"`
	Share             AdvanceShare  `json:"share"`
	Percent           int64         `json:"percent" doc:"Of the total, 1 to 100; only with the share percent"`

	MaxDelivered int64 `json:"maxDelivered" doc:"Only buyers who accepted at most this percentage of the courier's shipments; 0 means any"`
}

// AdvanceShare is the part of a total that is paid in advance.
//
//api:enum AdvanceShare
type AdvanceShare string

// The shares.
const (
	ShareDelivery AdvanceShare = "delivery" // the delivery charge
	SharePercent  AdvanceShare = "percent"  // a percentage of the total
	ShareTotal    AdvanceShare = "total"    // the whole total
)

// Wallet is an account of the shop to which buyers send money by hand.
type Wallet struct {
	ID     string        `json:"_id" doc:"Derived from method and number if it is omitted"`
	Method AdvanceMethod `json:"method" enum:"bkash,nagad,rocket,upay,bank"`
	Kind   WalletKind    `json:"kind" doc:"Defaults to personal"`
	Number string        `json:"number" doc:"Number of the wallet or the bank account, at most 40 characters"`
	Note   string        `json:"note" doc:"For buyers, such as the bank, its branch and the account's name; at most 200 characters"`
}

// WalletKind is the kind of a wallet. Buyers choose Send money or Payment by it.
//
//api:enum WalletKind
type WalletKind string

// The kinds.
const (
	WalletPersonal WalletKind = "personal" // buyers send money to it, as to a bank account
	WalletMerchant WalletKind = "merchant" // buyers make a payment to it
)

// AdvanceReason is why an order has to be paid in advance, as its buyer may know it.
//
//api:enum AdvanceReason
type AdvanceReason string

// The reasons. They do not mention a bad record.
const (
	AdvanceForArea   AdvanceReason = "area"      // the delivery charge has one
	AdvanceForAmount AdvanceReason = "amount"    // the total is high
	AdvanceForNew    AdvanceReason = "new_buyer" // the shop does not know the buyer yet
	AdvanceByShop    AdvanceReason = "shop"      // the shop requires it
)

// AdvanceTerms are the advance that the shop requires before it ships an order.
type AdvanceTerms struct {
	Amount money.Money   `json:"amount" doc:"To be paid before shipping; the rest in cash on delivery"`
	Reason AdvanceReason `json:"reason"`
}

// advanceAsked is the advance of an order in minor units. The zero value is none.
type advanceAsked struct {
	amount int64
	reason AdvanceReason
}

const (
	maxAdvanceRules = 10
	maxWallets      = 10
	maxWalletNumber = 40
	maxWalletNote   = 200
)

// walletMethods are the methods that a wallet can have.
var walletMethods = []AdvanceMethod{AdvanceBkash, AdvanceNagad, AdvanceRocket, AdvanceUpay, AdvanceBank}

// Normalize converts the settings to the form that is saved.
func (set *AdvanceSettings) Normalize() {
	set.Rules, set.Wallets = db.OrEmpty(set.Rules), db.OrEmpty(set.Wallets)
	for i := range set.Rules {
		rule := &set.Rules[i]
		rule.DeliveryChargeIDs, rule.Records = db.OrEmpty(rule.DeliveryChargeIDs), db.OrEmpty(rule.Records)
		if rule.Share != SharePercent {
			rule.Percent = 0
		}
	}
	for i := range set.Wallets {
		w := &set.Wallets[i]
		w.Number, w.Note = input.CleanLine(w.Number), input.CleanLine(w.Note)
		if w.ID == "" {
			w.ID = input.Slug(string(w.Method) + " " + w.Number)
		}
		if w.Kind == "" || w.Method == AdvanceBank {
			w.Kind = WalletPersonal
		}
	}
}

// Check adds the settings that are out of bounds to bad. charges are the shop's delivery charges.
func (set *AdvanceSettings) Check(bad *fault.Invalid, charges []DeliveryOption) {
	if len(set.Rules) > maxAdvanceRules {
		bad.Add("advance.rules", fault.CodeInvalidValue, "Must not be more than %d rules.", maxAdvanceRules)
		return
	}
	if len(set.Wallets) > maxWallets {
		bad.Add("advance.wallets", fault.CodeInvalidValue, "Must not be more than %d wallets.", maxWallets)
		return
	}
	for i := range set.Rules {
		set.Rules[i].check(bad, fmt.Sprintf("advance.rules[%d]", i), charges)
	}
	seen := map[string]bool{}
	for i, w := range set.Wallets {
		at := fmt.Sprintf("advance.wallets[%d]", i)
		w.check(bad, at)
		if seen[w.ID] {
			bad.Add(at+"._id", fault.CodeInvalidValue, "Another wallet has this _id.")
		}
		seen[w.ID] = true
	}
}

func (r *AdvanceRule) check(bad *fault.Invalid, at string, charges []DeliveryOption) {
	for i, id := range r.DeliveryChargeIDs {
		if !slices.ContainsFunc(charges, func(d DeliveryOption) bool { return d.ID == id }) {
			bad.Add(fmt.Sprintf("%s.deliveryChargeIds[%d]", at, i), fault.CodeInvalidValue, "The shop has no such delivery charge.")
		}
	}
	if r.MinTotal < 0 || r.MinTotal > money.MaxAmount {
		bad.Add(at+".minTotal", fault.CodeInvalidValue, "Must be an amount in minor units, or 0 for any total.")
	}
	if r.MaxDelivered < 0 || r.MaxDelivered > 100 {
		bad.Add(at+".maxDelivered", fault.CodeInvalidValue, "Must be 0 to 100.")
	}
	input.CheckValues(bad, at+".records", r.Records, []RecordLevel{RecordNew, RecordGood, RecordWatch, RecordBad})
	switch r.Share {
	case ShareDelivery, ShareTotal:
	case SharePercent:
		if r.Percent < 1 || r.Percent > 100 {
			bad.Add(at+".percent", fault.CodeInvalidValue, "Must be 1 to 100.")
		}
	default:
		bad.Add(at+".share", fault.CodeInvalidValue, "Must be delivery, percent or total.")
	}
}

func (w *Wallet) check(bad *fault.Invalid, at string) {
	if !slices.Contains(walletMethods, w.Method) {
		bad.Add(at+".method", fault.CodeInvalidValue, "Must be bkash, nagad, rocket, upay or bank.")
	}
	if w.Number == "" || len([]rune(w.Number)) > maxWalletNumber {
		bad.Add(at+".number", fault.CodeInvalidValue, "The number must be 1 to %d characters.", maxWalletNumber)
	}
	if len([]rune(w.Note)) > maxWalletNote {
		bad.Add(at+".note", fault.CodeInvalidValue, "The note must be at most %d characters.", maxWalletNote)
	}
	if w.Kind != WalletPersonal && w.Kind != WalletMerchant {
		bad.Add(at+".kind", fault.CodeInvalidValue, "Must be personal or merchant.")
	}
}

// needsRecord reports whether a rule depends on the buyer's record.
func (set *AdvanceSettings) needsRecord() bool {
	return slices.ContainsFunc(set.Rules, func(r AdvanceRule) bool { return len(r.Records) > 0 })
}

// needsCourier reports whether a rule depends on a courier's record of the buyer.
func (set *AdvanceSettings) needsCourier() bool {
	return slices.ContainsFunc(set.Rules, func(r AdvanceRule) bool { return r.MaxDelivered > 0 })
}

// buyerFacts is what the rules use of a buyer.
type buyerFacts struct {
	level     RecordLevel
	delivered *int64 // by the courier's record, in hundredths of a percent; nil means unknown
}

// advanceOf returns the advance of a cash order with these amounts for a buyer. It depends on its
// arguments only. The advance has no smaller unit than the cash total, so that the
// rest can be collected.
func (set *Settings) advanceOf(total, deliveryCharge int64, deliveryChargeID string, buyer buyerFacts) advanceAsked {
	for i := range set.Advance.Rules {
		rule := &set.Advance.Rules[i]
		if !rule.matches(total, deliveryChargeID, buyer) {
			continue
		}
		share := total
		switch rule.Share {
		case ShareDelivery:
			share = deliveryCharge
		case SharePercent:
			share = money.Share(total, rule.Percent, 100)
		}
		unit := set.cashUnit()
		if share = min(total, (share+unit-1)/unit*unit); share == 0 {
			return advanceAsked{}
		}
		return advanceAsked{share, rule.reason()}
	}
	return advanceAsked{}
}

func (r *AdvanceRule) matches(total int64, deliveryChargeID string, buyer buyerFacts) bool {
	return total >= r.MinTotal && (len(r.DeliveryChargeIDs) == 0 || slices.Contains(r.DeliveryChargeIDs, deliveryChargeID)) &&
		(len(r.Records) == 0 || slices.Contains(r.Records, buyer.level)) &&
		(r.MaxDelivered == 0 || buyer.delivered != nil && *buyer.delivered <= r.MaxDelivered*100)
}

// reason returns the reason for buyers.
func (r *AdvanceRule) reason() AdvanceReason {
	switch {
	case len(r.Records) > 0 && r.MaxDelivered == 0 && r.Records[0] == RecordNew && len(r.Records) == 1:
		return AdvanceForNew
	case len(r.Records) > 0 || r.MaxDelivered > 0:
		return AdvanceByShop
	case len(r.DeliveryChargeIDs) > 0:
		return AdvanceForArea
	case r.MinTotal > 0:
		return AdvanceForAmount
	}
	return AdvanceByShop
}

// askAdvance returns the advance that the shop requires a priced order. A quote, which strangers
// can request for any number, uses the record of a phone number that the buyer has proven, and
// otherwise counts the buyer as new.
func (set *Settings) askAdvance(
	tx *db.Tx, f figures, method status.PaymentMethod, number string, customer account.Account, placing bool,
) (advanceAsked, error) {
	if method != status.PayCOD || len(set.Advance.Rules) == 0 {
		return advanceAsked{}, nil
	}
	buyer := buyerFacts{level: RecordNew}
	if placing || number != "" && db.TextOf(customer.VerifiedPhone()) == number {
		var err error
		if buyer, err = set.findFacts(tx, number); err != nil {
			return advanceAsked{}, err
		}
	}
	charge := ""
	if f.delivery != nil {
		charge = f.delivery.ID
	}
	return set.advanceOf(f.total, f.deliveryCharge, charge, buyer), nil
}

// findFacts returns what the rules use of the buyer with a phone number.
func (set *Settings) findFacts(tx *db.Tx, number string) (buyerFacts, error) {
	buyer := buyerFacts{level: RecordNew}
	if number == "" {
		return buyer, nil
	}
	if set.Advance.needsRecord() {
		records, err := FindRecords(tx, []string{number})
		if err != nil {
			return buyer, err
		}
		if record, ok := records[number]; ok {
			buyer.level = record.Level
		}
	}
	if set.CourierRecords && set.Advance.needsCourier() {
		record, err := findCourierRecord(tx, number, db.BoolInt(set.ActiveMode == plugin.Sandbox))
		if err != nil {
			return buyer, err
		}
		buyer.delivered = record.Delivered
	}
	return buyer, nil
}

// terms returns the advance for buyers; nil means none.
func (a advanceAsked) terms(currency money.Currency) *AdvanceTerms {
	if a.amount == 0 {
		return nil
	}
	return &AdvanceTerms{Amount: currency.Money(a.amount), Reason: a.reason}
}

// findWallet returns the wallet with an ID, nil if there is none.
func (set *AdvanceSettings) findWallet(id string) *Wallet {
	i := slices.IndexFunc(set.Wallets, func(w Wallet) bool { return w.ID == id })
	if i < 0 {
		return nil
	}
	return &set.Wallets[i]
}

// transactionID returns a transaction ID in the form that is stored and compared: in upper case,
// with ASCII digits, without spaces and hyphens.
func transactionID(text string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToUpper(input.Fold(input.CleanLine(text))))
}

// confirms reports whether the shop confirms an order with this advance by itself.
func (set *Settings) confirms(asked advanceAsked) bool { return set.AutoConfirm && asked.amount == 0 }
