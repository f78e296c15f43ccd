package shop

import (
	"context"
	"encoding/hex"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/throttle"
)

// buyerSubjects are the subjects of customers and guests in the audit log.
type buyerSubjects struct{ source throttle.Source }

func (s *Orders) buyerSubjects(ctx context.Context) (buyerSubjects, error) {
	keys, err := s.cfg.Secrets.Keys(ctx)
	if err != nil {
		return buyerSubjects{}, err
	}
	return buyerSubjects{throttle.NewSource(keys.Throttle)}, nil
}

// of returns the subject of an account or a guest. A guest has no ID: a keyed hash of the phone
// number shows which entries concern the same guest, and does not contain the number.
func (b buyerSubjects) of(row account.Account) access.Subject {
	if row.IsGuest() {
		hash := b.source.Hash("audit subject", db.TextOf(row.Phone()))
		return access.Subject{Kind: access.SubjectGuest, ID: "guest-" + hex.EncodeToString(hash)}
	}
	return access.Subject{Kind: access.SubjectCustomer, ID: row.ID()}
}

// named is of with the buyer's name. An erased person has no name.
func (b buyerSubjects) named(tx *db.Tx, row account.Account) (access.Subject, error) {
	subject := b.of(row)
	if subject.Label = row.Name(); subject.Label != "" {
		return subject, nil
	}
	contact, err := findContact(tx, db.TextOf(row.Phone()))
	if err != nil {
		return subject, err
	}
	if len(contact.Names) > 0 {
		subject.Label = contact.Names[0]
	}
	return subject, nil
}
