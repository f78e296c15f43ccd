package tenants

import (
	"context"
	"fmt"
	"slices"

	"storefront/db"
	"storefront/shop/plugin"
)

// Summary is a shop in a list.
type Summary struct {
	UID        string      `json:"uid"`
	Name       string      `json:"name"`
	Currency   string      `json:"currency"`
	Country    string      `json:"country"`
	ActiveMode plugin.Mode `json:"activeMode" doc:"Whether it uses its providers live or in sandbox mode"`
	Suspended  bool        `json:"suspended" doc:"Closed to buyers"`
	Place      Place       `json:"place"`
	Plan       *string     `json:"plan" doc:"null if it has none"`
	Problem    *string     `json:"problem" doc:"Why its data cannot be read; null if it can"`
}

// List returns all shops, sorted by UID. It opens only the files that were written after the last
// list. A shop with an unreadable file is listed with its problem and does not hide the others.
func (t *Tenants) List(ctx context.Context) ([]Summary, error) {
	ids, err := t.store.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	ids = slices.DeleteFunc(ids, isInstallation)
	indexed, err := t.domains.list(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	inFiles, err := t.listFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	list := make([]Summary, 0, len(ids))
	for _, id := range ids {
		entry, ok := indexed[id]
		switch {
		case !ok || entry.Name == "" && entry.unread == nil: // deleted in the meantime
		case entry.unread != nil:
			problem := entry.unread.Error()
			list = append(list, Summary{UID: string(id), Place: inFiles(id), Problem: &problem})
		default:
			list = append(list, Summary{
				UID: string(id), Name: entry.Name, Currency: entry.Currency, Country: entry.Country,
				ActiveMode: entry.Mode, Suspended: entry.Suspended, Place: inFiles(id), Plan: db.NullText(entry.Plan),
			})
		}
	}
	return list, nil
}

// listFiles returns a function that returns the place of a shop.
func (t *Tenants) listFiles(ctx context.Context) (place func(db.ID) Place, err error) {
	if t.engines == nil {
		return func(db.ID) Place { return InFiles }, nil
	}
	ids, err := t.engines.own.List(ctx)
	return func(id db.ID) Place {
		if _, found := slices.BinarySearch(ids, id); found {
			return InFiles
		}
		return InPostgres
	}, err
}

// requireFile returns an error with a remedy if a shop is not in a file.
func (t *Tenants) requireFile(ctx context.Context, id db.ID, instead string) error {
	place, err := t.placeOf(ctx, id)
	if err == nil && place != InFiles {
		err = fmt.Errorf("the shop %s is in PostgreSQL: %s", id, instead)
	}
	return err
}

// placeOf returns the place of a shop.
func (t *Tenants) placeOf(ctx context.Context, id db.ID) (Place, error) {
	if t.engines == nil {
		return InFiles, nil
	}
	return t.engines.place(ctx, id)
}

// UIDs returns the UIDs of all shops, sorted. It opens no file.
func (t *Tenants) UIDs(ctx context.Context) ([]string, error) {
	return listShopUIDs(ctx, t.store)
}

// FileUIDs returns the UIDs of all shops in files, sorted.
func (t *Tenants) FileUIDs(ctx context.Context) ([]string, error) {
	return listShopUIDs(ctx, t.files.Engine())
}

// lister lists UIDs.
type lister interface {
	List(ctx context.Context) ([]db.ID, error)
}

// isInstallation reports whether a UID is [Installation].
func isInstallation[S ~string](uid S) bool { return uid == Installation }

func listShopUIDs(ctx context.Context, in lister) ([]string, error) {
	uids, err := listUIDs(ctx, in)
	return slices.DeleteFunc(uids, isInstallation), err
}

func listUIDs(ctx context.Context, in lister) ([]string, error) {
	ids, err := in.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list shops: %w", err)
	}
	uids := make([]string, len(ids))
	for i, id := range ids {
		uids[i] = string(id)
	}
	return uids, nil
}
