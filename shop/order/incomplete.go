package order

import (
	"cmp"
	"time"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/money"
)

// IncompleteSettings is the setting of incomplete orders.
type IncompleteSettings struct {
	Enabled bool   `json:"enabled" doc:"Store what buyers type at checkout without ordering, for 14 days"`
	OptOut  bool   `json:"optOut" doc:"Tick the box before the buyer does. By default nothing is stored until the buyer ticks it"`
	Notice  string `json:"notice" doc:"Text beside the box: what is stored, why and how long. At most 250 characters; empty means the default text"`
}

// IncompleteNotice is what a storefront shows before it sends an incomplete order.
type IncompleteNotice struct {
	Notice string `json:"notice" doc:"Text beside the box that the buyer ticks"`
	OptOut bool   `json:"optOut" doc:"The shop ticks the box before the buyer does"`
	Days   int    `json:"days" doc:"Days for which the shop stores it"`
}

// IncompleteStatus is the status of an incomplete order.
//
//api:enum IncompleteStatus
type IncompleteStatus string

// The statuses.
const (
	IncompleteOpen    IncompleteStatus = "open"    // the buyer has not ordered
	IncompleteDone    IncompleteStatus = "done"    // staff have closed it without an order
	IncompleteBlocked IncompleteStatus = "blocked" // staff have blocked the phone number
	IncompleteOrdered IncompleteStatus = "ordered" // an order has the phone number since
)

// IncompleteStatuses returns the statuses.
func IncompleteStatuses() []IncompleteStatus {
	return []IncompleteStatus{IncompleteOpen, IncompleteDone, IncompleteBlocked, IncompleteOrdered}
}

// IncompleteStep is how far a buyer came.
//
//api:enum IncompleteStep
type IncompleteStep string

// The steps, in their order.
const (
	StepContact   IncompleteStep = "contact"   // the phone number
	StepAddress   IncompleteStep = "address"   // the address
	StepDelivery  IncompleteStep = "delivery"  // the address and the delivery charge
	StepSubmitted IncompleteStep = "submitted" // the order was sent, and refused or not proven
)

var incompleteSteps = []IncompleteStep{StepContact, StepAddress, StepDelivery, StepSubmitted}

// Limits of incomplete orders. Each client has [maxIncompletePerClient] new ones an hour, its
// network some times as many, and the shop [maxIncompletePerHour], so that a stranger who types
// numbers of others does not fill the list.
const (
	IncompleteDays         = 14
	maxIncompleteNotice    = 250 // characters
	maxIncompletePerPhone  = 3   // open
	maxIncompletePerClient = 20
	maxIncompletePerHour   = 500
	maxIncompleteOpen      = 5_000
	minSession             = 20 // characters
	maxSession             = 100
)

const (
	incompleteRetention = IncompleteDays * 24 * time.Hour
	// leftAfter is the pause after which a buyer counts as having left.
	leftAfter = 30 * time.Minute
	// doneFor is the time for which a session does not reopen what staff have closed.
	doneFor = 24 * time.Hour
)

var incompleteNotices = map[locale.Language]string{
	locale.English: "Keep what I type here for 14 days, so that the shop can call me if I do not finish this order. " +
		"Unticking deletes it.",
	locale.Bangla: "অর্ডারটি শেষ না করলে দোকান যাতে ফোন করতে পারে, সেজন্য এখানে লেখা তথ্য ১৪ দিন রাখা যাবে। টিক তুলে দিলে তা মুছে যাবে।",
}

// Check checks the setting, and cleans its notice.
func (set *IncompleteSettings) Check(bad *fault.Invalid) {
	set.Notice = input.CheckLine(bad, "incompleteOrders.notice", set.Notice, maxIncompleteNotice)
}

// NoticeIn returns the notice in a language, in which the shop's own text may have a translation.
// It is nil if the shop stores no incomplete orders.
func (set *IncompleteSettings) NoticeIn(language locale.Language, translated string) *IncompleteNotice {
	if !set.Enabled {
		return nil
	}
	return &IncompleteNotice{
		Notice: cmp.Or(translated, set.Notice, incompleteNotices[language], incompleteNotices[locale.English]),
		OptOut: set.OptOut, Days: IncompleteDays,
	}
}

// IncompleteOrder is what a buyer typed without ordering.
type IncompleteOrder struct {
	ID               string           `json:"_id"`
	Status           IncompleteStatus `json:"status"`
	Step             IncompleteStep   `json:"step" doc:"How far the buyer came"`
	PhoneNumber      string           `json:"phoneNumber"`
	Name             string           `json:"name" doc:"Empty if it was not typed yet, as are address and city"`
	Address          string           `json:"address"`
	City             string           `json:"city"`
	Items            []IncompleteItem `json:"items" nullable:"false"`
	Subtotal         money.Money      `json:"subtotal" doc:"Of the items, at the prices that the buyer saw"`
	DeliveryChargeID *string          `json:"deliveryChargeId" doc:"null if it was not chosen"`
	CouponCode       *string          `json:"couponCode"`
	LandingPage      *string          `json:"landingPage" doc:"Handle of the landing page; null for the checkout"`
	Language         *locale.Language `json:"language" doc:"Of the buyer; null if it is unknown"`
	OrderID          *string          `json:"orderId" doc:"Invoice UID of the order that closed it"`
	OrderNumber      *int64           `json:"orderNumber"`
	Recovered        bool             `json:"recovered" doc:"The order came 30 minutes or more after the last change, or from here"`
	CreatedAt        time.Time        `json:"createdAt"`
	UpdatedAt        time.Time        `json:"updatedAt" doc:"When the buyer last typed"`
	ClosedAt         *time.Time       `json:"closedAt" doc:"null while it is open"`
	ExpiresAt        time.Time        `json:"expiresAt" doc:"When it is deleted"`
}

// IncompleteItem is a variant in an incomplete order.
type IncompleteItem struct {
	ProductID    string      `json:"productId"`
	VariantID    string      `json:"variantId"`
	Title        string      `json:"title"`
	VariantTitle string      `json:"variantTitle" doc:"Empty for a product without options"`
	Quantity     int         `json:"quantity"`
	UnitPrice    money.Money `json:"unitPrice" doc:"As the buyer saw it"`
}

// ExportedIncomplete is an incomplete order in an export of a buyer's data.
type ExportedIncomplete struct {
	PhoneNumber string    `json:"phoneNumber"`
	Name        string    `json:"name"`
	Address     string    `json:"address"`
	City        string    `json:"city"`
	Items       []string  `json:"items" nullable:"false" doc:"Titles with quantities"`
	CreatedAt   time.Time `json:"createdAt"`
	ExpiresAt   time.Time `json:"expiresAt"`
}

// incompleteRow is a row of incomplete_orders.
type incompleteRow struct {
	id, session                            string
	status                                 IncompleteStatus
	step                                   IncompleteStep
	phone, name, address, city             string
	items                                  string // JSON, see incompleteItem
	deliveryChargeID, coupon, landing, day string
	language                               locale.Language
	orderNumber                            *int64
	recovered                              bool
	createdAt, updatedAt                   int64
	closedAt                               *int64
	orderID                                *string // read with the row
}

// incompleteItem is an item as it is stored.
type incompleteItem struct {
	ProductID    string `json:"productId"`
	VariantID    string `json:"variantId"`
	Title        string `json:"title"`
	VariantTitle string `json:"variantTitle"`
	Quantity     int    `json:"quantity"`
	UnitPrice    int64  `json:"unitPrice"`
}

func (r *incompleteRow) view(currency money.Currency) (IncompleteOrder, error) {
	items, err := r.parseItems()
	v := IncompleteOrder{
		ID: r.id, Status: r.status, Step: r.step, PhoneNumber: r.phone, Name: r.name, Address: r.address, City: r.city,
		Items: []IncompleteItem{}, DeliveryChargeID: db.NullText(r.deliveryChargeID), CouponCode: db.NullText(r.coupon),
		LandingPage: db.NullText(r.landing), OrderID: r.orderID, OrderNumber: r.orderNumber, Recovered: r.recovered,
		CreatedAt: db.FromMillis(r.createdAt), UpdatedAt: db.FromMillis(r.updatedAt), ClosedAt: db.FromNullMillis(r.closedAt),
		ExpiresAt: db.FromMillis(r.updatedAt).Add(incompleteRetention),
	}
	if r.language != "" {
		v.Language = &r.language
	}
	var subtotal int64
	for _, item := range items {
		v.Items = append(v.Items, IncompleteItem{
			ProductID: item.ProductID, VariantID: item.VariantID, Title: item.Title, VariantTitle: item.VariantTitle,
			Quantity: item.Quantity, UnitPrice: currency.Money(item.UnitPrice),
		})
		subtotal += item.UnitPrice * int64(item.Quantity)
	}
	v.Subtotal = currency.Money(subtotal)
	return v, err
}
