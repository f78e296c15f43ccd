package admin

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humahttprouter"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/live"
	"storefront/shop/page"
	"storefront/shop/staff"
	"storefront/tenants"
)

// Exchange is one request and its response. The response writer that operations receive is one.
type Exchange interface {
	http.ResponseWriter
	// Shop returns the shop of the request: the installation's data for an operation of operators, nil
	// for one on the whole server.
	Shop() *shop.Shop
	// Caller returns the caller of the request.
	Caller() access.Caller
	// Acquire waits until the caller may do another piece of work of a kind, and reserves it until
	// release is called. Codes: rate_limited.
	Acquire(work Work) (release func(), err error)
	// UseUpKey uses up the request's idempotency key although the request fails: it may have had an
	// effect, which the operation would repeat instead of continuing.
	UseUpKey()
	// Lost returns the subject of the request's change if an earlier attempt has made the change and
	// its response was lost; nil otherwise.
	Lost() *access.Subject
	// SetupNeeded reports whether the server has no shop, and a link that creates the first.
	SetupNeeded(ctx context.Context) (bool, error)
	// HostShop returns the shop that the request's host name belongs to. Codes: tenant_not_found.
	HostShop(ctx context.Context) (*shop.Shop, error)
	// SetUp creates the first shop with its owner, and makes it the shop of the request.
	SetUp(ctx context.Context, in tenants.SetupInput) (*staff.SignedIn, error)
	// SetSession sends the tokens of a session and of its device as cookies for the paths of the
	// shop.
	SetSession(session, device string)
	// EndSession removes the cookie of the session.
	EndSession()
	// SetVisit sends the token of an operator's session in a shop as a cookie for the paths of that
	// shop.
	SetVisit(uid, token string)
	// Shops returns the use cases of operators on the shops of the server.
	Shops() Shops
	// Stream sends a file while do writes it, for as long as the client reads it.
	Stream(name, mediaType string, do func(ctx context.Context, w io.Writer) error)
	// SendPage sends an HTML page without scripts, which only pages of this server may frame.
	SendPage(html []byte)
	// Follow sends the events of a stream that open returns, until the client disconnects, the
	// stream ends or the server stops.
	Follow(open func(ctx context.Context) (*live.Stream, error))
	// SetSettings changes the shop's settings if check, unless it is nil, accepts the current ones.
	SetSettings(ctx context.Context, changes map[string]json.RawMessage, check func(shop.StaffSettings) error) (*shop.StaffSettings, error)
	// Domains returns host names with their proofs, certificates, and what their DNS must lead to.
	Domains(ctx context.Context, names []string) *Domains
	// Certificate returns the state of a domain's certificate, without a look-up.
	Certificate(name string) Certificate
	// SiteOrigin returns the origin of the shop's pages. Codes: state_conflict.
	SiteOrigin(ctx context.Context) (string, error)
	// Now returns the time.
	Now() time.Time
	// Version returns the version of the program.
	Version() string
}

// request is embedded in every operation's input.
type request struct{ x Exchange }

// Resolve is called by huma before the operation.
func (r *request) Resolve(ctx huma.Context) []error {
	_, w, _ := humahttprouter.Unwrap(ctx)
	r.x = w.(Exchange)
	return nil
}

func (r *request) exchange() Exchange { return r.x }

func (r *request) shop() *shop.Shop { return r.x.Shop() }

func (r *request) caller() access.Caller { return r.x.Caller() }

// seesAmounts reports whether the caller, who is authorized, may see amounts of money.
func (r *request) seesAmounts() bool { return r.caller().Authorized.Permits(access.PricesRead) }

// defaultLimit is the number of items of a page. People scan longer pages than buyers.
const defaultLimit = 50

// ListQuery are the query parameters of every list. It is exported because huma finds parameters
// only in exported embedded types.
type ListQuery struct {
	Page  page.Optional[int] `query:"page" doc:"Page number, from 1" example:"1"`
	Limit page.Optional[int] `query:"limit" minimum:"1" maximum:"100" doc:"Items per page, 1 to 100. Defaults to 50" example:"2"`
}

func (q *ListQuery) page() page.Request {
	return page.Request{Page: q.Page.Pointer(), Limit: new(q.Limit.Or(defaultLimit))}
}

// Undoable has the name by which a change of orders can be undone.
type Undoable struct {
	Undo string `query:"undo" doc:"Name of your choice, such as a UUID, by which undoChange undoes the change" example:"b7c1e0f4"`
}

// undoable returns the caller of a change with its name.
func (u *Undoable) undoable(caller access.Caller) access.Caller {
	caller.Undo = u.Undo
	return caller
}

// NoBody is the body of an operation that needs none.
type NoBody struct {
	Body struct{}
}

// textOf returns an optional text, "" if none was sent.
func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
