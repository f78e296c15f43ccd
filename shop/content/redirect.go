package content

import (
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// MaxRedirects is the maximum number of redirects of a shop.
const MaxRedirects = 10_000

// maxAddress is the maximum length of an address, in bytes.
const maxAddress = 2000

// Redirect leads visitors of an address without a page to another one.
type Redirect struct {
	From string `json:"from" doc:"A path of this site, with its query if it has one: /product-page/tea or /index.php?id=7" example:"/product-page/tea"`
	To   string `json:"to" doc:"A path of this site, or the URL of another one" example:"/products/tea"`
}

// Content is what staff members write for the site of one shop. It is safe for concurrent use.
// Create one with [New].
type Content struct {
	data    access.Data
	domains func(context.Context) ([]string, error)
}

// New returns the content of the shop in data, which has these domains. It reads nothing.
func New(data access.Data, domains func(context.Context) ([]string, error)) *Content {
	return &Content{data, domains}
}

// RedirectFilter selects redirects. The zero value is the first page of all.
type RedirectFilter struct {
	page.Request
	Search string `query:"search" doc:"The beginning of an address that is redirected"`
}

// ListRedirects returns one page of the redirects, by the address that is redirected. Codes:
// validation_failed, unauthenticated, forbidden.
func (c *Content) ListRedirects(ctx context.Context, caller access.Caller, filter RedirectFilter) (*page.List[Redirect], error) {
	return access.ReadMany(ctx, c.data, caller, access.ToListRedirects,
		func(tx *db.Tx, _ access.Staff) (*page.List[Redirect], error) {
			var bad fault.Invalid
			w := filter.Window(&bad)
			if err := bad.Err(); err != nil {
				return nil, err
			}
			count, err := countRedirects(tx, filter.Search)
			if err != nil {
				return nil, err
			}
			found, err := findRedirects(tx, filter.Search, w)
			if err != nil {
				return nil, err
			}
			return &page.List[Redirect]{Nodes: found, Meta: w.ListMetaFor(count, len(found))}, nil
		})
}

// SaveRedirect creates a redirect, or changes its target. It returns the redirect as stored. Codes:
// validation_failed, state_conflict, unauthenticated, forbidden.
func (c *Content) SaveRedirect(ctx context.Context, caller access.Caller, in Redirect) (*Redirect, error) {
	domains, err := c.domains(ctx)
	if err != nil {
		return nil, err
	}
	return access.Write(ctx, c.data, caller, access.ToSaveRedirect, func(tx *db.Tx, who access.Staff) (*Redirect, error) {
		var bad fault.Invalid
		saved := in.check("", domains, &bad)
		if err := bad.Err(); err != nil {
			return nil, err
		}
		saving := &saving{tx: tx}
		if err := saving.save(saved); err != nil {
			return nil, err
		}
		if err := saving.finish([]string{""}, []Redirect{saved}); err != nil {
			return nil, err
		}
		return &saved, who.Audit(tx, saved.subject(), access.Changed("to", saving.before, saved.To)...)
	})
}

// DeleteRedirect removes the redirect from an address. Codes: not_found, unauthenticated,
// forbidden.
func (c *Content) DeleteRedirect(ctx context.Context, caller access.Caller, from string) error {
	return access.Do(ctx, c.data, caller, access.ToDeleteRedirect, func(tx *db.Tx, who access.Staff) error {
		old := Redirect{From: from}
		if at, err := url.Parse(strings.TrimSpace(from)); err == nil {
			old.From = sourceOf(at)
		}
		to, err := findRedirect(tx, old.From)
		if errors.Is(err, db.ErrNotFound) {
			return &fault.Error{Code: fault.CodeNotFound, Message: "No redirect leads from " + old.From + "."}
		}
		if err == nil {
			err = deleteRedirect(tx, old.From)
		}
		if err != nil {
			return err
		}
		return who.Audit(tx, old.subject(), access.Changed("to", to, "")...)
	})
}

// FindRedirect returns where visitors of an address without a page are sent. ok is false if they
// are not. A redirect from the path with its query comes before one from the path alone.
func (c *Content) FindRedirect(ctx context.Context, at *url.URL) (to string, ok bool, err error) {
	if !isAddress(at.Path) { // it cannot be stored
		return "", false, nil
	}
	err = c.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		to, err = findRedirectAt(tx, at)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return "", false, nil
	}
	return to, err == nil, err
}

// findRedirectAt returns the target of the redirect from an address, or else from its path alone.
// The error is db.ErrNotFound if there is neither.
func findRedirectAt(tx *db.Tx, at *url.URL) (to string, err error) {
	to, err = findRedirect(tx, sourceOf(at))
	if errors.Is(err, db.ErrNotFound) && at.RawQuery != "" {
		to, err = findRedirect(tx, pathOf(at))
	}
	return to, err
}

// pathOf returns the form in which a path is stored and found: as browsers request it, and without
// a slash at the end. People can read it: only what would end it is encoded.
func pathOf(at *url.URL) string {
	var text strings.Builder
	for _, r := range path.Clean("/" + at.Path) {
		if strings.ContainsRune("%?#", r) || unicode.IsSpace(r) {
			text.WriteString(url.PathEscape(string(r)))
		} else {
			text.WriteRune(r)
		}
	}
	return text.String()
}

// sourceOf returns the form in which an address is stored and found: without a host or a fragment,
// and with the parameters in order.
func sourceOf(at *url.URL) string {
	source := pathOf(at)
	if query := at.Query().Encode(); query != "" {
		source += "?" + query
	}
	return source
}

// check returns a redirect as it is stored: a target at one of the shop's domains is a path.
// Problems are added to bad, for fields below this path.
func (r Redirect) check(path string, domains []string, bad *fault.Invalid) Redirect {
	from, err := url.Parse(strings.TrimSpace(r.From))
	switch {
	case err != nil || !isAddress(r.From) || !isAddress(from.Path) ||
		!strings.HasPrefix(from.Path, "/") || strings.HasPrefix(from.Path, "//"):
		bad.Add(path+"from", fault.CodeInvalidValue, "Must be a path such as /product-page/tea, at most %d bytes long.", maxAddress)
		return r
	case pathOf(from) == "/":
		bad.Add(path+"from", fault.CodeInvalidValue, "Must not be the home page, which always exists.")
	}
	saved := Redirect{From: sourceOf(from), To: strings.TrimSpace(r.To)}
	to, err := url.Parse(saved.To)
	if err != nil || !isAddress(r.To) || !isTarget(to) {
		bad.Add(path+"to", fault.CodeInvalidValue,
			"Must be a path such as /products/tea, or an https URL, at most %d bytes long.", maxAddress)
		return r
	}
	if to = within(domains, to); to.Host == "" && slices.Contains([]string{sourceOf(to), pathOf(to)}, saved.From) {
		bad.Add(path+"to", fault.CodeInvalidValue, "Must be another address than from.")
	}
	saved.To = to.String()
	return saved
}

// within returns an address at one of the shop's domains as a path, and any other unchanged.
func within(domains []string, to *url.URL) *url.URL {
	if !slices.Contains(domains, strings.ToLower(strings.TrimSuffix(to.Host, "."))) {
		return to
	}
	return &url.URL{Path: "/" + strings.TrimLeft(to.Path, "/"), RawQuery: to.RawQuery, Fragment: to.Fragment}
}

// isTarget reports whether visitors can be sent to an address: one without a host is a path of this
// site, which //example.com is not.
func isTarget(to *url.URL) bool {
	if to.Scheme == "http" || to.Scheme == "https" {
		return to.Host != "" && to.User == nil
	}
	return to.Scheme == "" && to.Host == "" && strings.HasPrefix(to.Path, "/") && !strings.HasPrefix(to.Path, "//")
}

func isAddress(text string) bool {
	return len(text) <= maxAddress && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\\' })
}

func (r Redirect) subject() access.Subject {
	return access.Subject{Kind: access.SubjectRedirect, ID: r.From, Label: r.From}
}

// saving is a transaction that saves redirects.
type saving struct {
	tx                        *db.Tx
	before                    string // the previous target of the last one; "" means none
	created, changed, present int
}

func (s *saving) save(r Redirect) (err error) {
	s.before, err = findRedirect(s.tx, r.From)
	switch {
	case errors.Is(err, db.ErrNotFound):
		s.created++
	case err != nil:
		return err
	case s.before == r.To:
		s.present++
		return nil
	default:
		s.changed++
	}
	return saveRedirect(s.tx, r)
}

// finish checks the number of all redirects, and that the target of no saved one is redirected
// itself. Redirects therefore never lead in a circle: the one saved last would have been refused.
// paths begin the fields of each one.
func (s *saving) finish(paths []string, saved []Redirect) error {
	var bad fault.Invalid
	for i, r := range saved {
		to, err := url.Parse(r.To)
		if err != nil {
			return err
		}
		if to.Host != "" {
			continue
		}
		further, err := findRedirectAt(s.tx, to)
		switch {
		case errors.Is(err, db.ErrNotFound):
		case err != nil:
			return err
		default:
			bad.Add(paths[i]+"to", fault.CodeInvalidValue, "This address is redirected itself. Enter %s.", further)
		}
	}
	if err := bad.Err(); err != nil {
		return err
	}
	count, err := countRedirects(s.tx, "")
	if err == nil && count.Total > MaxRedirects {
		err = &fault.Error{
			Code: fault.CodeStateConflict, Message: "A shop has at most " + strconv.Itoa(MaxRedirects) + " redirects. Delete some first.",
		}
	}
	return err
}
