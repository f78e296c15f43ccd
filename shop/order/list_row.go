package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/money"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Row is an order in a list for staff.
type Row struct {
	ID                string               `json:"_id"` // the invoice UID
	OrderNumber       int64                `json:"orderNumber"`
	PlacedAt          time.Time            `json:"placedAt"`
	UpdatedAt         time.Time            `json:"updatedAt"`
	Status            status.Order         `json:"status"`
	PaymentStatus     status.Payment       `json:"paymentStatus"`
	FulfillmentStatus status.Fulfillment   `json:"fulfillmentStatus"`
	PaymentMethod     status.PaymentMethod `json:"paymentMethod"`
	Total             money.Money          `json:"total"`
	// 0 unless the order is to be paid in cash
	CashToCollect money.Money `json:"cashToCollect"`
	Customer      RowCustomer `json:"customer"`
	City          string      `json:"city"`
	Area          *string     `json:"area"`
	Units         int         `json:"units"`
	Lines         int         `json:"lines"` // the first item is one of them
	FirstItem     *RowItem    `json:"firstItem"`
	// the newest open one, or else the newest; null if there is none
	Shipment *RowShipment `json:"shipment"`
	Record   Record       `json:"record"`
	Flags    []RowFlag    `json:"flags" nullable:"false" doc:"The most urgent first"`
	// the orders that the flag duplicate is about
	Duplicates []Duplicate   `json:"duplicates" nullable:"false"`
	Source     status.Source `json:"source"`
	Test       bool          `json:"test"`
	Tags       []string      `json:"tags" nullable:"false"`
	Calls      Calls         `json:"calls"`
	// the staff member who works on it; null means nobody
	ClaimedBy    *access.Actor `json:"claimedBy"`
	ClaimedUntil *time.Time    `json:"claimedUntil"`
}

// RowCustomer is the buyer in an [Row].
type RowCustomer struct {
	Name        string `json:"name"`
	PhoneNumber string `json:"phoneNumber"`
}

// RowItem is the first item in an [Row].
type RowItem struct {
	Title    string  `json:"title"`
	ImageURL *string `json:"imageUrl"`
}

// RowTrouble is a shipment in an [Row].
type RowShipment struct {
	Provider      plugin.Provider `json:"provider"`
	ConsignmentID *string         `json:"consignmentId"`
	Status        status.Shipment `json:"status"`
}

// Duplicate is another open order of the same buyer, placed within a day.
type Duplicate struct {
	ID          string `json:"_id"`
	OrderNumber int64  `json:"orderNumber"`
}

// RowFlag is a remark for staff about an order in a list.
//
//api:enum RowFlag
type RowFlag string

// The flags of rows. The last five are the reasons of [Attention].
const (
	// Another open order has the same phone number, placed within a day.
	RowDuplicate    RowFlag = "duplicate"
	RowHandOver     RowFlag = "hand_over"     // more than a tenth is paid: the courier must get the goods within 48 hours
	RowAdvance      RowFlag = "advance"       // the buyer has not paid the advance yet
	RowNote         RowFlag = "note"          // the buyer left a note
	RowAddressShort RowFlag = "address_short" // couriers reject such short addresses
	RowReview       RowFlag = "review"        // a payment needs to be checked
	// A booking has no response: it is unknown whether the courier has the shipment.
	RowUnanswered RowFlag = "unanswered"
	RowStray      RowFlag = "stray"    // a shipment of a closed order is under way
	RowTrouble    RowFlag = "shipment" // a shipment is on hold, or its delivery failed
	RowFlagged    RowFlag = "flag"     // a flag is not resolved: see listFlags
)

// minAddress is the length of an address that couriers accept, in characters.
const minAddress = 10

// duplicateWindow is the longest time between two orders of one buyer that may be one by mistake.
const duplicateWindow = 24 * time.Hour

// maxDuplicates limits the duplicates of one order that are named.
const maxDuplicates = 5

// hasShortAddress reports whether couriers would reject the address of the order.
func (o *orderRow) hasShortAddress() bool {
	return o.line1 != "" && len([]rune(joinNonEmpty(o.line1, o.line2, o.area))) < minAddress
}

// rowFlags returns the flags of the order, the most urgent first.
func (o *orderRow) rowFlags(isDuplicate bool) []RowFlag {
	flags := []RowFlag{}
	if o.attention != AttentionNone {
		flags = append(flags, RowFlag(o.attention))
	}
	for _, f := range []struct {
		flag RowFlag
		set  bool
	}{
		{RowHandOver, o.mustHandOver()},
		{RowAdvance, o.advanceDue() > 0},
		{RowDuplicate, isDuplicate},
		{RowAddressShort, o.hasShortAddress()},
		{RowNote, o.note != ""},
	} {
		if f.set {
			flags = append(flags, f.flag)
		}
	}
	return flags
}

// RecordLevel is the rating of a buyer's earlier orders.
//
//api:enum RecordLevel
type RecordLevel string

// The levels of records.
const (
	RecordNew   RecordLevel = "new"   // no order has ended yet
	RecordGood  RecordLevel = "good"  // orders were received
	RecordWatch RecordLevel = "watch" // an order was returned, or three are open
	// Two orders or more were returned, at least half of those that ended.
	RecordBad RecordLevel = "bad"
)

// Record sums up the orders with one phone number. Orders placed in sandbox mode do not count.
type Record struct {
	Orders    int         `json:"orders"`
	Delivered int         `json:"delivered"`
	InPart    int         `json:"inPart" doc:"Delivered orders that the buyer accepted only in part"`
	Returned  int         `json:"returned"` // or on their way back
	Cancelled int         `json:"cancelled"`
	Open      int         `json:"open"`
	FirstAt   *time.Time  `json:"firstAt"` // null if no order counts
	Level     RecordLevel `json:"level"`
}

func (r *Record) setLevel() {
	ended := r.Delivered + r.Returned + r.Cancelled
	switch {
	case r.Returned >= 2 && 2*r.Returned >= ended:
		r.Level = RecordBad
	case r.Returned >= 1 || r.Open >= 3:
		r.Level = RecordWatch
	case ended == 0:
		r.Level = RecordNew
	default:
		r.Level = RecordGood
	}
}

// rowFacts are the facts that the rows of a page need beside their orders.
type rowFacts struct {
	records map[string]Record // by phone number
	open    map[buyerInMode][]openOrder
}

// openOrder is an open order of a buyer.
type openOrder struct {
	Duplicate
	placedAt int64
}

// buyerInMode is a buyer's orders in a mode: an attempt in sandbox mode is no order of the shop.
type buyerInMode struct {
	phone string
	test  int64
}

// duplicates returns the other open orders of the same buyer and mode if the order is open too, by
// number.
func (f *rowFacts) duplicates(o *orderRow) []Duplicate {
	found := []Duplicate{}
	if o.status.IsClosed() || o.status == status.OrderCompleted {
		return found
	}
	for _, other := range f.open[buyerInMode{o.phone, o.test}] {
		apart := max(other.placedAt-o.placedAt, o.placedAt-other.placedAt)
		if other.ID != o.id && apart <= duplicateWindow.Milliseconds() {
			found = append(found, other.Duplicate)
		}
	}
	slices.SortFunc(found, func(a, b Duplicate) int { return cmp.Compare(a.OrderNumber, b.OrderNumber) })
	return found[:min(len(found), maxDuplicates)]
}

// findRowFacts returns the records and open orders of the buyers of orders, in two queries.
func findRowFacts(tx *db.Tx, rows []*orderRow) (*rowFacts, error) {
	facts := &rowFacts{open: map[buyerInMode][]openOrder{}}
	var phones []string
	first, last := int64(0), int64(0)
	for i, o := range rows {
		if o.phone != "" { // erased
			phones = append(phones, o.phone)
		}
		if i == 0 {
			first, last = o.placedAt, o.placedAt
		}
		first, last = min(first, o.placedAt), max(last, o.placedAt)
	}
	var err error
	if facts.records, err = FindRecords(tx, phones); err != nil {
		return nil, err
	}
	for chunk := range db.Chunks(distinct(phones)) {
		list, args := db.InList(chunk)
		window := duplicateWindow.Milliseconds()
		err := tx.Each(openOfBuyersQuery(list), append(args, first-window, last+window), func(r db.Row) error {
			var buyer buyerInMode
			var other openOrder
			err := r.Scan(&other.ID, &other.OrderNumber, &buyer.phone, &buyer.test, &other.placedAt)
			facts.open[buyer] = append(facts.open[buyer], other)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find open orders of buyers: %w", err)
		}
	}
	for _, o := range rows {
		if _, ok := facts.records[o.phone]; !ok { // erased, or with orders in sandbox mode only
			facts.records[o.phone] = Record{Level: RecordNew}
		}
	}
	return facts, nil
}

// openOfBuyersQuery returns the query for the open orders of a list of phone numbers in a period.
// It finds them by number: unless a page is in the order of placing, its period has many orders of
// others.
func openOfBuyersQuery(list string) string {
	return `
			SELECT id, number, customer_phone, test, placed_at
			FROM orders
			WHERE customer_phone IN ` + list + ` AND placed_at BETWEEN ? AND ?
				AND ` + unindexed("status", "''") + ` IN ('pending', 'pending_payment', 'confirmed', 'processing')`
}

// FindRecords returns the records of phone numbers with orders, by number. It ignores "".
func FindRecords(tx *db.Tx, phones []string) (records map[string]Record, err error) {
	records = map[string]Record{}
	phones = slices.DeleteFunc(slices.Clone(phones), func(phone string) bool { return phone == "" })
	for chunk := range db.Chunks(distinct(phones)) {
		list, args := db.InList(chunk)
		err := tx.Each(`
			SELECT customer_phone, COUNT(*),
				COALESCE(SUM(CASE WHEN fulfillment_status IN ('returned', 'returning') THEN 1 ELSE 0 END), 0),
				COALESCE(SUM(CASE WHEN fulfillment_status IN ('delivered', 'partially_delivered') THEN 1 ELSE 0 END), 0),
				COALESCE(SUM(CASE WHEN fulfillment_status = 'partially_delivered'
					OR fulfillment_status = 'delivered' AND uncollected > 0 THEN 1 ELSE 0 END), 0),
				COALESCE(SUM(CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END), 0),
				COALESCE(SUM(CASE WHEN status IN ('pending', 'pending_payment', 'confirmed', 'processing')
					AND fulfillment_status IN ('unfulfilled', 'in_progress') THEN 1 ELSE 0 END), 0),
				MIN(placed_at)
			FROM orders
			WHERE customer_phone IN `+list+` AND test = 0
			GROUP BY customer_phone`, args, func(r db.Row) error {
			var phone string
			var record Record
			err := r.Scan(&phone, &record.Orders, &record.Returned, &record.Delivered, &record.InPart, &record.Cancelled, &record.Open, &record.FirstAt)
			record.setLevel()
			records[phone] = record
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("find buyers' records: %w", err)
		}
	}
	return records, nil
}
