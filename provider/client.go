package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// Limits of a [Client] whose configuration does not set them.
const (
	DefaultTimeout     = 10 * time.Second
	DefaultMaxResponse = 1 << 20
)

const maxResponseHeader = 64 << 10

// defaultUserAgent is sent unless an adapter sets another. Some hosts reject Go's default.
const defaultUserAgent = "storefront"

// ClientConfig configures a [Client]. The zero value suits providers on the public internet.
type ClientConfig struct {
	Timeout     time.Duration // whole call, from name resolution to the last byte; 0 means DefaultTimeout
	MaxResponse int64         // bytes of a response body after decompression; 0 means DefaultMaxResponse
	CutResponse bool          // a longer body is cut there instead of refused
	// AllowPrivate permits calls to private, loopback, link-local and other reserved addresses. It
	// is for the simulator and for operators who host a provider there.
	AllowPrivate bool
	Resolver     *net.Resolver  // nil means the system's resolver
	RootCAs      *x509.CertPool // nil means the system's roots
}

// Client sends HTTP requests to providers. It does not follow redirects, store cookies, use proxies
// or retry. It is safe for concurrent use.
type Client struct {
	transport   *http.Transport
	timeout     time.Duration
	maxResponse int64
	cutResponse bool
}

// Response is a complete HTTP response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // without a byte order mark
}

// NewClient returns a [Client] configured by cfg.
func NewClient(cfg ClientConfig) *Client {
	dialer := NewDialer(cfg.AllowPrivate)
	dialer.Resolver = cfg.Resolver
	c := &Client{timeout: cfg.Timeout, maxResponse: cfg.MaxResponse, cutResponse: cfg.CutResponse}
	if c.timeout == 0 {
		c.timeout = DefaultTimeout
	}
	if c.maxResponse == 0 {
		c.maxResponse = DefaultMaxResponse
	}
	c.transport = &http.Transport{
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.RootCAs},
		MaxResponseHeaderBytes: maxResponseHeader,
		// When a kept-alive connection turns out to be closed, the transport resends a GET, which
		// could send a message or a payment twice. A handshake per call costs less.
		DisableKeepAlives: true,
	}
	return c
}

// Do sends req once and returns the response with any status, redirects included. The context of
// req can only shorten the client's timeout. All errors are of type [*Error].
func (c *Client) Do(req *http.Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), c.timeout)
	defer cancel()
	var p progress
	ctx = httptrace.WithClientTrace(ctx, p.trace())
	req = req.Clone(ctx)
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", defaultUserAgent)
	}
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, newError(ctx, req, &p, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.maxResponse+1))
	if int64(len(body)) > c.maxResponse {
		if body = body[:c.maxResponse]; c.cutResponse {
			err = nil
		} else if err == nil {
			err = ErrTooLarge
		}
	}
	if err != nil {
		p.written.Store(true) // a response implies that the request arrived
		return nil, newError(ctx, req, &p, err)
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: TrimBOM(body)}, nil
}

// progress records the progress of a call.
type progress struct {
	connected atomic.Bool // including TLS
	written   atomic.Bool // the whole request was written to the connection
}

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { p.connected.Store(true) },
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				p.written.Store(true)
			}
		},
	}
}
