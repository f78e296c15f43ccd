package order

import (
	"context"
	"maps"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
	"storefront/shop/page"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// Sort is what a list of orders is sorted by. Equal orders follow their numbers.
//
//api:enum OrderSort
type Sort string

// The sorts of orders.
const (
	SortPlaced  Sort = "placedAt"  // when the order was placed
	SortUpdated Sort = "updatedAt" // when it last changed
	SortTotal   Sort = "total"     // its total
	// When the buyer is to be called again. Orders without a planned call are last.
	SortCallDue Sort = "callDue"
)

// orderSorts are the columns of the sorts.
var orderSorts = map[Sort]string{
	SortPlaced: "placed_at", SortUpdated: "updated_at", SortTotal: "total", SortCallDue: "COALESCE(call_due_at, 9007199254740991)",
}

// Sorts returns the sorts of orders.
func Sorts() []Sort { return slices.Sorted(maps.Keys(orderSorts)) }

// ListFilter selects orders for staff members. The zero value is the first page of all orders,
// newest first. A zero field means any value.
type ListFilter struct {
	page.Request
	IDs               []string               `query:"ids,explode" doc:"Only orders with one of these invoice UIDs, at most 200"` // at most job.MaxIDs
	View              WorkView               `query:"view" doc:"A list of a day's work, such as toConfirm. Without test, only live orders"`
	Status            []status.Order         `query:"status,explode" doc:"Only orders with one of these statuses"`
	PaymentStatus     []status.Payment       `query:"paymentStatus,explode" doc:"Only orders with one of these payment statuses"`
	FulfillmentStatus []status.Fulfillment   `query:"fulfillmentStatus,explode" doc:"Only orders with one of these fulfilment statuses"`
	PaymentMethod     []status.PaymentMethod `query:"paymentMethod,explode" doc:"Only orders with one of these payment methods"`
	Courier           []plugin.Provider      `query:"courier,explode" doc:"Only with these couriers, by the newest open shipment or else the newest"`
	ShipmentStatus    []status.Shipment      `query:"shipmentStatus,explode" doc:"Only with these statuses of the shipment that courier refers to"`
	Calls             CallFilter             `query:"calls" doc:"Calls to the buyer: none, some, or due, if it is time to call again"`
	Tags              []string               `query:"tags,explode" doc:"Only orders with one of these tags"`
	Source            []status.Source        `query:"source,explode" doc:"Only orders from one of these sources, such as phone"`
	City              string                 `query:"city" doc:"Only orders to this city"`
	ProductID         string                 `query:"productId" doc:"Only orders of this product"`
	PlacedFrom        time.Time              `query:"placedFrom" doc:"Placed at or after this time"`
	PlacedBefore      time.Time              `query:"placedBefore" doc:"Placed before this time"`
	ReturnedFrom      time.Time              `query:"returnedFrom" doc:"Only returned orders that came back at or after this time"`
	MinTotal          page.Optional[int64]   `query:"minTotal" doc:"Only orders of at least this total, in minor units"`
	MaxTotal          page.Optional[int64]   `query:"maxTotal" doc:"Only orders of at most this total, in minor units"`
	Test              page.Optional[bool]    `query:"test" doc:"Only orders placed in sandbox mode, or in live mode. Defaults to both"`
	Search            string                 `query:"search" doc:"Words of buyer, address, items, shipments; last digits of a phone; order number"`
	SortBy            Sort                   `query:"sortBy" doc:"Defaults to placedAt"`
	Sort              string                 `query:"sort" enum:"asc,desc" doc:"Defaults to desc, for callDue to asc: the call that is due first"`
}

// isAscending reports whether the list is ascending.
func (f *ListFilter) isAscending() bool {
	usual := page.Descending
	if f.SortBy == SortCallDue {
		usual = page.Ascending
	}
	return page.IsAscending(f.Sort, usual)
}

// query checks the filter and returns its query. Calls are due by now.
func (f *ListFilter) query(bad *fault.Invalid, now time.Time) orderQuery {
	input.CheckValues(bad, "status", f.Status, slices.Sorted(maps.Keys(status.OrderTransitions)))
	input.CheckValues(bad, "paymentStatus", f.PaymentStatus, slices.Sorted(maps.Keys(status.PaymentTransitions)))
	input.CheckValues(bad, "fulfillmentStatus", f.FulfillmentStatus, slices.Sorted(maps.Keys(status.FulfillmentTransitions)))
	input.CheckValues(bad, "paymentMethod", f.PaymentMethod, []status.PaymentMethod{status.PayCOD, status.PayGatewayA, status.PayGatewayB})
	input.CheckValues(bad, "courier", f.Courier, []plugin.Provider{plugin.CourierA, plugin.CourierB})
	input.CheckValues(bad, "shipmentStatus", f.ShipmentStatus, slices.Sorted(maps.Keys(status.ShipmentTransitions)))
	if f.Calls != "" {
		input.CheckValues(bad, "calls", []CallFilter{f.Calls}, CallFilters())
	}
	input.CheckValues(bad, "source", f.Source, status.Sources())
	if f.View != "" {
		input.CheckValues(bad, "view", []WorkView{f.View}, WorkViews())
	}
	if f.SortBy != "" {
		input.CheckValues(bad, "sortBy", []Sort{f.SortBy}, Sorts())
	}
	q := orderQuery{
		statuses: f.Status, payments: f.PaymentStatus, fulfillments: f.FulfillmentStatus, methods: f.PaymentMethod, couriers: f.Courier,
		shipments: f.ShipmentStatus, city: input.Clean(f.City), productID: f.ProductID, from: f.PlacedFrom, before: f.PlacedBefore,
		returned: f.ReturnedFrom,
		sources:  f.Source, calls: f.Calls, now: now, tags: tagKeys(bad, f.Tags),
		minTotal: f.MinTotal.Pointer(), maxTotal: f.MaxTotal.Pointer(), view: f.View, test: f.Test.Pointer(),
		sortBy: f.SortBy, ascending: f.isAscending(),
	}
	if len(f.IDs) > job.MaxIDs {
		bad.Add("ids", fault.CodeInvalidValue, "Must be at most %d IDs. More records can be selected by a filter.", job.MaxIDs)
	}
	for _, id := range f.IDs {
		if uid, ok := parseInvoiceUID(id); ok {
			id = uid
		}
		q.ids = append(q.ids, id)
	}
	if f.View != "" && q.test == nil {
		q.test = new(false)
	}
	if search, ok := NewSearch(f.Search); ok {
		q.search = &search
	}
	return q
}

// require checks that the caller may select or sort by totals, which reveals amounts. Codes:
// forbidden.
func (f ListFilter) require(tx *db.Tx, who access.Staff) error {
	if f.SortBy == SortTotal || f.MinTotal.Pointer() != nil || f.MaxTotal.Pointer() != nil {
		return who.Require(tx, access.PricesRead)
	}
	return nil
}

// ListOrders returns one page of all orders, complete, to staff members. Codes: validation_failed,
// unauthenticated, forbidden.
func (s *Orders) ListOrders(ctx context.Context, caller access.Caller, filter ListFilter) (*page.List[Order], error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return listOrders(ctx, s, caller, access.ToListOrders, filter,
		func(tx *db.Tx, ids []string) ([]Order, error) {
			rows, err := findOrderRows(tx, ids)
			return orderViews(rows, set.Display, viewStaff), err
		})
}

// ListOrderRows returns one page of orders as rows of a list. Codes: validation_failed,
// unauthenticated, forbidden.
func (s *Orders) ListOrderRows(
	ctx context.Context, caller access.Caller, filter ListFilter,
) (*page.List[Row], error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	now := s.now()
	return listOrders(ctx, s, caller, access.ToListOrderRows, filter,
		func(tx *db.Tx, ids []string) ([]Row, error) {
			rows, err := findOrderListRows(tx, ids)
			if err != nil {
				return nil, err
			}
			return rows.Views(set.Display, now)
		})
}

// listOrders returns the page of orders that a filter selects, as load returns them. Codes:
// validation_failed, unauthenticated, forbidden.
func listOrders[T any](
	ctx context.Context, s *Orders, caller access.Caller, use access.UseCase, filter ListFilter, load func(tx *db.Tx, ids []string) ([]T, error),
) (*page.List[T], error) {
	who, err := s.data.Authorize(ctx, caller, use)
	if err != nil {
		return nil, err
	}
	var bad fault.Invalid
	w := filter.Window(&bad)
	query := filter.query(&bad, s.now())
	if err := bad.Err(); err != nil {
		return nil, err
	}
	var indexing *page.Indexing
	if query.search != nil {
		if indexing, err = s.updateOrderSearch(ctx, searchBatches); err != nil {
			return nil, err
		}
	}
	list := &page.List[T]{}
	err = s.data.ViewManyAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		if err := filter.require(tx, who); err != nil {
			return err
		}
		if err := query.prepare(tx); err != nil {
			return err
		}
		ids, count, err := query.find(tx, w)
		if err != nil {
			return err
		}
		list.Meta = w.ListMetaFor(count, len(ids))
		list.Meta.Indexing = indexing
		list.Nodes, err = load(tx, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Rows are orders as rows of a list.
type Rows struct {
	orders []*orderRow
	about  *rowFacts
}

// findOrderListRows returns the rows of the orders with these IDs.
func findOrderListRows(tx *db.Tx, ids []string) (*Rows, error) {
	orders, err := findOrderParts(tx, ids, loadItems, loadShipments, loadTags)
	if err != nil {
		return nil, err
	}
	about, err := findRowFacts(tx, orders)
	return &Rows{orders, about}, err
}

func (rows *Rows) Views(shown Display, now time.Time) (nodes []Row, err error) {
	nodes = make([]Row, len(rows.orders))
	for i, o := range rows.orders {
		if nodes[i], err = o.listRow(shown, rows.about, now); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// listRow returns the order as a list shows it.
func (o *orderRow) listRow(shown Display, about *rowFacts, now time.Time) (Row, error) {
	duplicates := about.duplicates(o)
	row := Row{
		ID: o.id, OrderNumber: o.number, PlacedAt: db.FromMillis(o.placedAt), UpdatedAt: db.FromMillis(o.updatedAt),
		Status: o.status, PaymentStatus: o.payment, FulfillmentStatus: o.fulfillment, PaymentMethod: o.method,
		Total: shown.Money(o.total), CashToCollect: shown.Money(o.cashToCollect()),
		Customer: RowCustomer{Name: o.name, PhoneNumber: o.phone}, City: o.city, Area: db.NullText(o.area), Test: o.test != 0, Source: o.source,
		Record: about.records[o.phone], Flags: o.rowFlags(len(duplicates) > 0), Duplicates: duplicates,
		Tags: db.OrEmpty(o.tags), Calls: o.calls.view(), Lines: len(o.items),
	}
	for i, item := range o.items {
		row.Units += item.quantity
		if i == 0 {
			row.FirstItem = &RowItem{Title: item.title, ImageURL: db.NullText(shown.Media.ResolveThumbnail(item.imageURL))}
		}
	}
	if shipment := o.currentShipment(); shipment != nil {
		row.Shipment = &RowShipment{Provider: shipment.provider, ConsignmentID: shipment.consignmentID, Status: shipment.status}
	}
	holder, err := o.claim.holder(now)
	if holder != nil {
		row.ClaimedBy, row.ClaimedUntil = holder, timeOfMillis(o.claim.until)
	}
	return row, err
}
