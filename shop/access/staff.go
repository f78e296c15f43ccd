package access

import (
	"context"

	"storefront/db"
)

// Authorize checks that a caller may execute a use case of staff, before its transaction.
// Codes: unauthenticated, forbidden, proof_required.
type Authorize func(ctx context.Context, caller Caller, use UseCase) (Staff, error)

// Staff is a caller who may execute one use case of staff.
type Staff interface {
	// Check checks the caller again in the use case's own transaction, where an ended session, a
	// revoked key and a lowered role take effect. Codes: as for [Authorize].
	Check(tx *db.Tx) error
	// Permits reports whether the caller also has another permission. It must be called after
	// Check.
	Permits(p Permission) bool
	// IsManager reports whether the caller is an owner or a manager of the shop, or the operator.
	// It must be called after Check.
	IsManager() bool
	// IsOwner reports whether the caller is an owner of the shop, or the operator. It must be
	// called after Check.
	IsOwner() bool
	// Require checks that the caller also has another permission, recently proved if it needs that.
	// It must be called after Check, in the same transaction. Codes: forbidden, proof_required.
	Require(tx *db.Tx, p Permission) error
	// Prove checks that a session was proved recently, as some permissions require. API keys and
	// the operator need no proof. It must be called after Check, in the same transaction. Codes:
	// proof_required.
	Prove(tx *db.Tx) error
	// Actor returns the caller as an actor. It must be called after Check.
	Actor() Actor
	// Audit writes to the audit log that the caller has executed the use case on a subject, and
	// uses up the idempotency key of the request: both record an effect. It must be called in the
	// transaction of the change, and calls Check if that has not been done in it. Codes:
	// state_conflict (the key is used up), and as for Check.
	Audit(tx *db.Tx, on Subject, changes ...Change) error
}

// Subject is the object of a use case.
type Subject struct {
	Kind  SubjectKind `json:"kind"`
	ID    string      `json:"_id"`   // "" if there is one of the kind, or if there are many
	Label string      `json:"label"` // its name for people, such as the order's number
}

// SubjectKind is what an action was executed on.
//
//api:enum SubjectKind
type SubjectKind string

// The kinds of subjects. They are stored.
const (
	SubjectOrder   SubjectKind = "order"   // an order
	SubjectOrders  SubjectKind = "orders"  // many orders, such as an export or a print
	SubjectPayment SubjectKind = "payment" // an attempt to pay an order
	// An order that its buyer began and did not place.
	SubjectIncomplete SubjectKind = "incomplete_order"
	SubjectWebhook    SubjectKind = "webhook"   // a webhook that a provider sent
	SubjectStatement  SubjectKind = "statement" // a courier's statement
	SubjectCash       SubjectKind = "cash"      // the ledger of cash on delivery
	SubjectSales      SubjectKind = "sales"     // a report on sales
	SubjectSpend      SubjectKind = "spend"     // the costs of advertising
	SubjectProduct    SubjectKind = "product"   // a product
	// Many products, such as an import or an export.
	SubjectProducts    SubjectKind = "products"
	SubjectVariant     SubjectKind = "variant"      // a variant of a product
	SubjectCollection  SubjectKind = "collection"   // a collection
	SubjectMedia       SubjectKind = "media"        // an uploaded image
	SubjectCoupon      SubjectKind = "coupon"       // a coupon
	SubjectRedirect    SubjectKind = "redirect"     // a redirect of the site
	SubjectDesign      SubjectKind = "design"       // the design of the site
	SubjectLandingPage SubjectKind = "landing_page" // a landing page
	SubjectMenus       SubjectKind = "menus"        // the menus of the site
	SubjectReview      SubjectKind = "review"       // a buyer's review of a product
	SubjectCustomer    SubjectKind = "customer"     // a customer with an account
	SubjectCustomers   SubjectKind = "customers"    // many buyers, such as an export
	SubjectGuest       SubjectKind = "guest"        // a buyer without an account
	SubjectJob         SubjectKind = "job"          // one action on many records
	SubjectMessage     SubjectKind = "message"      // a message to buyers, by its event
	SubjectSettings    SubjectKind = "settings"     // the shop's settings
	// The shop itself: created, suspended, resumed, or in another mode.
	SubjectShop       SubjectKind = "shop"
	SubjectPlan       SubjectKind = "plan"       // limits for shops
	SubjectDefaults   SubjectKind = "defaults"   // what shops inherit
	SubjectIncident   SubjectKind = "incident"   // an incident of the server
	SubjectProvider   SubjectKind = "provider"   // a courier or a payment gateway
	SubjectSMS        SubjectKind = "sms"        // the gateway of text messages
	SubjectAdvertiser SubjectKind = "advertiser" // a receiver of orders for advertising
	SubjectMail       SubjectKind = "mail"       // the mail server
	// The key that signs customers' access tokens.
	SubjectSigningKey SubjectKind = "signing_key"
	SubjectStaff      SubjectKind = "staff"            // a staff member
	SubjectKey        SubjectKind = "key"              // an API key
	SubjectOperation  SubjectKind = "operation"        // an operation of the Admin API
	SubjectPasskey    SubjectKind = "passkey"          // a staff member's passkey
	SubjectEndpoint   SubjectKind = "webhook_endpoint" // a webhook endpoint
	SubjectDevice     SubjectKind = "device"           // a browser that shows notifications
	// The channels of notifications to staff members.
	SubjectChannels SubjectKind = "channels"
)

// Change is one changed field of a subject. Before and After are encoded as JSON.
type Change struct {
	Field  string `json:"field"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// Secret replaces the value of a secret in the audit log.
const Secret = "•••"

// Changed returns the changes of a field: none if it has the same value as before.
func Changed[T comparable](field string, before, after T) []Change {
	if before == after {
		return nil
	}
	return []Change{{Field: field, Before: before, After: after}}
}

// New returns the changes of a record that did not exist before: its values, without those before.
func New(changes []Change) []Change {
	for i := range changes {
		changes[i].Before = nil
	}
	return changes
}

// Set returns the change of a field with an unknown or missing value before.
func Set(field string, value any) Change { return Change{Field: field, After: value} }

// Accept calls check with the record before a change and returns its error, which prevents the
// change. A nil check accepts any record.
func Accept[T any](check func(T) error, before T) error {
	if check == nil {
		return nil
	}
	return check(before)
}

// Checked returns a transaction's function that checks the caller before fn.
func Checked(who Staff, fn func(ctx context.Context, tx *db.Tx) error) func(ctx context.Context, tx *db.Tx) error {
	return func(ctx context.Context, tx *db.Tx) error {
		if err := who.Check(tx); err != nil {
			return err
		}
		return fn(ctx, tx)
	}
}

// ActorKind is who made a change.
//
//api:enum ActorKind
type ActorKind string

// The kinds of actors.
const (
	ActorStaff    ActorKind = "staff"    // a staff member
	ActorKey      ActorKind = "key"      // a program with an API key
	ActorOperator ActorKind = "operator" // the operator of the server
	ActorCLI      ActorKind = "cli"      // the command line
	// The shop by itself, as after a time limit or a provider's webhook. In events only.
	ActorShop ActorKind = "shop"
)

// Actor is the author of an action: a staff member, an API key or a system user.
type Actor struct {
	Kind ActorKind `json:"kind"`
	ID   string    `json:"_id"` // "" at the command line
	Name string    `json:"name"`
}
