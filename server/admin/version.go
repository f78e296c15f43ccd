package admin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"storefront/shop/fault"
)

// Precondition is the header of a change that requires an unchanged subject since the client has
// read it.
type Precondition struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the record as it was read. If it has changed, nothing is written: 412 changed_meanwhile"`
}

// versionOf returns the version of a record: a hash of its editable fields.
func versionOf(editable any) string {
	text, err := json.Marshal(editable)
	if err != nil {
		panic(err) // the records of the API can be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// check returns a function that a change calls in its transaction with the record before it, nil if
// the client requires no version. Codes: changed_meanwhile.
func check[T any](required Precondition, version func(T) string) func(T) error {
	if required.IfMatch == "" {
		return nil
	}
	return func(current T) error {
		if required.accepts(version(current)) {
			return nil
		}
		return &fault.Error{
			Code:    fault.CodeChangedMeanwhile,
			Message: "Somebody else has changed this in the meantime. Compare your changes with the current values, and send them again with their ETag.",
			Details: map[string]any{"current": current},
		}
	}
}

// checkExisting is check for a change that may also create its subject. A client that requires a
// version has read a record: if there is none, it was deleted in the meantime. Codes:
// changed_meanwhile.
func checkExisting[T any](required Precondition, version func(T) string) func(*T) error {
	accept := check(required, version)
	if accept == nil {
		return nil
	}
	return func(current *T) error {
		if current != nil {
			return accept(*current)
		}
		return &fault.Error{
			Code:    fault.CodeChangedMeanwhile,
			Message: "Somebody else has deleted this in the meantime. Send it without If-Match to create it again.",
			Details: map[string]any{"current": nil},
		}
	}
}

// Creation is the query parameter of a request that creates a record or replaces one of the same
// name.
type Creation struct {
	Create bool `query:"create" doc:"Create only: an existing record is not replaced, but is an error of its key field"`
}

// checkCreation returns replace, the check of a request that creates or replaces its subject, or
// one that accepts no subject if the client wants to create only. Codes: validation_failed, and
// replace's.
func checkCreation[T any](c Creation, field, taken string, replace func(*T) error) func(*T) error {
	if !c.Create {
		return replace
	}
	return func(current *T) error {
		var bad fault.Invalid
		if current != nil {
			bad.Add(field, fault.CodeInvalidValue, "%s", taken)
		}
		return bad.Err()
	}
}

// tags iterates over the entity tags, without the mark of weak ones: a proxy that compresses a
// response weakens its tag, and a version is a hash of values, which compression does not change.
func (p Precondition) tags() iter.Seq[string] {
	return func(yield func(string) bool) {
		for tag := range strings.SplitSeq(p.IfMatch, ",") {
			if !yield(strings.TrimPrefix(strings.TrimSpace(tag), "W/")) {
				return
			}
		}
	}
}

// accepts reports whether a version is among those that the client accepts.
func (p Precondition) accepts(version string) bool {
	for tag := range p.tags() {
		if tag == "*" || tag == `"`+version+`"` {
			return true
		}
	}
	return false
}

// part returns the required version of one part. Parts are separated by a hyphen, so that a change
// of one part of a record does not conflict with a change of another.
func (p Precondition) part(n int) Precondition {
	tags := slices.Collect(p.tags())
	for i, tag := range tags {
		if !strings.HasPrefix(tag, `"`) { // such as *
			continue
		}
		parts := append(strings.SplitN(strings.Trim(tag, `"`), "-", 2), "")
		tags[i] = `"` + parts[n] + `"`
	}
	return Precondition{strings.Join(tags, ",")}
}

// setVersion sends the version of the response's subject as its entity tag.
func (r *request) setVersion(version string) { r.x.Header().Set("ETag", `"`+version+`"`) }
