package order

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"

	"storefront/db"
	"storefront/shop/input"
	"storefront/shop/outbox"
	"storefront/shop/phone"
)

const (
	// searchConsumer is the cursor of the search index of orders. searchBackfill is a cursor that
	// descends through the numbers of the orders older than the index.
	searchConsumer = "order_search"
	searchBackfill = "order_search_backfill"

	searchBatch = 200 // orders that one transaction indexes
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

// IndexOrders brings the search index of orders up to date if events have waited for long or if
// orders are older than the index, and deletes old events. next is the next due time; a zero time
// means not before the shop's data changes. It is called in the background.
func (s *Orders) IndexOrders(ctx context.Context) (next time.Time, err error) {
	var waiting *time.Time
	var backfill bool
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		waiting, backfill, err = findUnindexed(tx)
		return err
	})
	if err != nil {
		return time.Time{}, err
	}
	if waiting != nil && !backfill {
		if due := waiting.Add(searchDelay); due.After(s.now()) {
			return due, nil
		}
	}
	if waiting != nil || backfill {
		if err := s.updateOrderSearch(ctx); err != nil {
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

// updateOrderSearch indexes the orders that changed since the last search.
func (s *Orders) updateOrderSearch(ctx context.Context) error {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	for more := true; more; {
		err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) error {
			waiting, backfill, err := findUnindexed(tx)
			more = waiting != nil || backfill
			return err
		})
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		if err := s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return indexOrders(tx, set.Country) }); err != nil {
			return err
		}
	}
	return nil
}

// indexOrders indexes one batch of orders: those with new events first, then those that were placed
// before the index existed, newest first.
func indexOrders(tx *db.Tx, country string) error {
	seq, err := outbox.Cursor(tx, searchConsumer)
	if errors.Is(err, db.ErrNotFound) {
		return beginOrderSearch(tx)
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
