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

// The limits of a call that sets none.
const (
	DefaultTimeout     = 10 * time.Second
	DefaultMaxResponse = 1 << 20
)

const maxResponseHeader = 64 << 10

// defaultUserAgent is sent where an adapter names no other: some hosts refuse the library's own.
const defaultUserAgent = "storefront"

// ClientConfig says how a Client calls. The zero value is right for the public internet.
type ClientConfig struct {
	Timeout     time.Duration // of a whole call, from the name's look-up to the last byte; 0: DefaultTimeout
	MaxResponse int64         // bytes of an answer's body, after decompression; 0: DefaultMaxResponse
	// AllowPrivate lets calls go to private, loopback, link-local and other reserved addresses: for
	// the simulator and for an operator whose providers are there.
	AllowPrivate bool
	Resolver     *net.Resolver  // nil: the system's
	RootCAs      *x509.CertPool // nil: the system's
}

// Client makes single HTTP calls to providers. It follows no redirect, keeps no cookie, asks no
// proxy, and never repeats a request. It is safe for concurrent use.
type Client struct {
	transport   *http.Transport
	timeout     time.Duration
	maxResponse int64
}

// Response is an answer, read whole.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// NewClient makes a Client.
func NewClient(cfg ClientConfig) *Client {
	dialer := &net.Dialer{Resolver: cfg.Resolver}
	if !cfg.AllowPrivate {
		dialer.Control = rejectReserved
	}
	c := &Client{timeout: cfg.Timeout, maxResponse: cfg.MaxResponse}
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
		// A kept connection that turns out closed makes the transport send a GET again, and a
		// message or a payment may then happen twice. A handshake per call is the lesser price.
		DisableKeepAlives: true,
	}
	return c
}

// Do sends req and reads the answer, whatever its status: a redirect is an answer too. The context
// of req may shorten the client's deadline. Any error is an [*Error].
func (c *Client) Do(req *http.Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), c.timeout)
	defer cancel()
	var p progress
	ctx = httptrace.WithClientTrace(ctx, p.trace())
	req = req.Clone(ctx)
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", defaultUserAgent)
	}
	answer, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, newError(ctx, req, &p, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.maxResponse+1))
	if err == nil && int64(len(body)) > c.maxResponse {
		err = ErrTooLarge
	}
	if err != nil {
		p.written.Store(true) // who answers has been asked
		return nil, newError(ctx, req, &p, err)
	}
	return &Response{Status: answer.StatusCode, Header: answer.Header, Body: body}, nil
}

// progress is how far a call has come.
type progress struct {
	connected atomic.Bool // TLS included
	written   atomic.Bool // the whole request was handed to the connection
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
