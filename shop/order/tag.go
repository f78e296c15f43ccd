package order

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/job"
)

// Limits of tags.
const (
	maxOrderTags = 10
	maxTag       = 30  // characters
	maxShopTags  = 200 // different tags of the shop's orders
)

// tagKey returns the key that all spellings of a tag share.
func tagKey(tag string) string { return input.FoldKey(tag) }

// TagChange is a change of an order's tags: the whole list, or tags to add and to remove.
type TagChange struct {
	Set    *[]string // nil leaves the others unchanged
	Add    []string
	Remove []string

	// Check is called with the order before the change, in its transaction, and refuses the change
	// with an error. nil accepts any.
	Check func(StaffOrder) error
}

// TagOrder changes the tags of an order. Spellings of a tag that differ in case are the same tag.
// Codes: validation_failed, not_found, changed_meanwhile (by in.Check).
func (s *Orders) TagOrder(ctx context.Context, caller access.Caller, invoiceUID string, in TagChange) (*StaffOrder, error) {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return s.annotateOrder(ctx, caller, access.ToTagOrder, invoiceUID, in.clean,
		func(tx *db.Tx, who access.Staff, o *orderRow) ([]access.Change, error) {
			if in.Check != nil {
				current, err := staffView(tx, o, set.Display, who)
				if err == nil {
					err = in.Check(*current)
				}
				if err != nil {
					return nil, err
				}
			}
			before, after, err := in.check(tx, o)
			if job.IsUnchanged(err) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return []access.Change{{Field: "tags", Before: before, After: after}}, saveTags(tx, o.number, after)
		})
}

// clean checks the tags and converts them to their stored form. Codes: validation_failed.
func (in *TagChange) clean() error {
	var bad fault.Invalid
	if in.Set != nil {
		in.Set = new(checkTags(&bad, "tags", *in.Set))
	}
	in.Add, in.Remove = checkTags(&bad, "add", in.Add), checkTags(&bad, "remove", in.Remove)
	return bad.Err()
}

// check is the rule of [Orders.TagOrder]. It returns the order's tags before and after the change.
func (in *TagChange) check(tx *db.Tx, o *orderRow) (before, after []string, err error) {
	if before, err = findTags(tx, o.number); err != nil {
		return nil, nil, err
	}
	after = in.apply(before)
	if slices.Equal(before, after) {
		return nil, nil, job.Unchanged("The order's tags are unchanged.")
	}
	return before, after, checkTagCount(tx, before, after)
}

// tagKeys returns the keys of tags by which orders are filtered.
func tagKeys(bad *fault.Invalid, tags []string) (keys []string) {
	if len(tags) > input.MaxFilterValues {
		bad.Add("tags", fault.CodeInvalidValue, "The filter must have at most %d values.", input.MaxFilterValues)
		return nil
	}
	for _, tag := range tags {
		keys = append(keys, tagKey(input.Cut(tag, maxTag)))
	}
	return keys
}

// apply returns the tags after the change, by key.
func (in *TagChange) apply(before []string) []string {
	byKey := map[string]string{}
	for _, tag := range before {
		byKey[tagKey(tag)] = tag
	}
	if in.Set != nil {
		clear(byKey)
		for _, tag := range *in.Set {
			byKey[tagKey(tag)] = tag
		}
	}
	for _, tag := range in.Add {
		if _, ok := byKey[tagKey(tag)]; !ok {
			byKey[tagKey(tag)] = tag
		}
	}
	for _, tag := range in.Remove {
		delete(byKey, tagKey(tag))
	}
	after := make([]string, 0, len(byKey))
	for _, tag := range byKey {
		after = append(after, tag)
	}
	slices.SortFunc(after, func(a, b string) int { return strings.Compare(tagKey(a), tagKey(b)) })
	return after
}

// checkTags checks tags as they were sent, and returns each once.
func checkTags(bad *fault.Invalid, field string, tags []string) []string {
	if len(tags) > maxShopTags {
		bad.Add(field, fault.CodeInvalidValue, "There must be at most %d tags.", maxOrderTags)
		return nil
	}
	var checked []string
	for i, tag := range tags {
		at := fmt.Sprintf("%s[%d]", field, i)
		tag = input.CheckLine(bad, at, tag, maxTag)
		if tagKey(tag) == "" {
			bad.Add(at, fault.CodeRequired, "A tag must have a letter, a digit or another sign.")
		}
		if !slices.ContainsFunc(checked, func(other string) bool { return tagKey(other) == tagKey(tag) }) {
			checked = append(checked, tag)
		}
	}
	return checked
}

// checkTagCount checks the numbers of tags of the order and of the shop. Codes: validation_failed.
func checkTagCount(tx *db.Tx, before, after []string) error {
	var bad fault.Invalid
	if len(after) > maxOrderTags {
		bad.Add("tags", fault.CodeInvalidValue, "An order must have at most %d tags.", maxOrderTags)
		return bad.Err()
	}
	created, err := findUnknownTags(tx, after)
	if err != nil {
		return err
	}
	if created == 0 {
		return nil
	}
	count, err := countShopTags(tx)
	if err != nil {
		return err
	}
	if count+created > maxShopTags {
		bad.Add("tags", fault.CodeInvalidValue, "The shop's orders must have at most %d different tags. Use an existing tag.", maxShopTags)
	}
	return bad.Err()
}
