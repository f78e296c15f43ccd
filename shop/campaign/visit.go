package campaign

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"storefront/db"
)

const (
	// MaxKeys is the maximum number of campaigns and sources of a day that are counted one by one. The
	// addresses of anyone's links determine them.
	MaxKeys = 200
	// visitDays is the time for which visits are stored: two periods of a report.
	visitDays = 800
)

// Visits are the visits of a day by campaign or source.
type Visits map[Key]int

// Add adds other visits. If the day has too many keys, they are of [KindOther].
func (v Visits) Add(other Visits) {
	for k, n := range other {
		if _, ok := v[k]; !ok && len(v) >= MaxKeys {
			k = Key{Kind: KindOther}
		}
		v[k] += n
	}
}

// AddVisits adds visits to the stored ones of a day, such as 2026-03-01, in one transaction. It is
// called in the background, so that no page waits for it.
func (c *Campaigns) AddVisits(ctx context.Context, day string, visits Visits) error {
	before, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return fmt.Errorf("add visits: %w", err)
	}
	return c.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		stored, err := findVisitKeys(tx, day)
		if err != nil {
			return err
		}
		if len(stored) == 0 { // the first ones of a day
			if err := purgeVisits(tx, before.AddDate(0, 0, -visitDays).Format(time.DateOnly)); err != nil {
				return err
			}
		}
		bounded := Visits{}
		for _, k := range slices.SortedFunc(maps.Keys(visits), compareKeys) {
			n := visits[k]
			if !stored[k] && len(stored) >= MaxKeys {
				k = Key{Kind: KindOther}
			}
			stored[k] = true
			bounded[k] += n
		}
		for _, k := range slices.SortedFunc(maps.Keys(bounded), compareKeys) {
			if err := addVisits(tx, day, k, bounded[k]); err != nil {
				return err
			}
		}
		return nil
	})
}

func compareKeys(a, b Key) int { return strings.Compare(a.Pack(), b.Pack()) }

func findVisitKeys(tx *db.Tx, day string) (map[Key]bool, error) {
	found := map[Key]bool{}
	err := tx.Each("SELECT kind, source, medium, campaign FROM campaign_visits WHERE day = ?", []any{day}, func(r db.Row) error {
		var k Key
		err := r.Scan(&k.Kind, &k.Source, &k.Medium, &k.Campaign)
		found[k] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find campaigns with visits: %w", err)
	}
	return found, nil
}

func addVisits(tx *db.Tx, day string, k Key, n int) error {
	err := tx.Do(`
		INSERT INTO campaign_visits (day, kind, source, medium, campaign, visits)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (day, kind, source, medium, campaign) DO UPDATE SET visits = campaign_visits.visits + excluded.visits`,
		day, string(k.Kind), k.Source, k.Medium, k.Campaign, n)
	if err != nil {
		return fmt.Errorf("add visits: %w", err)
	}
	return nil
}

func purgeVisits(tx *db.Tx, before string) error {
	if err := tx.Do("DELETE FROM campaign_visits WHERE day < ?", before); err != nil {
		return fmt.Errorf("purge visits: %w", err)
	}
	return nil
}

// SumVisits returns the visits of days from the first to the last.
func SumVisits(tx *db.Tx, first, last string) (Visits, error) {
	sums := Visits{}
	err := tx.Each(`
		SELECT kind, source, medium, campaign, SUM(visits)
		FROM campaign_visits
		WHERE day >= ? AND day <= ?
		GROUP BY kind, source, medium, campaign`, []any{first, last}, func(r db.Row) error {
		var k Key
		var n int
		err := r.Scan(&k.Kind, &k.Source, &k.Medium, &k.Campaign, &n)
		sums[k] = n
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sum visits: %w", err)
	}
	return sums, nil
}

// SpendSum is the money spent on a row of the report.
type SpendSum struct {
	Kind   Kind
	Name   string
	Amount int64
}

// SumSpend returns the money spent on days from the first to the last, by row of the report.
func SumSpend(tx *db.Tx, first, last string) ([]SpendSum, error) {
	sums, err := db.Query(tx, func(r db.Row) (s SpendSum, err error) { return s, r.Scan(&s.Kind, &s.Name, &s.Amount) }, `
		SELECT kind, MAX(name), SUM(amount)
		FROM campaign_spend
		WHERE day >= ? AND day <= ?
		GROUP BY kind, key`, first, last)
	if err != nil {
		return nil, fmt.Errorf("sum spend: %w", err)
	}
	slices.SortFunc(sums, func(a, b SpendSum) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return sums, nil
}
