package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"storefront/db"
	"storefront/db/sqlite"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/endpoint"
)

// SupportPart is one document about a shop for the support of the program. Value is nil if it could
// not be read; Error is the reason.
type SupportPart struct {
	Name  string
	Value any
	Error error
}

// NewSupportPart returns a part with masked texts.
func NewSupportPart(name string, mask *shop.Mask, value any, err error) SupportPart {
	part := SupportPart{Name: name, Error: err}
	if err == nil {
		part.Value, part.Error = decoded(value)
		part.Value = mask.Document(part.Value)
	}
	return part
}

// ShopStorage describes how a shop is stored.
type ShopStorage struct {
	Place    Place          `json:"place"`
	SQLite   string         `json:"sqlite"`             // version of the library
	Postgres *DatabaseState `json:"postgres,omitempty"` // of shops in PostgreSQL
	Bytes    *int64         `json:"bytes,omitempty"`    // of its file
	Problem  string         `json:"problem,omitempty"`  // why it is not served
	Tables   []db.TableSize `json:"tables"`
}

// ReadSupport returns the parts of a shop, which may be suspended or damaged, and the mask that has
// been applied to all of them: they contain no secrets and no personal data of buyers. A part that
// cannot be read does not hide the others. Codes: tenant_not_found.
func (t *Tenants) ReadSupport(ctx context.Context, uid string) ([]SupportPart, *shop.Mask, error) {
	id, err := t.requireExisting(ctx, uid)
	if err != nil {
		return nil, nil, err
	}
	storage, err := t.readStorage(ctx, id)
	parts := []SupportPart{{"storage", storage, err}}
	mask := &shop.Mask{}
	s, err := t.FindIncludingSuspended(ctx, uid)
	if err != nil {
		parts = append(parts, SupportPart{"shop", nil, err})
	} else {
		var shopParts []SupportPart
		shopParts, mask = readShopParts(ctx, s)
		parts = append(parts, shopParts...)
	}
	for i, p := range parts {
		parts[i] = NewSupportPart(p.Name, mask, p.Value, p.Error)
	}
	return parts, mask, ctx.Err()
}

// readStorage describes the data of a shop.
func (t *Tenants) readStorage(ctx context.Context, id db.ID) (*ShopStorage, error) {
	place, err := t.placeOf(ctx, id)
	if err != nil {
		return nil, err
	}
	found := &ShopStorage{Place: place, SQLite: sqlite.Version}
	if place == InFiles {
		size, err := t.files.Size(ctx, id)
		if err != nil {
			return nil, err
		}
		found.Bytes = &size
	} else if found.Postgres, err = t.DatabaseState(ctx); err != nil {
		return nil, err
	}
	for _, f := range t.Failing() {
		if f.UID == string(id) {
			found.Problem = f.Error
		}
	}
	if found.Tables, err = t.store.TableSizes(ctx, id); err != nil && found.Problem == "" {
		found.Problem = err.Error()
	}
	return found, nil
}

// readShopParts returns the parts that a readable shop has of itself, not masked, and their mask.
func readShopParts(ctx context.Context, s *shop.Shop) (parts []SupportPart, mask *shop.Mask) {
	caller := access.Operator()
	add := func(name string, value any, err error) {
		if err != nil {
			value = nil
		}
		parts = append(parts, SupportPart{name, value, err})
	}
	mask, maskErr := s.FindMask(ctx)
	plugins, err := s.ListPlugins(ctx, caller)
	add("providers", plugins, err)
	for _, p := range plugins {
		for _, setting := range p.Settings {
			if setting.Value != nil {
				mask.Show(*setting.Value)
			}
		}
	}
	mail, err := ReadMailStatus(ctx, s, caller)
	add("mail", mail, err)
	sms, err := ReadSMSStatus(ctx, s, caller)
	add("sms", sms, err)
	for _, public := range []any{mail, sms} {
		if document, err := decoded(public); err == nil {
			mask.Show(document)
		}
	}
	settings, err := s.FindSettings(ctx, caller)
	add("settings", settings, err)
	work, err := readWork(ctx, s, caller)
	add("work", work, err)
	endpoints, err := readEndpoints(ctx, s, caller)
	add("webhook-endpoints", endpoints, err)
	failures, err := s.FindFailures(ctx)
	if maskErr != nil { // unknown secrets cannot be found in the errors
		for i := range failures {
			failures[i].Error = fmt.Sprintf("(%d bytes)", len(failures[i].Error))
		}
		add("mask", nil, maskErr)
	}
	add("failures", failures, err)
	return parts, mask
}

// supportWork is the open work of a shop.
type supportWork struct {
	Findings []shop.HealthFinding `json:"findings"`
	Activity *shop.Activity       `json:"activity"`
	Usage    *shop.Usage          `json:"usage"`
}

// readEndpoints returns the webhook endpoints, each with no more of its URL than the host: the path
// may be a secret.
func readEndpoints(ctx context.Context, s *shop.Shop, caller access.Caller) ([]endpoint.Endpoint, error) {
	list, err := s.Endpoints.ListEndpoints(ctx, caller)
	for i := range list {
		if u, err := url.Parse(list[i].URL); err == nil {
			list[i].URL = u.Scheme + "://" + u.Host
		} else {
			list[i].URL = ""
		}
	}
	return list, err
}

func readWork(ctx context.Context, s *shop.Shop, caller access.Caller) (*supportWork, error) {
	backlog, err := s.FindBacklog(ctx, caller)
	if err != nil {
		return nil, err
	}
	activity, err := s.FindActivity(ctx)
	if err != nil {
		return nil, err
	}
	usage, err := s.FindUsage(ctx, caller, "")
	if err != nil {
		return nil, err
	}
	usage.Owner = nil // an e-mail or a telephone number
	return &supportWork{backlog.Findings(), activity, usage}, nil
}

// decoded returns a value as a decoded JSON document.
func decoded(value any) (document any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return document, json.Unmarshal(text, &document)
}
