package album

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"storefront/media"
	"storefront/provider"
)

// A redirect leads to no private address, though the host that sends it is allowed.
func TestImageFetcher_RedirectToPrivateAddress(t *testing.T) {
	t.Parallel()
	var visits atomic.Int64
	secret := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		visits.Add(1)
		_, _ = w.Write([]byte("GIF89a"))
	}))
	defer secret.Close()
	roots := x509.NewCertPool()
	roots.AddCert(secret.Certificate())
	client := provider.NewClient(provider.ClientConfig{RootCAs: roots})
	f := &Fetcher{timeout: time.Minute, do: func(r *http.Request) (*provider.Response, error) {
		if r.URL.Host == "images.example" {
			return &provider.Response{
				Status: http.StatusFound,
				Header: http.Header{"Location": {secret.URL}},
			}, nil
		}
		return client.Do(r)
	}}
	for _, address := range []string{"https://images.example/x", secret.URL} {
		_, err := f.fetch(t.Context(), address)
		if err == nil || !strings.Contains(err.Error(), "private or reserved address") {
			t.Errorf("%s: got %v, want the refusal of a private address", address, err)
		}
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("got %d visits of the private address, want none", n)
	}
}

// The download of an image is bounded in time and size, and neither redirects nor the end of the
// caller's context let it run on.
func TestImageFetcher_Bounds(t *testing.T) {
	t.Parallel()
	host := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			_, _ = w.Write([]byte("GIF89a"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/large":
			_, _ = w.Write(bytes.Repeat([]byte("GIF89a"), media.MaxBody/6+2))
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusMovedPermanently)
		case "/plain":
			http.Redirect(w, r, "http://"+r.Host+"/image", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("GIF89a"))
		}
	}))
	defer host.Close()
	roots := x509.NewCertPool()
	roots.AddCert(host.Certificate())
	client := provider.NewClient(
		provider.ClientConfig{
			RootCAs:      roots,
			AllowPrivate: true,
			MaxResponse:  media.MaxBody,
			Timeout:      time.Minute,
		},
	)
	slow := &Fetcher{do: client.Do, timeout: 300 * time.Millisecond}
	f := &Fetcher{do: client.Do, timeout: time.Minute}
	for path, want := range map[string]string{
		"/large": "larger than 12 MiB", "/loop": "redirects more than 5 times",
		"/plain": "must begin with https://", "/cut": "closed the connection",
	} {
		if _, err := f.fetch(t.Context(), host.URL+path); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	if _, err := slow.fetch(t.Context(), host.URL+"/slow"); err == nil ||
		!strings.Contains(err.Error(), "did not send the image in time") {
		t.Errorf("slow host: got %v, want its timeout", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.fetch(ended, host.URL+"/slow"); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: got %v, want its error", err)
	}
}
