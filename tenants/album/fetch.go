package album

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"storefront/media"
	"storefront/provider"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
)

const (
	// imageFetchTimeout limits the download of an image of another host, redirects included.
	imageFetchTimeout = 20 * time.Second
	// maxImageRedirects limits the redirects that are followed to an image.
	maxImageRedirects = 5
)

// Fetcher downloads images from other hosts. Their addresses and content are untrusted. Its
// client connects to no private address unless the operator allows it, even after a redirect.
type Fetcher struct {
	do      func(*http.Request) (*provider.Response, error)
	timeout time.Duration
}

// NewFetcher returns the fetcher of all shops.
func NewFetcher(allowPrivate bool) *Fetcher {
	client := provider.NewClient(
		provider.ClientConfig{
			AllowPrivate: allowPrivate,
			Timeout:      imageFetchTimeout,
			MaxResponse:  media.MaxBody,
		},
	)
	return &Fetcher{do: client.Do, timeout: imageFetchTimeout}
}

// Fetch implements [catalogue.MediaFiles].
func (m *Uploads) Fetch(ctx context.Context, address string) (*catalogue.MediaUpload, error) {
	return m.fetcher.fetch(ctx, address)
}

// fetch downloads an image. Codes: image_invalid.
func (f *Fetcher) fetch(ctx context.Context, address string) (*catalogue.MediaUpload, error) {
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	for range 1 + maxImageRedirects {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
			return nil, errFetch(
				"The address of the image must begin with https:// and have no password.",
			)
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return nil, errFetch("The address of the image is invalid.")
		}
		req.Header.Set("Accept", "image/jpeg,image/png,image/webp,image/gif")
		resp, err := f.do(req)
		if caller.Err() != nil {
			return nil, caller.Err()
		}
		if err == nil {
			err = ctx.Err() // a host can end its response well because it sees the connection close
		}
		if err != nil {
			return nil, fetchError(u.Host, err)
		}
		switch location := resp.Header.Get("Location"); {
		case resp.Status >= 300 && resp.Status < 400 && location != "":
			next, err := u.Parse(location)
			if err != nil {
				return nil, errFetch("%s redirects to an invalid address.", u.Host)
			}
			address = next.String()
			continue
		case resp.Status != http.StatusOK:
			return nil, errFetch("%s responded with status %d.", u.Host, resp.Status)
		}
		kind := media.TypeOf(resp.Body) // hosts often send a wrong one, which an upload must not
		if kind == "" {
			return nil, errFetch(
				"%s sent a file that is not a JPEG, PNG, WebP or GIF image.",
				u.Host,
			)
		}
		return &catalogue.MediaUpload{ContentType: kind, Body: resp.Body}, nil
	}
	return nil, errFetch(
		"The address of the image redirects more than %d times.",
		maxImageRedirects,
	)
}

func errFetch(format string, args ...any) error {
	return fault.Errorf(fault.CodeImageInvalid, format, args...)
}

// fetchError is the error of a request to a host that has not responded.
func fetchError(host string, err error) error {
	message := host + " could not be reached."
	switch {
	case errors.Is(err, provider.ErrAddressNotAllowed):
		message = host + " is at a private or reserved address, which is not allowed."
	case errors.Is(err, context.DeadlineExceeded):
		message = host + " did not send the image in time."
	case errors.Is(err, provider.ErrTooLarge):
		message = host + " sent a file that is larger than 12 MiB."
	case errors.Is(err, provider.ErrBroken):
		message = host + " closed the connection before the image was complete."
	}
	return &fault.Error{Code: fault.CodeImageInvalid, Message: message, Err: err}
}
