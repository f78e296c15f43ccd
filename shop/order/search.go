package order

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/outbox"
	"storefront/shop/page"
	"storefront/shop/phone"
)

const (
	// searchConsumer is the cursor of the search index of orders. searchBackfill is a cursor that
	// descends through the numbers of the orders older than the index.
	searchConsumer = "order_search"
	searchBackfill = "order_search_backfill"

	searchBatch = 200 // orders that one transaction indexes
	// searchBatches limits the batches that the search of a list indexes before it reads: 2,000
	// orders. After a move or a bulk change more may wait, and are indexed in the background.
	searchBatches = 10
	// allBatches is for callers that need every order, such as a bulk action on what a search finds.
	allBatches = math.MaxInt
	// time after which events are indexed without a search, so that the outbox can be purged
	searchDelay      = time.Hour
	purgeBatch       = 5_000 // events
	maxOrderWords    = 16
	maxOrderWordSize = 100 // characters
)

// Search is a search of orders: words that an order must all match, and alternatives to them.
type Search struct {
	words  []string
	phone  string // digits of a phone number, instead of words; "" means that the text is none
	number int64  // 0 means that the text is no order number
	id     string // "" means that the text is no invoice UID
	found  foundOrders
	exact  int64 // number of the order that the text names; 0 means none
}

// NewSearch returns the search for a text. ok is false if the text has no letter or digit.
func NewSearch(text string) (search Search, ok bool) {
	folded := input.Fold(input.Cut(text, maxOrderWords*maxOrderWordSize))
	search.words = strings.FieldsFunc(folded, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Mc, unicode.Co)
	})
	if len(search.words) > maxOrderWords {
		search.words = search.words[:maxOrderWords]
	}
	for i, word := range search.words {
		search.words[i] = input.Cut(word, maxOrderWordSize)
	}
	search.phone, _ = phone.Digits(text)
	search.number, _ = strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(folded), "#"), 10, 64)
	search.id, _ = parseInvoiceUID(strings.TrimSpace(folded))
	return search, len(search.words) > 0
}

// searchText returns the text by which an order is found. country is the shop's.
func (o *orderRow) searchText(country string) string {
	parts := []string{o.id, o.name, o.line1, o.line2, o.area, o.city, o.postcode}
	parts = append(parts, phoneWords(o.phone, country)...)
	for _, shipment := range o.shipments {
		parts = append(parts, db.TextOf(shipment.consignmentID), shipment.trackingCode, shipment.returnID)
	}
	for _, item := range o.items {
		parts = append(parts, item.title, item.variantTitle, item.sku)
	}
	return input.Fold(strings.Join(parts, " "))
}

// phoneWords returns the spellings of a phone number for the search: whole, without its country
// code, and its last digits.
func phoneWords(e164, country string) []string {
	digits := strings.TrimPrefix(e164, "+")
	words := []string{digits}
	if code, ok := phone.CallingCode(country); ok {
		if national, ok := strings.CutPrefix(digits, code); ok {
			words = append(words, national, "0"+national)
		}
	}
	for _, n := range []int{4, 5, 6} {
		if len(digits) > n {
			words = append(words, digits[len(digits)-n:])
		}
	}
	return words
}

// IndexOrders brings the search index of orders up to date if events have waited for long, if they
// are more than a search indexes, or if orders are older than the index. It deletes old events.
// next is the next due time; a zero time means not before the shop's data changes. It is called in
// the background.
func (s *Orders) IndexOrders(ctx context.Context) (next time.Time, err error) {
	var rest unindexedOrders
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		rest, err = findUnindexed(tx)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if rest.older == 0 && rest.events > 0 && rest.events <= searchBatch*searchBatches {
		if due := rest.since.Add(searchDelay); due.After(s.now()) {
			return due, nil
		}
	}
	if rest.total() > 0 {
		if _, err := s.updateOrderSearch(ctx, allBatches); err != nil {
			return time.Time{}, err
		}
	}
	for deleted := int64(purgeBatch); deleted == purgeBatch; {
		err := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			deleted, err = outbox.Purge(tx, purgeBatch)
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
	}
	return time.Time{}, nil
}

// updateOrderSearch indexes the orders that changed since the last search, at most a number of
// batches, and returns the state of an index that is still behind; nil if it is complete.
func (s *Orders) updateOrderSearch(ctx context.Context, batches int) (*page.Indexing, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	for done := 0; ; done++ {
		var rest unindexedOrders
		err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
			rest, err = findUnindexed(tx)
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case rest.total() == 0:
			return nil, nil
		case done >= batches:
			return &page.Indexing{Remaining: rest.total()}, nil
		}
		err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
			return indexOrders(tx, set.Country)
		})
		if db.IsUnwritable(err) && batches != allBatches {
			return &page.Indexing{Remaining: rest.total()}, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// indexOrders indexes one batch of orders: those with new events first, then those that were placed
// before the index existed, newest first.
func indexOrders(tx *db.Tx, country string) error {
	seq, err := outbox.Cursor(tx, searchConsumer)
	if errors.Is(err, db.ErrNotFound) {
		if err := beginOrderSearch(tx); err != nil {
			return err
		}
		seq, err = outbox.Cursor(tx, searchConsumer)
	}
	if err != nil {
		return err
	}
	events, err := outbox.After(tx, seq, searchBatch)
	if err != nil {
		return err
	}
	if len(events) > 0 {
		var ids []string
		for _, e := range events {
			if e.Data.OrderNumber != 0 {
				ids = append(ids, e.Subject)
			}
			seq = e.Seq
		}
		if err := indexOrdersWith(tx, ids, country); err != nil {
			return err
		}
		return outbox.Advance(tx, searchConsumer, seq)
	}
	from, err := outbox.Cursor(tx, searchBackfill)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ids, next, err := findOrdersBelow(tx, from, searchBatch)
	if err != nil {
		return err
	}
	if err := indexOrdersWith(tx, ids, country); err != nil {
		return err
	}
	if next == 0 {
		return outbox.DeleteCursor(tx, searchBackfill)
	}
	return outbox.Advance(tx, searchBackfill, next)
}

// beginOrderSearch starts the index: it follows the outbox from now on, and existing orders are
// still to be indexed.
func beginOrderSearch(tx *db.Tx) error {
	last, err := outbox.Last(tx)
	if err != nil {
		return err
	}
	if err := outbox.Advance(tx, searchConsumer, last); err != nil {
		return err
	}
	exist, err := anyOrders(tx)
	if err != nil {
		return err
	}
	if !exist {
		return nil
	}
	newest, err := LastNumber(tx)
	if err != nil {
		return err
	}
	return outbox.Advance(tx, searchBackfill, newest)
}

func indexOrdersWith(tx *db.Tx, ids []string, country string) error {
	orders, err := findOrderRows(tx, distinct(ids))
	if err != nil {
		return err
	}
	for _, o := range orders {
		if err := saveOrderText(tx, o.number, o.searchText(country)); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns the values without repetitions, in the same order.
func distinct(values []string) []string {
	seen := make(map[string]bool, len(values))
	var list []string
	for _, value := range values {
		if !seen[value] {
			seen[value] = true
			list = append(list, value)
		}
	}
	return list
}
