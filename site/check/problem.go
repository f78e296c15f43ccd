package check

import (
	"cmp"
	"slices"

	"storefront/shop/page"
)

// Code identifies the kind of a problem, for programs.
type Code string

// The kinds of problems.
const (
	BrokenLink         Code = "broken_link"
	BrokenPicture      Code = "broken_picture"
	BrokenPage         Code = "broken_page"
	MissingTitle       Code = "missing_title"
	MissingDescription Code = "missing_description"
	MissingCanonical   Code = "missing_canonical"
	MissingLanguage    Code = "missing_hreflang"
	MissingText        Code = "missing_text"
	MissingPicture     Code = "missing_picture"
	WrongData          Code = "wrong_data"
	WrongPrice         Code = "wrong_price"
	Unlisted           Code = "unlisted"
	OverBudget         Code = "over_budget"
	SecondHost         Code = "second_host"
)

// isContent reports whether the merchant can solve a problem: a text or a picture is missing.
func (c Code) isContent() bool { return c == MissingText || c == MissingPicture }

// State is the severity of a problem.
type State string

// The severities.
const (
	Warning State = "warning" // the page works, but could sell more
	Failing State = "failing"
)

// Problem is something wrong with a page.
type Problem struct {
	Code    Code   `json:"code"`
	State   State  `json:"state"`
	Path    string `json:"path"` // of the page
	Message string `json:"message"`
}

// Report is the result of [Run].
type Report struct {
	Origin   string    `json:"origin"`
	Pages    int       `json:"pages"`    // requested
	Products int       `json:"products"` // published
	Complete bool      `json:"complete"` // all pages were requested
	Problems []Problem `json:"problems"` // the failing first
}

// Count returns the number of problems by severity.
func (r *Report) Count() (failing, warnings int) {
	for _, p := range r.Problems {
		if p.State == Failing {
			failing++
		}
	}
	return failing, len(r.Problems) - failing
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	r.Problems = slices.Compact(r.Problems)
}

// pageSize is the number of products that are read together.
const pageSize = page.MaxLimit
