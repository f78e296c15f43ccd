package page

import (
	"encoding/json"
	"io"
	"math"

	"storefront/shop/fault"
)

// Range selects records of an export in an order that never changes, so that an interrupted export
// resumes after the last record that arrived.
type Range struct {
	After string        `query:"after" doc:"The _id of a record: only later ones are sent. Defaults to all"`
	Limit Optional[int] `query:"limit" minimum:"1" doc:"Maximum number of records. Defaults to all"`
}

// Max returns the maximum number of records. Problems are added to bad.
func (r *Range) Max(bad *fault.Invalid) int {
	limit := r.Limit.Or(math.MaxInt32)
	if limit < 1 {
		bad.Add("limit", fault.CodeInvalidValue, "Must be at least 1.")
	}
	return limit
}

// WriteLines writes each record as a line of JSON; see https://github.com/ndjson/ndjson-spec.
func WriteLines[T any](w io.Writer, records []T) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for i := range records {
		if err := lines.Encode(&records[i]); err != nil {
			return err
		}
	}
	return nil
}
