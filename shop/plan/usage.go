package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/timezone"
)

// LimitUse is how much of a limit a shop uses.
type LimitUse struct {
	Limit Limit `json:"limit"`
	Used  int64 `json:"used"`
	Max   int64 `json:"max"`
	Soft  bool  `json:"soft" doc:"Use beyond it is reported instead of refused"`
}

// The parts of a limit, in per cent, at which a shop is warned.
const (
	nearPercent = 80
	fullPercent = 100
)

// percent returns the highest part of the limit at which a shop is warned and that is reached; 0
// means none.
func (u *LimitUse) percent() int {
	switch {
	case u.Max == 0 && u.Used == 0: // the plan excludes it
		return 0
	case u.Used >= u.Max:
		return fullPercent
	case u.Used*100 >= u.Max*nearPercent:
		return nearPercent
	}
	return 0
}

// IsNear reports whether the shop is warned of the use.
func (u *LimitUse) IsNear() bool { return u.percent() > 0 }

// Month returns the bounds of the month of a time in a zone.
func Month(at time.Time, zone *time.Location) (from, before time.Time) {
	at = at.In(zone)
	first := time.Date(at.Year(), at.Month(), 1, 12, 0, 0, 0, zone)
	return timezone.StartOfDay(first, 0), timezone.StartOfDay(first.AddDate(0, 1, 0), 0)
}

// Used returns the use of each limit that the plan has, except calls, in the month of the
// transaction.
func (p *Plan) Used(tx *db.Tx, zone *time.Location) ([]LimitUse, error) {
	uses := []LimitUse{}
	from, before := Month(tx.Now(), zone)
	for _, limit := range AllLimits() {
		limited := p.Limits.Of(limit)
		if limited == nil || limit == CallsPerSecond {
			continue
		}
		used, err := countUsed(tx, limit, from, before)
		if err != nil {
			return nil, err
		}
		uses = append(uses, LimitUse{limit, used, *limited, p.IsSoft(limit)})
	}
	return uses, nil
}

// countUsed counts the use of a limit; from and before are the bounds of a limit a month.
func countUsed(tx *db.Tx, limit Limit, from, before time.Time) (used int64, err error) {
	switch limit {
	case Products:
		err = tx.QueryRow(`SELECT COUNT(*) FROM products`).Scan(&used)
	case Staff:
		err = tx.QueryRow(`SELECT COUNT(*) FROM staff WHERE status <> 'off'`).Scan(&used)
	case ImageBytes:
		err = tx.QueryRow(`SELECT COALESCE(SUM(bytes), 0) FROM media`).Scan(&used)
	case Domains:
		return countDomains(tx)
	case Orders: // as in the report on sales
		err = tx.QueryRow(`
			SELECT COUNT(*)
			FROM orders
			WHERE placed_at >= ? AND placed_at < ? AND test = 0 AND status NOT IN ('pending_payment', 'cancelled', 'expired')`,
			db.Millis(from), db.Millis(before)).Scan(&used)
	case SMSSegments:
		err = tx.QueryRow(`
			SELECT COALESCE(SUM(segments), 0)
			FROM buyer_messages
			WHERE channel = 'sms' AND segments > 0 AND updated_at >= ? AND updated_at < ?`,
			db.Millis(from), db.Millis(before)).Scan(&used)
	}
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", limit, err)
	}
	return used, nil
}

func countDomains(tx *db.Tx) (int64, error) {
	var text string
	err := tx.QueryRow(`
		SELECT value
		FROM settings
		WHERE key = 'domains'`).Scan(&text)
	if errors.Is(err, db.ErrNotFound) {
		return 0, nil
	}
	var domains []string
	if err == nil {
		err = json.Unmarshal([]byte(text), &domains)
	}
	if err != nil {
		return 0, fmt.Errorf("count domains: %w", err)
	}
	return int64(len(domains)), nil
}

// CheckMessage checks that the shop's plan has room for further parts of text messages this month.
// Codes: plan_limit.
func (p *Plan) CheckMessage(tx *db.Tx, zone *time.Location, segments int) error {
	return p.CheckUse(SMSSegments, int64(segments), func() (int64, error) {
		from, before := Month(tx.Now(), zone)
		return countUsed(tx, SMSSegments, from, before)
	})
}
