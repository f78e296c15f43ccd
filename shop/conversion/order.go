package conversion

import (
	"cmp"
	"fmt"
	"time"

	"storefront/db"
	"storefront/shop/campaign"
	"storefront/shop/status"
)

// orderRow is an order as receivers need it.
type orderRow struct {
	number          int64
	id              string
	status          status.Order
	isTest          bool
	source          status.Source
	name, phone     string
	email           *string
	city, country   string
	total, credited int64
	attribution     *campaign.Attribution
}

// counts reports whether the order is reported: a buyer has placed it with consent, in live mode.
func (o *orderRow) counts() bool {
	return !o.isTest && o.source == status.SourceStorefront && !o.isErased() && o.attribution != nil && o.attribution.Consent != nil
}

// isErased reports whether the buyer's data was erased: every order has a phone number before.
func (o *orderRow) isErased() bool { return o.phone == "" }

// isClosed reports whether the order was cancelled, has expired or came back.
func (o *orderRow) isClosed() bool { return o.status.IsClosed() }

// value returns the value of the order in minor units, without what came back.
func (o *orderRow) value() int64 { return o.total - o.credited }

func findOrder(tx *db.Tx, id string) (*orderRow, error) {
	var o orderRow
	err := tx.QueryRow(`
		SELECT number, id, status, test = 1, source, customer_name, customer_phone, customer_email, city, country, total, credited
		FROM orders
		WHERE id = ?`, id).Scan(&o.number, &o.id, &o.status, &o.isTest, &o.source, &o.name, &o.phone, &o.email, &o.city, &o.country, &o.total, &o.credited)
	if err != nil {
		return nil, fmt.Errorf("find order: %w", err)
	}
	o.attribution, err = campaign.Find(tx, o.number)
	return &o, err
}

// newEvent returns the event of a conversion.
func (c *Conversions) newEvent(tx *db.Tx, set *ShopSettings, d *Conversion, o *orderRow) (Event, error) {
	e := Event{
		Name: "Purchase", ID: o.id, At: d.At, OrderID: o.id, Value: set.Currency.Decimal(o.value()), Currency: set.Currency.Code, Page: set.Home,
		User: User{Phone: o.phone, Email: db.TextOf(o.email), Name: o.name, City: o.city, Country: o.country},
	}
	if a := o.attribution; a != nil {
		e.User.Fbp, e.User.Fbc = campaign.Text(a.Fbp), campaign.Text(a.Fbc)
		if a.Consent != nil {
			e.Page = cmp.Or(campaign.Text(a.Consent.Page), e.Page)
		}
	}
	browser, err := campaign.FindBrowser(tx, o.number)
	if err != nil {
		return e, err
	}
	e.User.Address, e.User.Agent = browser.Address, browser.Agent
	e.Contents, err = findContents(tx, set, o.number)
	return e, err
}

// findContents returns the lines of an order.
func findContents(tx *db.Tx, set *ShopSettings, number int64) ([]Content, error) {
	contents, err := db.Query(tx, func(r db.Row) (line Content, err error) {
		var price int64
		err = r.Scan(&line.ID, &line.Quantity, &price)
		line.Price = set.Currency.Decimal(price)
		return line, err
	}, `
		SELECT variant_id, quantity, unit_price
		FROM order_items
		WHERE order_number = ?
		ORDER BY position`, number)
	if err != nil {
		return nil, fmt.Errorf("find lines of order: %w", err)
	}
	return contents, nil
}

// newTest returns an event that proves the account.
func (c *Conversions) newTest(set *ShopSettings, agent, address string, now time.Time) Event {
	return Event{
		Name: "ViewContent", ID: "test-" + c.cfg.IDs.Next(now), At: now, Page: set.Home, Value: "0", Currency: set.Currency.Code,
		User: User{Agent: agent, Address: address},
	}
}
