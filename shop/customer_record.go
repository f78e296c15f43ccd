package shop

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/fault"
	"storefront/shop/page"
	"storefront/shop/phone"
)

// CustomerRecord is all that the shop stores about an account, except its orders.
type CustomerRecord struct {
	account.Customer
	EmailVerified         bool      `json:"emailVerified"`
	HasPassword           bool      `json:"hasPassword"` // the account can sign in with a password
	PasswordResetRequired bool      `json:"passwordResetRequired"`
	Orders                int       `json:"orders"`
	UpdatedAt             time.Time `json:"updatedAt"`
}

// CustomerExport is all that the shop stores about a customer or a guest, for requests for personal
// data.
type CustomerExport struct {
	Customer *CustomerRecord `json:"customer"` // null: a guest
	Orders   []Order         `json:"orders"`
	// Codes are the sign-in codes sent to the phone within the last day, without the digits.
	Codes []account.SentCode `json:"codes"`
}

// CustomerFilter selects accounts. The zero value selects the first page of all.
type CustomerFilter struct {
	page.Request
	Search string // part of a name, or a whole e-mail address or phone number; "": any
}

// ListCustomers returns one page of the accounts, newest first. Codes: validation_failed.
func (s *Shop) ListCustomers(ctx context.Context, caller access.Caller, filter CustomerFilter) (*page.Page[CustomerRecord], error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var records []CustomerRecord
	var total int
	err = s.viewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		rows, n, err := account.List(tx, filter.Search, set.Country, w)
		if err != nil {
			return err
		}
		records, total = make([]CustomerRecord, len(rows)), n
		for i, row := range rows {
			if records[i], err = customerRecord(tx, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &page.Page[CustomerRecord]{Nodes: records, Meta: w.MetaFor(total)}, nil
}

// FindCustomerRecord returns an account by its ID, e-mail address or phone number. Codes: not_found.
func (s *Shop) FindCustomerRecord(ctx context.Context, caller access.Caller, key string) (*CustomerRecord, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var record CustomerRecord
	err = s.view(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := account.Find(tx, key, set.Country)
		if err != nil {
			return err
		}
		record, err = customerRecord(tx, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &record, nil
}

// ExportCustomer returns all stored data of a customer, by ID, e-mail address or phone number, or of a
// guest by the phone number of their orders. Codes: not_found.
func (s *Shop) ExportCustomer(ctx context.Context, caller access.Caller, key string) (*CustomerExport, error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	var export CustomerExport
	err = s.viewMany(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, ids, err := findBuyer(tx, key, set.Country)
		if err != nil {
			return err
		}
		if !row.IsGuest() {
			record, err := customerRecord(tx, row)
			if err != nil {
				return err
			}
			export.Customer = &record
		}
		if export.Codes, err = account.FindSentCodes(tx, db.TextOf(row.Phone())); err != nil {
			return err
		}
		orders, err := findOrderRows(tx, ids)
		if err != nil {
			return err
		}
		export.Orders = make([]Order, len(orders))
		for i, order := range orders {
			export.Orders[i] = order.view(set.money, viewStaff)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &export, nil
}

// DeleteCustomer deletes an account and erases its personal data. Its orders stay for accounting,
// without name, phone, e-mail address, address and note; so do orders that a guest placed with the
// account's verified phone number. A guest, found by the phone number of their orders, has orders
// only. It returns the number of erased orders. Codes: not_found.
func (s *Shop) DeleteCustomer(ctx context.Context, caller access.Caller, key string) (orders int, err error) {
	if err := s.requireAdmin(ctx, caller); err != nil {
		return 0, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return 0, err
	}
	err = s.updateAlone(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, ids, err := findBuyer(tx, key, set.Country)
		if err != nil {
			return err
		}
		orders = len(ids)
		if err := eraseBuyer(tx, ids); err != nil {
			return err
		}
		return account.Delete(tx, row)
	})
	return orders, err
}

// findBuyer returns an account and the IDs of its orders. If there is no such account it returns those
// of a guest by phone number, and a row with only the phone number. Codes: not_found.
func findBuyer(tx *db.Tx, key, country string) (row account.Account, orderIDs []string, err error) {
	row, err = account.Find(tx, key, country)
	phone, isPhone := phone.Parse(key, country)
	switch {
	case err == nil:
		orderIDs, err = findBuyerOrderIDs(tx, row.ID(), db.TextOf(row.VerifiedPhone()))
	case fault.HasCode(err, fault.CodeNotFound) && isPhone:
		ids, findErr := findBuyerOrderIDs(tx, "", phone)
		if findErr != nil || len(ids) > 0 {
			return account.Guest(phone), ids, findErr
		}
	}
	return row, orderIDs, err
}
