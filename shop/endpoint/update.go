package endpoint

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/outbox"
)

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
		bad.Add(
			"url", fault.CodeInvalidValue, "Must be an https URL without user name, password and fragment.",
		)
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
			bad.Add(
				"types", fault.CodeInvalidValue, "There is no event %q. Must be * or some of: %s.", kind,
				joined(outbox.Types()),
			)
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

// UpdateEndpoint changes a webhook endpoint. Waiting deliveries are sent to a new URL, which has
// not failed yet. Setting it to inactive cancels waiting deliveries. Setting it to active sends the
// events from then on; [Endpoints.RedeliverRange] sends earlier ones. Codes: not_found,
// validation_failed, changed_meanwhile, unauthenticated, forbidden, proof_required.
func (e *Endpoints) UpdateEndpoint(
	ctx context.Context, caller access.Caller, id string, edit Edit,
) (*Endpoint, error) {
	return access.Write(ctx, e.cfg.Data, caller, access.ToUpdateEndpoint,
		func(tx *db.Tx, who access.Staff) (*Endpoint, error) {
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
		changes = append(
			changes, access.Change{Field: "url", Before: hostOf(before.URL), After: hostOf(after.URL)},
		)
	}
	if !slices.Equal(before.Types, after.Types) {
		changes = append(changes, access.Change{Field: "types", Before: before.Types, After: after.Types})
	}
	return changes
}
