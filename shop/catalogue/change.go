package catalogue

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// ProductChanges are changes of the published products since a cursor.
type ProductChanges struct {
	Nodes      []Product `json:"nodes" nullable:"false" doc:"Products that are new or have changed"`
	RemovedIDs []string  `json:"removedIds" nullable:"false" doc:"The _ids of products that are no longer published, which the client may not know"`
	Cursor     string    `json:"cursor" doc:"The value of since for the next request"`
	HasMore    bool      `json:"hasMore" doc:"Whether there are more changes now"`
}

// changeCursor is a position in the changes of products. There are two lists of changes: products
// in the order of the commits that changed them, and products in the order of their publication.
// The second has products that were changed before their publication.
type changeCursor struct {
	epoch     string        // of the shop's data and of the form in which products are shown
	from      int64         // counter 'content' at the beginning; the client knows nothing removed before
	changed   changePlace   // the last product by commit
	published publicationAt // the last product by publication
}

// changePlace is the place of a product among the changed ones.
type changePlace struct {
	content int64 // counter 'content' after the commit
	id      string
}

// publicationAt is the place of a product among the published ones. Without an ID it is before all
// that are published at the time.
type publicationAt struct {
	at int64
	id string
}

// cursorVersion is the version of the text of cursors.
const cursorVersion = "1"

// text returns the cursor as clients receive it.
func (c *changeCursor) text() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join([]string{
		cursorVersion, c.epoch, strconv.FormatInt(c.from, 10), strconv.FormatInt(c.changed.content, 10), c.changed.id,
		strconv.FormatInt(c.published.at, 10), c.published.id,
	}, "/")))
}

// parseChangeCursor returns the cursor with a text. ok is false for another text.
func parseChangeCursor(text string) (c changeCursor, ok bool) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(text)
	parts := strings.Split(string(plain), "/")
	if err != nil || len(parts) != 7 || parts[0] != cursorVersion || !utf8.Valid(plain) || strings.Contains(string(plain), "\x00") {
		return c, false
	}
	c.epoch, c.changed.id, c.published.id = parts[1], parts[4], parts[6]
	for i, number := range map[int]*int64{2: &c.from, 3: &c.changed.content, 5: &c.published.at} {
		if *number, err = strconv.ParseInt(parts[i], 10, 64); err != nil || *number < 0 {
			return c, false
		}
	}
	return c, true
}

// cursorEpoch identifies the shop's data, by its random number, and the settings that change all
// products without raising their revisions.
func (d *display) cursorEpoch(number int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%v\n%s\n%s", number, d.Currency, d.media, d.language))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// ChangesWork returns the cost of changes for rate limits. Products that are not visible are
// skipped, which costs another unit.
func ChangesWork(limit *int) int { return 1 + page.Request{Limit: limit}.Work() }

// ListChanges returns at most limit changes of the published products since a cursor, "" for all
// products; nil means page.DefaultLimit. A client that applies them in the order of its requests
// misses nothing. Codes: validation_failed.
func (c *Catalogue) ListChanges(ctx context.Context, since string, limit *int) (*ProductChanges, error) {
	var bad fault.Invalid
	size := page.DefaultLimit
	if limit != nil {
		size = *limit
	}
	if size < 1 || size > page.MaxLimit {
		bad.Add("limit", fault.CodeInvalidValue, "The limit must be 1 to %d.", page.MaxLimit)
	}
	begin, ok := parseChangeCursor(since)
	if since != "" && !ok {
		bad.Add("since", fault.CodeInvalidValue, "Must be a cursor of an earlier response, or be omitted to start again.")
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	shown, err := c.display(ctx)
	if err != nil {
		return nil, err
	}
	var changes *ProductChanges
	err = c.data.ViewMany(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		changes, err = c.findChanges(tx, since, begin, size, shown)
		return err
	})
	return changes, err
}

func (c *Catalogue) findChanges(tx *db.Tx, since string, cursor changeCursor, size int, shown display) (*ProductChanges, error) {
	number, content, err := findCursorNumbers(tx)
	if err != nil {
		return nil, err
	}
	epoch, now := shown.cursorEpoch(number), db.Millis(tx.Now())
	switch {
	case since == "":
		cursor = changeCursor{epoch: epoch, from: content, published: publicationAt{at: now + 1}}
	case cursor.epoch != epoch, cursor.changed.content > content:
		var bad fault.Invalid
		bad.Add("since", fault.CodeInvalidValue, "The cursor is of other data of the shop or another language: delete the copy and start without since.")
		return nil, bad.Err()
	case now < cursor.published.at: // also if the clock was set back: what is hidden again must be found again
		cursor.published = publicationAt{at: now + 1}
	}
	found := changeSet{size: size, seen: map[string]bool{}, removed: []string{}}
	// Publications first: they omit products that the other list will have.
	if err := found.addPublished(tx, &cursor, now); err != nil {
		return nil, err
	}
	if err := found.addChanged(tx, &cursor, content, now); err != nil {
		return nil, err
	}
	changes := &ProductChanges{RemovedIDs: found.removed, Cursor: since, HasMore: found.more}
	if since == "" || found.count() > 0 { // otherwise the response remains the same, until there is a change
		changes.Cursor = cursor.text()
	}
	changes.Nodes, err = c.loadProducts(tx, found.ids, shown)
	return changes, err
}

// changeSet are the changes of one response.
type changeSet struct {
	size    int
	ids     []string // of the products to load
	seen    map[string]bool
	removed []string
	more    bool
}

func (s *changeSet) count() int { return len(s.ids) + len(s.removed) }

// addPublished adds products that were published after their last change. It moves
// the cursor.
func (s *changeSet) addPublished(tx *db.Tx, cursor *changeCursor, now int64) error {
	products, err := findPublications(tx, cursor, now, s.size+1)
	if err != nil {
		return err
	}
	if s.more = len(products) > s.size; s.more {
		products = products[:s.size]
		cursor.published = products[s.size-1]
	} else {
		cursor.published = publicationAt{at: now + 1}
	}
	for _, p := range products {
		s.ids, s.seen[p.id] = append(s.ids, p.id), true
	}
	return nil
}

// addChanged adds products in the order of their changes. It moves the cursor.
func (s *changeSet) addChanged(tx *db.Tx, cursor *changeCursor, content, now int64) error {
	space := s.size - s.count()
	products, err := findChanged(tx, cursor, content, now, space+1)
	if err != nil {
		return err
	}
	if len(products) > space {
		s.more, products = true, products[:space]
	}
	for _, p := range products {
		cursor.changed = p.changePlace
		switch {
		case p.removed:
			s.removed = append(s.removed, p.id)
		case !s.seen[p.id]:
			s.ids, s.seen[p.id] = append(s.ids, p.id), true
		}
	}
	return nil
}
