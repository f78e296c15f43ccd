package catalogue

import (
	"fmt"
	"sync"

	"storefront/db"
	"storefront/shop/page"
)

// maxTotals bounds what productTotals remembers; beyond it, it starts anew.
const maxTotals = 512

// productTotals remembers how many products each filter finds, as long as the shop's file stays
// as it is and no product appears by the time alone. The zero value is ready.
type productTotals struct {
	mu      sync.Mutex
	version uint64
	until   int64 // the next scheduled publication, milliseconds; 0: none
	totals  map[string]int
}

// count gives how many products the query finds in all. version was taken before the transaction
// began; found is how many of them the query's page has.
func (c *productTotals) count(tx *db.Tx, version uint64, q *productQuery, found int) (int, error) {
	offset := q.window.Offset()
	if q.window.Limit == page.NoLimit || found < q.window.Limit && (found > 0 || offset == 0) { // the list ends here
		return offset + found, nil
	}
	key := q.from + q.conditions(Published) + fmt.Sprintf("%#v", q.args)
	now := db.Millis(tx.Now())
	total, ok := c.find(version, now, key)
	if ok {
		return total, nil
	}
	total, err := q.count(tx)
	if err != nil {
		return 0, err
	}
	until, err := NextPublication(tx)
	if err != nil {
		return 0, err
	}
	c.put(version, until, key, total)
	return total, nil
}

func (c *productTotals) find(version uint64, now int64, key string) (total int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version || c.until != 0 && c.until <= now {
		return 0, false
	}
	total, ok = c.totals[key]
	return total, ok
}

func (c *productTotals) put(version uint64, until int64, key string, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.totals == nil || c.version != version || c.until != until || len(c.totals) >= maxTotals {
		c.totals = make(map[string]int)
	}
	c.version, c.until = version, until
	c.totals[key] = total
}
