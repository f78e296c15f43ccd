package job

import (
	"context"
	"errors"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// MaxIDs is the maximum number of IDs in a request to change or print several records.
const MaxIDs = 200

// FieldDetail is the detail of an error with the field that a courier refuses.
const FieldDetail = "field"

// Unchanged is the reason why an action leaves a record as it is, which is a warning and no error.
type Unchanged string

// Error returns the reason for people.
func (u Unchanged) Error() string { return string(u) }

// IsUnchanged reports whether a rule found nothing to do.
func IsUnchanged(err error) bool {
	_, ok := errors.AsType[Unchanged](err)
	return ok
}

// UniqueIDs returns the IDs of a request without duplicates, unless it selects by a filter.
// canonical returns the canonical form of an ID.
func UniqueIDs(bad *fault.Invalid, ids []string, hasFilter bool, canonical func(string) string) []string {
	if (len(ids) > 0) == hasFilter {
		bad.Add("ids", fault.CodeRequired, "Send either ids or filter.")
		return nil
	}
	seen := map[string]bool{}
	var unique []string
	for _, id := range ids {
		if id = canonical(id); !seen[id] {
			unique = append(unique, id)
		}
		seen[id] = true
	}
	if len(unique) > MaxIDs {
		bad.Add("ids", fault.CodeInvalidValue, "Must be at most %d IDs. More records can be selected by a filter.", MaxIDs)
	}
	return unique
}

// CheckMatches refuses a filter that selects no record, or more than a job can have items.
func CheckMatches(n int) error {
	var bad fault.Invalid
	switch {
	case n > MaxItems:
		bad.Add("filter", fault.CodeInvalidValue, "The filter must match at most %d records: narrow it, by time for example.", MaxItems)
	case n == 0:
		bad.Add("filter", fault.CodeInvalidValue, "The filter must match at least one record.")
	}
	return bad.Err()
}

// Preview is a job that only shows what it would do.
type Preview struct {
	Kind    Kind
	Targets []Target
	Now     time.Time
	Names   map[string]string // of the records' people, by the records' IDs
	// Check returns for each record the reason why the action would not change it; nil if it would.
	Check func(ctx context.Context, ids []string) ([]error, error)
}

// Run returns the job with its results.
func (p Preview) Run(ctx context.Context, who access.Staff) (*Job, error) {
	plan := &Job{Summary: Summary{
		Kind: p.Kind, By: who.Actor(), Status: StatusDone, Total: len(p.Targets), CreatedAt: p.Now, FinishedAt: &p.Now,
	}}
	for part := range slices.Chunk(p.Targets, db.MaxList) {
		ids := make([]string, len(part))
		for i, t := range part {
			ids[i] = t.Subject
		}
		rules, err := p.Check(ctx, ids)
		if err != nil {
			return nil, err
		}
		for i, t := range part {
			result, err := p.result(t, rules[i])
			if err != nil {
				return nil, err
			}
			if *result.OK {
				plan.Done++
			} else {
				plan.Failed++
			}
			plan.Results = append(plan.Results, result)
		}
	}
	return plan, nil
}

// result returns the result for a record from its rule. It returns an unknown error of the rule.
func (p Preview) result(t Target, rule error) (Result, error) {
	result := Result{Subject: t.Subject, Label: t.Label, OK: new(true)}
	if name := p.Names[t.Subject]; name != "" {
		result.Name = &name
	}
	var known *fault.Error
	switch {
	case rule == nil:
	case IsUnchanged(rule):
		result.Warning = new(rule.Error())
	case errors.As(rule, &known):
		result.OK, result.Code, result.Message = new(false), &known.Code, &known.Message
		if field, ok := known.Details[FieldDetail].(string); ok {
			result.Field = &field
		}
	default:
		return result, rule
	}
	return result, nil
}
