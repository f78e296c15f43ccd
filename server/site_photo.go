package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"storefront/transport"
)

const (
	// maxPhotoForm is the largest form with a photo of a buyer, in bytes.
	maxPhotoForm = maxImage + 64<<10
	// photoTime is the time that a phone on a slow connection has to send a photo.
	photoTime = 2 * time.Minute
	// photoWork is the work on a photo, for the limits of clients and shops.
	photoWork = 20
)

// readPhoto reads the body of a form with a photo. Codes: rate_limited, too_large, malformed,
// unavailable.
func (x *exchange) readPhoto(r *http.Request) error {
	if err := x.Charge(photoWork); err != nil {
		return err
	}
	// A response that is not on a connection has no deadlines.
	control, limit := http.NewResponseController(x.ResponseWriter), x.server.cfg.RequestTimeout
	_ = control.SetReadDeadline(time.Now().Add(photoTime))
	_ = control.SetWriteDeadline(time.Now().Add(photoTime + limit + writeTimeout))
	hold := x.MemoryHold()
	body, err := transport.ReadBody(r.Body, r.ContentLength, maxPhotoForm, hold)
	if err == nil {
		err = hold.Add(int64(len(body))) // the page has a copy of the photo
	}
	if err != nil {
		return err
	}
	x.deadline.extend(time.Now().Add(limit))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// acquirePhoto waits until no other photo of the shop's buyers is being processed. Codes:
// rate_limited.
func (x *exchange) acquirePhoto(ctx context.Context) (release func(), err error) {
	if x.server.limits == nil {
		return func() {}, nil
	}
	return x.acquire(ctx, &x.server.limits.photos, x.shop.UID())
}
