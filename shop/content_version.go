package shop

import (
	"context"
	"fmt"

	"storefront/db"
	"storefront/shop/catalogue"
)

// ContentVersion names the state of what a shop shows to everybody: catalogue and store configuration.
// Equal editions mean equal answers, for as long as this process lives.
type ContentVersion struct {
	version  uint64      // of the file
	settings settingsKey // which are read apart from the rest
	until    int64       // when a product appears by the time alone, milliseconds; 0: none is due
}

// publicationTime is when the next product of a version appears.
type publicationTime struct {
	version uint64
	until   int64
}

// ContentVersion gives the present edition. What is read after asking for it is at least as new. Every
// commit of this process has changed it before it is acknowledged, another process's does so at
// most 50 ms later.
func (s *Shop) ContentVersion(ctx context.Context) (ContentVersion, error) {
	version, foreign, err := s.store.Versions(ctx, s.id)
	if err != nil {
		return ContentVersion{}, err
	}
	next := s.publication.Load()
	if next == nil || next.version != version || next.until != 0 && next.until <= db.Millis(s.now()) {
		if next, err = s.loadPublicationTime(ctx, version); err != nil {
			return ContentVersion{}, err
		}
	}
	return ContentVersion{version: version, settings: settingsKey{foreign, s.revision.Load()}, until: next.until}, nil
}

func (s *Shop) loadPublicationTime(ctx context.Context, version uint64) (*publicationTime, error) {
	found := &publicationTime{version: version}
	err := s.view(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		found.until, err = catalogue.NextPublication(tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find edition: %w", err)
	}
	s.publication.Store(found)
	return found, nil
}
