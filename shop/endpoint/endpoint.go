package endpoint

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/dispatch"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/outbox"
	"storefront/shop/secret"
	"storefront/shop/sequence"
)

// Limits of webhook endpoints.
const (
	// MaxEndpoints is the maximum number of webhook endpoints of a shop.
	MaxEndpoints = 10

	maxURL   = 2000 // characters
	maxLabel = 100  // characters
)

// AllTypes selects the events of every type, including types of later versions.
const AllTypes outbox.Type = "*"

// Payload is how much of an event a webhook has.
//
//api:enum WebhookPayload
type Payload string

// The payloads.
const (
	PayloadThin Payload = "thin" // IDs, statuses and amounts
	PayloadFull Payload = "full" // also the affected order, as of the time of sending
)

// Endpoint is a URL that receives events.
type Endpoint struct {
	ID      string        `json:"_id"`
	URL     string        `json:"url" doc:"Where webhooks are sent"`
	Label   string        `json:"label" doc:"Name of the receiver"`
	Types   []outbox.Type `json:"types" nullable:"false" doc:"Events that are sent; * means all"`
	Payload Payload       `json:"payload"`
	Active  bool          `json:"active" doc:"Whether events are sent"`
	// DisabledReason is the reason why the program has set Active to false; nil if it has not.
	DisabledReason *string       `json:"disabledReason" doc:"Why the program has stopped sending; null if it has not"`
	FailingSince   *time.Time    `json:"failingSince" doc:"Time since which every attempt has failed; null if the last one succeeded"`
	LastDelivery   *LastDelivery `json:"lastDelivery" doc:"null if nothing was sent yet"`
	CreatedAt      time.Time     `json:"createdAt"`
	CreatedBy      access.Actor  `json:"createdBy"`
	// RotatedAt is the time of the last replacement of the secret; nil means never.
	RotatedAt *time.Time `json:"rotatedAt" doc:"When the secret was last replaced; null if never"`

	since int64 // events after this one are sent
}

// LastDelivery is the last attempt to send a webhook to an endpoint.
type LastDelivery struct {
	At             time.Time `json:"at"`
	ResponseStatus *int      `json:"responseStatus" doc:"null if there was no response"`
}

// Editable returns the editable fields of the endpoint, which its version covers.
func (e *Endpoint) Editable() any {
	return struct {
		URL, Label string
		Types      []outbox.Type
		Payload    Payload
		Active     bool
		RotatedAt  *time.Time
	}{e.URL, e.Label, e.Types, e.Payload, e.Active, e.RotatedAt}
}

// subject returns the endpoint as in the audit log.
func (e *Endpoint) subject() access.Subject {
	return access.Subject{Kind: access.SubjectEndpoint, ID: e.ID, Label: e.Label}
}

// receives reports whether events of a type are sent to the endpoint.
func (e *Endpoint) receives(kind outbox.Type) bool {
	return slices.Contains(e.Types, AllTypes) || slices.Contains(e.Types, kind)
}

// Config is the configuration of [Endpoints]. Every field is required.
type Config struct {
	Data    access.Data // of the shop
	Now     func() time.Time
	IDs     *sequence.Source
	Log     *slog.Logger
	Secrets *secret.Store
	Runner  *dispatch.Runner // shared by all shops of the process: see [NewRunner]
	Sender  Sender
	// IsWorking reports whether this process does the shop's work, among all servers.
	IsWorking func(context.Context) bool
	// AllowHTTP accepts endpoints without TLS, for development and for hosts of the operator.
	AllowHTTP bool
	// Order returns an order for staff, on behalf of an actor. Codes: forbidden, unauthenticated,
	// not_found.
	Order func(ctx context.Context, by access.Actor, id string) (any, error)
}

// Endpoints holds the webhook endpoints of one shop. It is safe for concurrent use. Create one with
// [New].
type Endpoints struct{ cfg Config }

// New returns the webhook endpoints of the shop in cfg.Data. It reads nothing.
func New(cfg Config) *Endpoints { return &Endpoints{cfg} }

// Input is a new webhook endpoint.
type Input struct {
	URL     string
	Label   string        // "" means the URL's host
	Types   []outbox.Type // empty means [AllTypes]
	Payload Payload       // "" means [PayloadThin]
}

// CreateEndpoint creates a webhook endpoint, which receives the events from now on, and returns it
// with the secret that signs its webhooks. The secret is returned only this time. Codes:
// validation_failed, state_conflict (too many endpoints), unauthenticated, forbidden,
// proof_required.
func (e *Endpoints) CreateEndpoint(
	ctx context.Context, caller access.Caller, in Input,
) (created *Endpoint, key string, err error) {
	plain, key := NewSecret()
	created, err = access.Write(ctx, e.cfg.Data, caller, access.ToCreateEndpoint,
		func(tx *db.Tx, who access.Staff) (*Endpoint, error) { return e.create(tx, who, in, plain) })
	if err != nil {
		return nil, "", err
	}
	return created, key, nil
}

// create creates a webhook endpoint with a secret. Codes: as for [Endpoints.CreateEndpoint].
func (e *Endpoints) create(tx *db.Tx, who access.Staff, in Input, plain []byte) (*Endpoint, error) {
	created, err := e.newEndpoint(in)
	if err != nil {
		return nil, err
	}
	if err := requirePayload(tx, who, created.Payload); err != nil {
		return nil, err
	}
	all, err := findEndpoints(tx)
	if err != nil {
		return nil, err
	}
	if len(all) >= MaxEndpoints {
		return nil, fault.Errorf(
			fault.CodeStateConflict,
			"The shop has %d webhook endpoints, which is the limit: delete one first.", len(all),
		)
	}
	created.ID, created.CreatedAt, created.CreatedBy = e.cfg.IDs.Next(tx.Now()), tx.Now(), who.Actor()
	if created.since, err = outbox.Last(tx); err != nil {
		return nil, err
	}
	if len(all) == 0 { // nobody received earlier events
		if err := outbox.Advance(tx, consumer, created.since); err != nil {
			return nil, err
		}
	}
	if err := insertEndpoint(tx, created); err != nil {
		return nil, err
	}
	if err := e.cfg.Secrets.Save(tx, secretName(created.ID), plain); err != nil {
		return nil, err
	}
	return created, who.Audit(
		tx, created.subject(), access.Set("url", hostOf(created.URL)), access.Set("types", created.Types),
		access.Set("payload", created.Payload),
	)
}

// newEndpoint returns an active endpoint of the input. Codes: validation_failed.
func (e *Endpoints) newEndpoint(in Input) (*Endpoint, error) {
	var bad fault.Invalid
	address := e.checkURL(&bad, in.URL)
	return &Endpoint{
		URL: address, Label: input.CheckLine(&bad, "label", cmp.Or(in.Label, hostOf(address)), maxLabel),
		Types: checkTypes(&bad, in.Types), Payload: checkPayload(&bad, in.Payload), Active: true,
	}, bad.Err()
}

// ListEndpoints returns the webhook endpoints, oldest first. Codes: unauthenticated, forbidden,
// proof_required.
func (e *Endpoints) ListEndpoints(ctx context.Context, caller access.Caller) ([]Endpoint, error) {
	list, err := access.Read(ctx, e.cfg.Data, caller, access.ToListEndpoints,
		func(tx *db.Tx, _ access.Staff) ([]Endpoint, error) { return findEndpoints(tx) })
	return db.OrEmpty(list), err
}

// FindEndpoint returns a webhook endpoint. Codes: not_found, unauthenticated, forbidden,
// proof_required.
func (e *Endpoints) FindEndpoint(
	ctx context.Context, caller access.Caller, id string,
) (*Endpoint, error) {
	return access.Read(ctx, e.cfg.Data, caller, access.ToFindEndpoint,
		func(tx *db.Tx, _ access.Staff) (*Endpoint, error) { return findEndpoint(tx, id) })
}

// hostOf returns the host of a URL, for the audit log: the path and the query of many receivers are
// secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// AdoptClone replaces the IDs of a clone's endpoints, and deletes the original's deliveries. With
// the old IDs, the webhooks of both shops would share IDs, and a receiver of both would drop one
// shop's events as repetitions.
func (e *Endpoints) AdoptClone(tx *db.Tx) error {
	if err := deleteDeliveries(tx); err != nil {
		return err
	}
	all, err := findEndpoints(tx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := renameEndpoint(tx, one.ID, e.cfg.IDs.Next(tx.Now())); err != nil {
			return err
		}
	}
	return nil
}

// DeleteEndpoint deletes a webhook endpoint that accept accepts, with its deliveries; nil accepts
// any. Codes: not_found, unauthenticated, forbidden, proof_required, and accept's.
func (e *Endpoints) DeleteEndpoint(
	ctx context.Context, caller access.Caller, id string, accept func(*Endpoint) error,
) error {
	return access.Do(ctx, e.cfg.Data, caller, access.ToDeleteEndpoint,
		func(tx *db.Tx, who access.Staff) error {
			found, err := findEndpoint(tx, id)
			if err != nil {
				return err
			}
			if err := access.Accept(accept, found); err != nil {
				return err
			}
			if err := deleteEndpoint(tx, id); err != nil {
				return err
			}
			for _, name := range []string{secretName(id), oldSecretName(id)} {
				if err := e.cfg.Secrets.Delete(tx, name); err != nil {
					return err
				}
			}
			return who.Audit(tx, found.subject())
		})
}
