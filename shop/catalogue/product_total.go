package catalogue

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"storefront/db"
	"storefront/shop/page"
)

// maxTotals limits the entries of productTotals. It is emptied when the limit is reached.
const maxTotals = 512

// productTotals caches the number of products that match each filter, until the shop's content
// version changes or a scheduled publication is due. The zero value is ready for use.
type productTotals struct {
	mu      sync.Mutex
	version uint64
	until   int64 // the next scheduled publication, in milliseconds; 0 means none
	totals  map[totalKey]int
}

// totalKey identifies a query. It is a hash, because the list of a query's products may be long.
type totalKey [sha256.Size]byte

// count returns the number of products that match the query. version is the content version read
// before the transaction began; found is the number of products on the query's page.
func (c *productTotals) count(tx *db.Tx, version uint64, q *productQuery, found int) (int, error) {
	offset := q.window.Offset()
	if q.window.Limit == page.NoLimit || found < q.window.Limit && (found > 0 || offset == 0) { // the last page
		return offset + found, nil
	}
	return c.total(tx, version, q)
}

// total is count for a query before any row is read.
func (c *productTotals) total(tx *db.Tx, version uint64, q *productQuery) (int, error) {
	key := totalKey(sha256.Sum256(fmt.Appendf(nil, "%s%s%#v", q.from, q.whereSQL(Published), q.args)))
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

func (c *productTotals) find(version uint64, now int64, key totalKey) (total int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version || c.until != 0 && c.until <= now {
		return 0, false
	}
	total, ok = c.totals[key]
	return total, ok
}

func (c *productTotals) put(version uint64, until int64, key totalKey, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.totals == nil || c.version != version || c.until != until || len(c.totals) >= maxTotals {
		c.totals = make(map[totalKey]int)
	}
	c.version, c.until = version, until
	c.totals[key] = total
}
