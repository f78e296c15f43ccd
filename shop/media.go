package shop

import (
	"context"
	"errors"
	"sync"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

// listedImages are the uploaded images that were found to be listed at a content version.
type listedImages struct {
	mu      sync.RWMutex
	version ContentVersion
	ids     map[string]struct{}
}

func (l *listedImages) has(version ContentVersion, id string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, found := l.ids[id]
	return found && l.version == version
}

func (l *listedImages) add(version ContentVersion, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ids == nil || l.version != version {
		l.version, l.ids = version, make(map[string]struct{})
	}
	l.ids[id] = struct{}{}
}

// ImageExposure returns who may see the files of an uploaded image that exist: of a shop that is
// closed to buyers, staff alone. Listed images are looked up once for a content version. admit is
// called before other look-ups, and waits until the client may read the shop's data.
// Codes: admit's.
func (s *Shop) ImageExposure(
	ctx context.Context, id string, admit func() (release func(), err error),
) (catalogue.Exposure, error) {
	set, err := s.Settings(ctx)
	if err != nil {
		return catalogue.Withheld, err
	}
	if set.IsClosed() {
		return catalogue.Withheld, nil
	}
	version, err := s.ContentVersion(ctx)
	if err != nil {
		return catalogue.Withheld, err
	}
	if s.listedImages.has(version, id) {
		return catalogue.Listed, nil
	}
	release, err := admit()
	if err != nil {
		return catalogue.Withheld, err
	}
	defer release()
	exposure := catalogue.Withheld
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		exposure, err = s.Catalogue.FindExposure(tx, id)
		return err
	})
	if err == nil && exposure == catalogue.Listed {
		s.listedImages.add(version, id)
	}
	return exposure, err
}

// ShowsImagesTo reports whether the caller is a staff member who may see withheld images.
func (s *Shop) ShowsImagesTo(ctx context.Context, caller access.Caller) (bool, error) {
	_, err := s.Staff.Authorize(ctx, caller, access.ToFindMedia)
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return false, nil
	}
	return err == nil, err
}
