package shop

import (
	"context"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/campaign"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/order"
	"storefront/shop/phone"
	"storefront/shop/review"
)

// CustomerRecord is all that the shop stores about an account, except its orders.
type CustomerRecord struct {
	account.Customer
	HasPassword           bool      `json:"hasPassword"` // the account can sign in with a password
	PasswordResetRequired bool      `json:"passwordResetRequired"`
	Orders                int       `json:"orders"`
	UpdatedAt             time.Time `json:"updatedAt"`
}

// CustomerDetails are an account with its orders and the staff's record of its phone number. Orders
// placed in sandbox mode do not count.
type CustomerDetails struct {
	CustomerRecord
	Spent        money.Money    `json:"spent" doc:"Amount paid for their orders, less refunds"`
	LastOrderAt  *time.Time     `json:"lastOrderAt"`
	Record       *order.Record  `json:"record" doc:"Record of the phone number; null if the account or its orders have none"`
	Contact      *order.Contact `json:"contact" doc:"The shop's data about the number; null without a number"`
	LatestOrders []order.Row    `json:"latestOrders" nullable:"false" doc:"At most ten, also in sandbox mode; empty if the caller may not view orders"`
}

// CustomerExport is all that the shop stores about a customer or a guest, for requests for personal
// data.
type CustomerExport struct {
	Customer *CustomerRecord `json:"customer"` // null for a guest
	Orders   []order.Order   `json:"orders"`
	// Codes are the codes sent to the phone and the e-mail address within the last day, without the
	// digits.
	Codes []account.SentCode `json:"codes"`
	// Notes are the notes of staff about the orders, and their calls.
	Notes []order.ExportedNote `json:"notes"`
	// Contacts are the staff's records of phone numbers that are only the buyer's.
	Contacts []order.ExportedContact `json:"contacts"`
	// Reviews are the buyer's reviews of products.
	Reviews []review.Review `json:"reviews"`
	// Attributions are the advertisements that led the buyer to the orders.
	Attributions []campaign.OrderAttribution `json:"attributions"`
	// IncompleteOrders are what was typed with the buyer's own number without ordering.
	IncompleteOrders []order.ExportedIncomplete `json:"incompleteOrders"`
}

// FindCustomerRecord returns an account by its ID, e-mail address or phone number. Codes:
// not_found.
func (s *Shop) FindCustomerRecord(ctx context.Context, caller access.Caller, key string) (*CustomerDetails, error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	if err := s.Orders.PostForReading(ctx); err != nil {
		return nil, err
	}
	return access.ReadMany(ctx, s.data, caller, access.ToFindCustomerRecord,
		func(tx *db.Tx, who access.Staff) (*CustomerDetails, error) {
			row, err := account.Find(tx, key, set.Country)
			if err != nil {
				return nil, err
			}
			details := &CustomerDetails{}
			if details.CustomerRecord, err = customerRecord(tx, row); err != nil {
				return nil, err
			}
			if err := details.addOrders(tx, set.money); err != nil {
				return nil, err
			}
			orders, err := order.FindLatestOfCustomer(tx, who, row.ID())
			if err != nil {
				return nil, err
			}
			if row.Phone() != nil {
				if details.Contact, err = order.FindContact(tx, *row.Phone()); err != nil {
					return nil, err
				}
			}
			details.LatestOrders, err = orders.Views(set.orders.Display, now)
			return details, err
		})
}

// ExportCustomer returns all stored data of a customer, by ID, e-mail address or phone number, or
// of a guest by the phone number of their orders. Codes: not_found.
func (s *Shop) ExportCustomer(ctx context.Context, caller access.Caller, key string) (*CustomerExport, error) {
	who, err := s.data.Authorize(ctx, caller, access.ToExportCustomer)
	if err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	subjects, err := s.Orders.BuyerSubjects(ctx)
	if err != nil {
		return nil, err
	}
	var export CustomerExport
	var subject access.Subject
	err = s.data.ViewManyAs(ctx, who, func(ctx context.Context, tx *db.Tx) error {
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
		if export.Codes, err = account.FindSentCodes(tx, row); err != nil {
			return err
		}
		if export.Orders, export.Notes, err = order.ExportBuyerOrders(tx, ids, set.orders.Display); err != nil {
			return err
		}
		if err := export.addRecords(tx, row, ids); err != nil {
			return err
		}
		subject, err = subjects.Named(tx, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.Reviews.AddPhotos(ctx, export.Reviews); err != nil {
		return nil, err
	}
	err = s.data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		return who.Audit(tx, subject, access.Set("orders", len(export.Orders)))
	})
	if err != nil {
		return nil, err
	}
	return &export, nil
}

// addRecords adds what is stored beside the buyer's orders.
func (e *CustomerExport) addRecords(tx *db.Tx, buyer account.Account, orderIDs []string) (err error) {
	if e.Contacts, err = order.FindOwnContacts(tx, buyer, orderIDs); err != nil {
		return err
	}
	if e.IncompleteOrders, err = order.ExportIncomplete(tx, buyer); err != nil {
		return err
	}
	if e.Reviews, err = review.FindOfOrders(tx, orderIDs); err != nil {
		return err
	}
	e.Attributions, err = campaign.FindOfOrders(tx, orderIDs)
	return err
}

// DeleteCustomer deletes an account and erases its personal data. Its orders stay for accounting,
// without name, phone, e-mail address, address and note; so do orders that a guest placed with the
// account's verified phone number. A guest is identified by the phone number of their orders, and
// has only orders. It returns the number of erased orders. Codes: not_found.
func (s *Shop) DeleteCustomer(ctx context.Context, caller access.Caller, key string) (orders int, err error) {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return 0, err
	}
	subjects, err := s.Orders.BuyerSubjects(ctx)
	if err != nil {
		return 0, err
	}
	return access.WriteAlone(ctx, s.data, caller, access.ToDeleteCustomer,
		func(tx *db.Tx, who access.Staff) (int, error) {
			row, ids, err := findBuyer(tx, key, set.Country)
			if err != nil {
				return 0, err
			}
			subject := subjects.Of(row)
			if err := s.Orders.EraseBuyer(tx, subjects, row, ids); err != nil {
				return 0, err
			}
			if err := account.Delete(tx, row); err != nil {
				return 0, err
			}
			return len(ids), who.Audit(tx, subject, access.Set("orders", len(ids)))
		})
}

// findBuyer returns an account and the IDs of its orders. If there is no such account, it returns a
// row with only the phone number, and the IDs of the guest's orders, none if the number has only
// incomplete ones. Codes: not_found.
func findBuyer(tx *db.Tx, key, country string) (row account.Account, orderIDs []string, err error) {
	row, err = account.Find(tx, key, country)
	phone, isPhone := phone.Parse(key, country)
	switch {
	case err == nil:
		orderIDs, err = order.FindBuyerOrderIDs(tx, row.ID(), db.TextOf(row.VerifiedPhone()))
	case fault.HasCode(err, fault.CodeNotFound) && isPhone:
		ids, findErr := order.FindBuyerOrderIDs(tx, "", phone)
		if findErr != nil || len(ids) > 0 {
			return account.Guest(phone), ids, findErr
		}
		if has, findErr := order.HasIncomplete(tx, phone); findErr != nil || has {
			return account.Guest(phone), nil, findErr
		}
	}
	return row, orderIDs, err
}
