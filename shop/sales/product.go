package sales

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"storefront/db"
)

// productKind is the kind of the one row of day_stats that has the IDs of productNumbers.
const productKind = "product_ids"

// productNumbers numbers the products with stored sums. The sums of days name products by number,
// because a report reads a year of them: they are a third as long as with IDs, and are added
// without look-ups. Numbers never change while there are stored sums.
type productNumbers struct {
	ids     []string       // by number
	numbers map[string]int // by ID
	stored  int            // stored length of ids
}

// findProductNumbers returns the numbers of products in stored sums.
func findProductNumbers(tx *db.Tx) (*productNumbers, error) {
	var packed []byte
	err := tx.QueryRow("SELECT sums FROM day_stats WHERE kind = ? AND day = 0", productKind).Scan(&packed)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, fmt.Errorf("find numbers of products: %w", err)
	}
	p := &productNumbers{ids: make([]string, 0, len(packed)/8)}
	all := string(packed) // the IDs are parts of it
	for len(packed) > 0 {
		id, rest, err := cutKey(packed)
		if err != nil {
			return nil, fmt.Errorf("find numbers of products: %w", err)
		}
		end := len(all) - len(rest)
		p.ids, packed = append(p.ids, all[end-len(id):end]), rest
	}
	p.stored = len(p.ids)
	return p, nil
}

// save stores the numbers of products that were added.
func (p *productNumbers) save(tx *db.Tx) error {
	if len(p.ids) == p.stored {
		return nil
	}
	var packed []byte
	for _, id := range p.ids {
		packed = append(binary.AppendUvarint(packed, uint64(len(id))), id...)
	}
	p.stored = len(p.ids)
	return saveSums(tx, productKind, 0, packed)
}

// find returns the number of a product.
func (p *productNumbers) find(id string) (n int, ok bool) {
	if p.numbers == nil {
		p.numbers = make(map[string]int, len(p.ids))
		for n, id := range p.ids {
			p.numbers[id] = n
		}
	}
	n, ok = p.numbers[id]
	return n, ok
}

// number returns the number of a product, after adding one if it has none.
func (p *productNumbers) number(id string) int {
	n, ok := p.find(id)
	if !ok {
		n = len(p.ids)
		p.ids, p.numbers[id] = append(p.ids, id), n
	}
	return n
}

// pack returns the stored form of the rows of products. They are sorted by number. Each has the
// difference to the number before it (to -1 in the first), and its sums as in [salesRows.pack].
func (p *productNumbers) pack(rows salesRows) (packed []byte) {
	byNumber := make(map[int]*salesRow, len(rows))
	for id, row := range rows {
		byNumber[p.number(id)] = row
	}
	before := -1
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		packed = binary.AppendUvarint(packed, uint64(n-before))
		packed = byNumber[n].appendSums(packed)
		before = n
	}
	return packed
}

// productSums are sums of products by number.
type productSums [][sumUncosted + 1]int64

// addPacked adds rows in their stored form.
func (s productSums) addPacked(packed []byte) (err error) {
	number := uint64(0) // least capacity of the next row
	for len(packed) > 0 {
		step, n := binary.Uvarint(packed)
		if n <= 0 || step == 0 || step > uint64(len(s))-number {
			return errDamagedSums
		}
		number += step
		if packed, err = addSums(s[number-1][:], packed[n:]); err != nil {
			return err
		}
	}
	return nil
}

// moveTo moves the sums of the products with a row there to rows.
func (s productSums) moveTo(rows salesRows, products *productNumbers) {
	for n := range s {
		if row, ok := rows[products.ids[n]]; ok {
			s.addTo(row, n)
			clear(s[n][:])
		}
	}
}

// addTo adds the sums of a product to a row.
func (s productSums) addTo(row *salesRow, number int) {
	for i, sum := range s[number] {
		row.sums[i] += sum
	}
}
