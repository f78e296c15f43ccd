package endpoint

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
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

// rotationTime is the time for which both secrets sign after a rotation.
const rotationTime = 24 * time.Hour

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

// Edit is a change of a webhook endpoint. A nil field is unchanged.
type Edit struct {
	URL     *string
	Label   *string
	Types   *[]outbox.Type
	Payload *Payload
	Active  *bool
	// Accept is called with the endpoint before the change, and prevents it by an error; may be nil.
	Accept func(*Endpoint) error
}

// checkURL returns the URL of an endpoint.
func (e *Endpoints) checkURL(bad *fault.Invalid, text string) string {
	text = input.CheckLine(bad, "url", text, maxURL)
	u, err := url.Parse(text)
	switch {
	case text == "":
		bad.Add("url", fault.CodeRequired, "The URL is required.")
	case err != nil || !input.IsWebURL(text) || u.Fragment != "" || u.Hostname() == "":
		bad.Add("url", fault.CodeInvalidValue, "Must be an https URL without user name, password and fragment.")
	case u.Scheme != "https" && !e.cfg.AllowHTTP:
		bad.Add("url", fault.CodeInvalidValue, "Must be an https URL.")
	}
	return text
}

func checkLabel(bad *fault.Invalid, text string) string {
	if text = input.CheckLine(bad, "label", text, maxLabel); text == "" {
		bad.Add("label", fault.CodeRequired, "The label is required.")
	}
	return text
}

func checkTypes(bad *fault.Invalid, types []outbox.Type) []outbox.Type {
	if len(types) == 0 || slices.Contains(types, AllTypes) {
		return []outbox.Type{AllTypes}
	}
	for _, kind := range types {
		if !slices.Contains(outbox.Types(), kind) {
			bad.Add("types", fault.CodeInvalidValue, "There is no event %q. Must be * or some of: %s.", kind, joined(outbox.Types()))
		}
	}
	types = slices.Clone(types)
	slices.Sort(types)
	return slices.Compact(types)
}

func joined(types []outbox.Type) string {
	texts := make([]string, len(types))
	for i, kind := range types {
		texts[i] = string(kind)
	}
	return strings.Join(texts, ", ")
}

func checkPayload(bad *fault.Invalid, p Payload) Payload {
	if p == "" {
		return PayloadThin
	}
	if p != PayloadThin && p != PayloadFull {
		bad.Add("payload", fault.CodeInvalidValue, "Must be thin or full.")
	}
	return p
}

// requirePayload checks that the caller may send the data of a payload to somebody else. It must be
// called after the caller was checked in tx.
func requirePayload(tx *db.Tx, who access.Staff, p Payload) error {
	if p == PayloadFull {
		return who.Require(tx, access.OrdersRead)
	}
	return nil
}

// secretPrefix is the form of a secret in Standard Webhooks.
const secretPrefix = "whsec_"

// newSecret returns a secret and its form for the receiver.
func newSecret() (plain []byte, text string) {
	plain = make([]byte, secret.KeyBytes)
	rand.Read(plain)
	return plain, secretPrefix + base64.StdEncoding.EncodeToString(plain)
}

// secretName and oldSecretName are the names of an endpoint's secrets.
func secretName(id string) string    { return "webhook." + id }
func oldSecretName(id string) string { return "webhook." + id + ".old" }

// CreateEndpoint creates a webhook endpoint, which receives the events from now on, and returns it
// with the secret that signs its webhooks. The secret is returned only this time. Codes:
// validation_failed, state_conflict (too many endpoints), unauthenticated, forbidden,
// proof_required.
func (e *Endpoints) CreateEndpoint(ctx context.Context, caller access.Caller, in Input) (created *Endpoint, key string, err error) {
	plain, key := newSecret()
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
		return nil, fault.Errorf(fault.CodeStateConflict, "The shop has %d webhook endpoints, which is the limit: delete one first.", len(all))
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
	return created, who.Audit(tx, created.subject(),
		access.Set("url", hostOf(created.URL)), access.Set("types", created.Types), access.Set("payload", created.Payload))
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
func (e *Endpoints) FindEndpoint(ctx context.Context, caller access.Caller, id string) (*Endpoint, error) {
	return access.Read(ctx, e.cfg.Data, caller, access.ToFindEndpoint,
		func(tx *db.Tx, _ access.Staff) (*Endpoint, error) { return findEndpoint(tx, id) })
}

// UpdateEndpoint changes a webhook endpoint. Waiting deliveries are sent to a new URL, which has
// not failed yet. Setting it to inactive cancels waiting deliveries. Setting it to active sends the
// events from then on; [Endpoints.RedeliverRange] sends earlier ones. Codes: not_found,
// validation_failed, changed_meanwhile, unauthenticated, forbidden, proof_required.
func (e *Endpoints) UpdateEndpoint(ctx context.Context, caller access.Caller, id string, edit Edit) (*Endpoint, error) {
	return access.Write(ctx, e.cfg.Data, caller, access.ToUpdateEndpoint, func(tx *db.Tx, who access.Staff) (*Endpoint, error) {
		checked, err := e.checkEdit(edit)
		if err != nil {
			return nil, err
		}
		before, err := findEndpoint(tx, id)
		if err != nil {
			return nil, err
		}
		if err := access.Accept(edit.Accept, before); err != nil {
			return nil, err
		}
		after := *before
		checked.apply(&after)
		if edit.URL != nil || edit.Payload != nil {
			if err := requirePayload(tx, who, after.Payload); err != nil {
				return nil, err
			}
			after.CreatedBy = who.Actor() // the actor for whom orders are sent
		}
		if after.URL != before.URL {
			after.FailingSince = nil // the new one has not failed
		}
		if err := e.activate(tx, before, &after); err != nil {
			return nil, err
		}
		changes := endpointChanges(before, &after)
		if len(changes) == 0 {
			return &after, nil
		}
		if err := updateEndpoint(tx, &after); err != nil {
			return nil, err
		}
		return &after, who.Audit(tx, after.subject(), changes...)
	})
}

// activate applies the effects of setting an endpoint to active or inactive. Codes: state_conflict.
func (e *Endpoints) activate(tx *db.Tx, before, after *Endpoint) (err error) {
	switch {
	case before.Active == after.Active:
		return nil
	case before.Active:
		return cancelWaiting(tx, after.ID, reasonInactive)
	}
	if _, err := e.secrets(tx, after); err != nil {
		return err
	}
	after.DisabledReason, after.FailingSince = nil, nil
	after.since, err = outbox.Last(tx)
	return err
}

// checkEdit returns the edit with its fields in stored form. Codes: validation_failed.
func (e *Endpoints) checkEdit(edit Edit) (Edit, error) {
	var bad fault.Invalid
	if edit.URL != nil {
		edit.URL = new(e.checkURL(&bad, *edit.URL))
	}
	if edit.Label != nil {
		edit.Label = new(checkLabel(&bad, *edit.Label))
	}
	if edit.Types != nil {
		edit.Types = new(checkTypes(&bad, *edit.Types))
	}
	if edit.Payload != nil {
		edit.Payload = new(checkPayload(&bad, *edit.Payload))
	}
	return edit, bad.Err()
}

func (edit *Edit) apply(to *Endpoint) {
	if edit.URL != nil {
		to.URL = *edit.URL
	}
	if edit.Label != nil {
		to.Label = *edit.Label
	}
	if edit.Types != nil {
		to.Types = *edit.Types
	}
	if edit.Payload != nil {
		to.Payload = *edit.Payload
	}
	if edit.Active != nil {
		to.Active = *edit.Active
	}
}

func endpointChanges(before, after *Endpoint) []access.Change {
	changes := slices.Concat(
		access.Changed("label", before.Label, after.Label),
		access.Changed("payload", before.Payload, after.Payload),
		access.Changed("active", before.Active, after.Active),
	)
	if before.URL != after.URL {
		changes = append(changes, access.Change{Field: "url", Before: hostOf(before.URL), After: hostOf(after.URL)})
	}
	if !slices.Equal(before.Types, after.Types) {
		changes = append(changes, access.Change{Field: "types", Before: before.Types, After: after.Types})
	}
	return changes
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

// DeleteEndpoint deletes a webhook endpoint with its deliveries. Codes: not_found, unauthenticated,
// forbidden, proof_required.
func (e *Endpoints) DeleteEndpoint(ctx context.Context, caller access.Caller, id string) error {
	return e.DeleteEndpointIf(ctx, caller, id, nil)
}

// DeleteEndpointIf is [Endpoints.DeleteEndpoint] on condition that accept accepts the endpoint; nil
// accepts any. Codes: as for DeleteEndpoint, and accept's.
func (e *Endpoints) DeleteEndpointIf(ctx context.Context, caller access.Caller, id string, accept func(*Endpoint) error) error {
	return access.Do(ctx, e.cfg.Data, caller, access.ToDeleteEndpoint, func(tx *db.Tx, who access.Staff) error {
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

// RotateEndpoint replaces the secret of a webhook endpoint and returns the new one, only this time.
// Webhooks have the signatures of both for the next 24 hours. Codes: not_found, unauthenticated,
// forbidden, proof_required.
func (e *Endpoints) RotateEndpoint(ctx context.Context, caller access.Caller, id string) (rotated *Endpoint, key string, err error) {
	plain, key := newSecret()
	rotated, err = access.Write(ctx, e.cfg.Data, caller, access.ToRotateEndpoint, func(tx *db.Tx, who access.Staff) (*Endpoint, error) {
		found, err := findEndpoint(tx, id)
		if err != nil {
			return nil, err
		}
		switch old, err := e.cfg.Secrets.Find(tx, secretName(id)); {
		case errors.Is(err, db.ErrNotFound): // the shop is a copy
		case err != nil:
			return nil, err
		default:
			if err := e.cfg.Secrets.Save(tx, oldSecretName(id), old); err != nil {
				return nil, err
			}
		}
		if err := e.cfg.Secrets.Save(tx, secretName(id), plain); err != nil {
			return nil, err
		}
		found.RotatedAt = new(tx.Now())
		if err := updateEndpoint(tx, found); err != nil {
			return nil, err
		}
		return found, who.Audit(tx, found.subject(), access.Set("secret", access.Secret))
	})
	if err != nil {
		return nil, "", err
	}
	return rotated, key, nil
}

// secrets returns the secrets that sign the webhooks of an endpoint, the newest first. Codes:
// state_conflict (it has none: the shop is a copy).
func (e *Endpoints) secrets(tx *db.Tx, of *Endpoint) ([][]byte, error) {
	newest, err := e.cfg.Secrets.Find(tx, secretName(of.ID))
	if errors.Is(err, db.ErrNotFound) {
		return nil, fault.Errorf(fault.CodeStateConflict, "The webhook endpoint has no secret, because the shop is a copy: replace the secret first.")
	}
	if err != nil {
		return nil, err
	}
	keys := [][]byte{newest}
	if of.RotatedAt != nil && tx.Now().Before(of.RotatedAt.Add(rotationTime)) {
		old, err := e.cfg.Secrets.Find(tx, oldSecretName(of.ID))
		if errors.Is(err, db.ErrNotFound) { // there was none to replace
			return keys, nil
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, old)
	}
	return keys, nil
}
