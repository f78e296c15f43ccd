package staff

import (
	"context"
	"time"

	"storefront/db"
)

// textCodeRetention is the time for which codes are stored: they count towards the limit of an
// hour.
const textCodeRetention = 24 * time.Hour

// AccessTables returns the tables with rows that permit a sign-in without a password: sessions,
// links, codes, and responses, which can contain a new link and are stored for a day.
func AccessTables() []string {
	return []string{"staff_sessions", "staff_links", "staff_codes", "staff_requests", "operator_visits"}
}

// PurgeAccess deletes sessions, links, codes and stored responses that ended long ago. It returns
// the time at which the next row is to be deleted; a zero time means that there is none.
func (s *Staff) PurgeAccess(ctx context.Context) (next time.Time, err error) {
	findNext := func(_ context.Context, tx *db.Tx) (err error) {
		next, err = findNextPurge(tx)
		return err
	}
	if err := s.data.View(ctx, findNext); err != nil {
		return next, err
	}
	if next.IsZero() || next.After(s.cfg.Now()) {
		return next, nil
	}
	err = s.data.Update(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := purgeAccess(tx); err != nil {
			return err
		}
		return findNext(ctx, tx)
	})
	return next, err
}
