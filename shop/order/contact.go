package order

import (
	"context"
	"errors"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/money"
	"storefront/shop/page"
	"storefront/shop/phone"
	"storefront/shop/status"
)

// Block is what a phone number is blocked from.
//
//api:enum Block
type Block string

// The blocks.
const (
	BlockNone Block = "none" // nothing
	BlockCash Block = "cash" // cash on delivery
	BlockAll  Block = "all"  // ordering
)

// CashPolicy is how the shop treats buyers with a bad record.
//
//api:enum CashPolicy
type CashPolicy string

// The policies of the setting cashForBadRecords. The zero value is CashAllow.
const (
	CashAllow  CashPolicy = "allow"  // as all others
	CashRefuse CashPolicy = "refuse" // no cash on delivery
)

// maxBlockReason is the maximum length of the reason of a block, in characters.
const maxBlockReason = 500

// Contact is the shop's record of a phone number, of a customer or a guest.
type Contact struct {
	PhoneNumber   string     `json:"phoneNumber"`
	Names         []string   `json:"names" nullable:"false" doc:"Names in the account and the orders, newest first, at most ten"`
	Note          *string    `json:"note"`
	Tags          []string   `json:"tags" nullable:"false"`
	Blocked       Block      `json:"blocked" doc:"none, cash (no cash on delivery) or all (no orders)"`
	BlockedReason *string    `json:"blockedReason" doc:"Reason for the block, for staff"`
	Record        Record     `json:"record"`
	CustomerID    *string    `json:"customerId" doc:"The account with the number; null if there is none"`
	LastOrderAt   *time.Time `json:"lastOrderAt"`
}

// ContactDetails are a contact with the orders of its number.
type ContactDetails struct {
	Contact
	Guest *GuestOrders `json:"guest" doc:"Orders with the number without an account; null if there are none"`
	// Addresses are the addresses of the guest's orders, without the addresses of an account.
	Addresses    []account.Address `json:"addresses" nullable:"false" doc:"Addresses of the orders without an account, newest first, at most ten"`
	LatestOrders []Row             `json:"latestOrders" nullable:"false" doc:"Latest orders with the number, as in a customer's record"`
}

// GuestOrders are a guest's orders. Orders placed in sandbox mode do not count.
type GuestOrders struct {
	Name        string      `json:"name" doc:"Name in the newest order"`
	Orders      int         `json:"orders"`
	Spent       money.Money `json:"spent" doc:"Amount paid for the orders, less refunds"`
	LastOrderAt *time.Time  `json:"lastOrderAt"`
}

// ExportedContact is the staff's record of a phone number in a [CustomerExport]. The names of a
// [Contact] are omitted: orders of others may have the number.
type ExportedContact struct {
	PhoneNumber   string   `json:"phoneNumber"`
	Note          *string  `json:"note"`
	Tags          []string `json:"tags"`
	Blocked       Block    `json:"blocked"`
	BlockedReason *string  `json:"blockedReason"`
	// CourierRecord is what a courier has reported about the number; null if there is nothing.
	CourierRecord *CourierRecord `json:"courierRecord"`
}

// ContactChange is a change of a contact. nil fields are unchanged.
type ContactChange struct {
	Note          *string
	Tags          *[]string
	Blocked       *Block
	BlockedReason *string
	// Check is called in the transaction with the contact before the change; nil means no check.
	Check func(Contact) error
}

// contactRow is a row of contacts.
type contactRow struct {
	phone, note string
	tags        []string
	blocked     Block
	reason      string
}

// latestOrders is how many orders the record of a customer or a contact has.
const latestOrders = 10

// Blocks returns the blocks, the weakest first.
func Blocks() []Block { return []Block{BlockNone, BlockCash, BlockAll} }

// isEmpty reports whether the row has no content.
func (c *contactRow) isEmpty() bool {
	return c.note == "" && len(c.tags) == 0 && c.blocked == BlockNone && c.reason == ""
}

// FindContact returns the shop's record of a phone number, in any common notation, with its latest
// orders if the caller may view orders. A valid number that is new to the shop is a contact without
// orders. Codes: not_found (not a phone number).
func (s *Orders) FindContact(ctx context.Context, caller access.Caller, number string) (*ContactDetails, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	if err := s.PostForReading(ctx); err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToFindContact,
		func(tx *db.Tx, who access.Staff) (*ContactDetails, error) {
			e164, err := requirePhone(number, set.Country)
			if err != nil {
				return nil, err
			}
			row, err := findContactRow(tx, e164)
			if err != nil {
				return nil, err
			}
			contact := &ContactDetails{}
			if contact.Contact, err = contactView(tx, row); err != nil {
				return nil, err
			}
			contact.Guest, err = findGuestOrders(tx, e164, set.Currency)
			if err != nil && !errors.Is(err, db.ErrNotFound) {
				return nil, err
			}
			if contact.Addresses, err = findGuestAddresses(tx, e164); err != nil {
				return nil, err
			}
			orders, err := findLatestOrders(tx, who, orderQuery{phone: e164})
			if err != nil {
				return nil, err
			}
			contact.LatestOrders, err = orders.Views(set.Display, now)
			return contact, err
		})
}

// findLatestOrders returns the latest orders of a query, none if the caller may not view orders.
func findLatestOrders(tx *db.Tx, who access.Staff, query orderQuery) (*Rows, error) {
	if !who.Permits(access.OrdersRead) {
		return &Rows{}, nil
	}
	ids, err := query.findIDs(tx, page.Window{Page: 1, Limit: latestOrders})
	if err != nil {
		return nil, err
	}
	return findOrderListRows(tx, ids)
}

// UpdateContact changes the staff's record of a phone number. A block applies to orders of guests
// and accounts from its commit on. Codes: validation_failed, not_found (not a phone number).
func (s *Orders) UpdateContact(ctx context.Context, caller access.Caller, number string, change ContactChange) (*Contact, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	subjects, err := s.BuyerSubjects(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, s.data, caller, access.ToUpdateContact,
		func(tx *db.Tx, who access.Staff) (*Contact, error) {
			e164, err := requirePhone(number, set.Country)
			if err != nil {
				return nil, err
			}
			if err := change.check(); err != nil {
				return nil, err
			}
			row, err := findContactRow(tx, e164)
			if err != nil {
				return nil, err
			}
			if change.Check != nil {
				before, err := contactView(tx, row)
				if err == nil {
					err = change.Check(before)
				}
				if err != nil {
					return nil, err
				}
			}
			if changes := change.apply(row); len(changes) > 0 {
				if err := saveContact(tx, row); err != nil {
					return nil, err
				}
				subject, err := subjects.Named(tx, account.Guest(e164))
				if err == nil {
					err = who.Audit(tx, subject, changes...)
				}
				if err != nil {
					return nil, err
				}
			}
			contact, err := contactView(tx, row)
			return &contact, err
		})
}

// requirePhone returns the E.164 form of a phone number. Codes: not_found.
func requirePhone(number, country string) (e164 string, err error) {
	e164, ok := phone.Parse(number, country)
	if !ok {
		return "", fault.Errorf(fault.CodeNotFound, "This is not a phone number. Start a foreign one with + and its country code.")
	}
	return e164, nil
}

// check checks the change and converts it to its stored form.
func (in *ContactChange) check() error {
	var bad fault.Invalid
	if in.Note != nil {
		in.Note = new(input.CheckNote(&bad, "note", *in.Note, MaxStaffNote))
	}
	if in.BlockedReason != nil {
		in.BlockedReason = new(input.CheckLine(&bad, "blockedReason", *in.BlockedReason, maxBlockReason))
	}
	if in.Blocked != nil {
		input.CheckValues(&bad, "blocked", []Block{*in.Blocked}, Blocks())
	}
	if in.Tags != nil {
		tags := db.OrEmpty(checkTags(&bad, "tags", *in.Tags))
		if len(tags) > maxOrderTags {
			bad.Add("tags", fault.CodeInvalidValue, "A contact must have at most %d tags.", maxOrderTags)
		}
		in.Tags = &tags
	}
	return bad.Err()
}

// apply changes the row and returns the differences.
func (in *ContactChange) apply(row *contactRow) (changes []access.Change) {
	set := func(field string, value *string, into *string) {
		if value != nil {
			changes, *into = append(changes, access.Changed(field, *into, *value)...), *value
		}
	}
	set("note", in.Note, &row.note)
	set("blockedReason", in.BlockedReason, &row.reason)
	if in.Blocked != nil {
		changes, row.blocked = append(changes, access.Changed("blocked", row.blocked, *in.Blocked)...), *in.Blocked
	}
	if in.Tags != nil && !slices.Equal(row.tags, *in.Tags) {
		changes, row.tags = append(changes, access.Change{Field: "tags", Before: row.tags, After: *in.Tags}), *in.Tags
	}
	return changes
}

// checkContact checks an order of a buyer against the blocks of their phone numbers: the order's
// and the account's. It runs in the transaction of the order. Codes: forbidden,
// payment_method_unavailable.
func (set *CheckoutSettings) checkContact(tx *db.Tx, method status.PaymentMethod, total int64, number string, customer account.Account) error {
	block, err := set.findOrderBlock(tx, method, total, number, db.TextOf(customer.Phone()))
	switch {
	case err != nil:
		return err
	case block == BlockAll:
		return fault.Errorf(fault.CodeForbidden, "The shop does not accept this order. Contact the shop.")
	case block == BlockCash:
		return fault.Errorf(fault.CodePaymentMethodUnavailable, "Cash on delivery is not available for this order: pay online.").WithField("paymentMethod")
	}
	return nil
}

// findOrderBlock returns the block of an order with two phone numbers; the second may be "".
// [BlockCash] does not apply to an order without cash to collect.
func (set *CheckoutSettings) findOrderBlock(tx *db.Tx, method status.PaymentMethod, total int64, number, other string) (Block, error) {
	block, err := findBlock(tx, number, other)
	if err != nil {
		return block, err
	}
	if block == BlockAll {
		return block, nil
	}
	if method != status.PayCOD || total == 0 {
		return BlockNone, nil
	}
	if block == BlockNone && set.CashForBadRecords == CashRefuse {
		records, err := FindRecords(tx, []string{number, other})
		if err != nil {
			return "", err
		}
		for _, record := range records {
			if record.Level == RecordBad {
				block = BlockCash
			}
		}
	}
	return block, nil
}

// IsEmpty reports whether staff have recorded nothing.
func (c *Contact) IsEmpty() bool {
	return c.Note == nil && len(c.Tags) == 0 && c.Blocked == BlockNone && c.BlockedReason == nil
}
