// Package mailtest runs a mail server for tests.
package mailtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	provider "storefront/provider/mail"
	"storefront/shop/sender"
)

// The credentials that the server accepts.
const (
	Username = "orders"
	Password = "s3cret password"
)

// patience limits how long a test waits for an e-mail, which may be sent after the response.
const patience = 20 * time.Second

// Message is an e-mail that the server received.
type Message struct {
	From, To   string // of the envelope
	Recipients int
	User       string // the authenticated user; "" means nobody
	Encrypted  bool
	Header     mail.Header
	Subject    string // decoded
	Text       string // decoded
	HTML       string // decoded, of the other part; "" if there is none
	Raw        string
}

// Server is a mail server on this machine. It requires TLS and a password unless it was started
// with [Options]. It is safe for concurrent use.
type Server struct {
	Host  string
	Port  int
	Roots *x509.CertPool // that verify its certificate

	mu       sync.Mutex
	arrived  chan struct{} // closed when a message arrives
	messages []Message     // that Next has not returned
	answer   func(to string) error
	atEnd    func() error
}

// Options configures a [Server].
type Options struct {
	ImplicitTLS bool // TLS from the first byte instead of STARTTLS
	Plain       bool // neither TLS nor authentication
}

// New starts a server, which stops at the end of the test. opts may be nil.
func New(tb testing.TB, opts *Options) *Server {
	tb.Helper()
	if opts == nil {
		opts = &Options{}
	}
	certificate, roots := newCertificate(tb)
	s := &Server{Host: "127.0.0.1", Roots: roots, arrived: make(chan struct{})}
	server := smtp.NewServer(s)
	server.Domain, server.ReadTimeout, server.WriteTimeout = "mail.example.com", patience, patience
	server.ErrorLog = quiet{}
	listener, err := net.Listen("tcp", s.Host+":0")
	if err != nil {
		tb.Fatal(err)
	}
	s.Port = listener.Addr().(*net.TCPAddr).Port
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	switch {
	case opts.ImplicitTLS:
		listener = tls.NewListener(listener, config)
	case !opts.Plain:
		server.TLSConfig = config
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // returns after Close
	}()
	tb.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // Close has no effect on it before Serve
		<-done
	})
	return s
}

type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (quiet) Println(...any) {}

// Config returns a configuration of this server in its JSON form, changed by change, which may be
// nil.
func (s *Server) Config(tb testing.TB, change func(*provider.Config)) []byte {
	tb.Helper()
	cfg := provider.Config{Host: s.Host, Port: s.Port, Username: Username, Password: Password, From: "orders@shop.example"}
	if change != nil {
		change(&cfg)
	}
	config, err := json.Marshal(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return config
}

// NewMail returns an sender.NewMail of shops that send through this server, with any
// configuration.
func (s *Server) NewMail(tb testing.TB) sender.NewMail {
	config := s.Config(tb, nil)
	return func(_ []byte, shopName string) (sender.Mailer, error) {
		return provider.New(config, shopName, provider.Options{AllowPrivate: true, RootCAs: s.Roots})
	}
}

// Answer sets the function that decides the response to a recipient; nil accepts all.
func (s *Server) Answer(fn func(to string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// AtEnd sets the function that decides the response to the end of an e-mail; nil accepts all.
func (s *Server) AtEnd(fn func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.atEnd = fn
}

// Next waits for the next e-mail to an address and returns it, each one once.
func (s *Server) Next(tb testing.TB, to string) Message {
	tb.Helper()
	timeout := time.After(patience)
	for {
		s.mu.Lock()
		arrived := s.arrived
		i := slices.IndexFunc(s.messages, func(m Message) bool { return m.To == to })
		if i >= 0 {
			m := s.messages[i]
			s.messages = slices.Delete(s.messages, i, i+1)
			s.mu.Unlock()
			return m
		}
		s.mu.Unlock()
		select {
		case <-arrived:
		case <-timeout:
			tb.Fatalf("no e-mail to %s arrived", to)
		}
	}
}

var codePattern = regexp.MustCompile(`\b[0-9]{6}\b`)

// Code waits for the next e-mail to an address and returns the code in it.
func (s *Server) Code(tb testing.TB, to string) string {
	tb.Helper()
	m := s.Next(tb, to)
	code := codePattern.FindString(m.Text)
	if code == "" {
		tb.Fatalf("no code in the e-mail %q", m.Text)
	}
	return code
}

// Unread returns the e-mails that Next has not returned.
func (s *Server) Unread() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// NewSession implements [smtp.Backend].
func (s *Server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &session{server: s, conn: c}, nil
}

type session struct {
	server *Server
	conn   *smtp.Conn
	m      Message
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != Username || password != Password {
			return smtp.ErrAuthFailed
		}
		s.m.User = username
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.m.From, s.m.To, s.m.Recipients = from, "", 0
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	answer := s.server.answer
	s.server.mu.Unlock()
	s.m.To = to
	s.m.Recipients++
	if answer != nil {
		return answer(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m := s.m
	_, m.Encrypted = s.conn.TLSConnectionState()
	if err := m.parse(raw); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.atEnd != nil {
		if err := s.server.atEnd(); err != nil {
			return err
		}
	}
	s.server.messages = append(s.server.messages, m)
	close(s.server.arrived)
	s.server.arrived = make(chan struct{})
	return nil
}

func (s *session) Reset() {}

func (s *session) Logout() error { return nil }

func (m *Message) parse(raw []byte) error {
	m.Raw = string(raw)
	parsed, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	m.Header = parsed.Header
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if kind != "multipart/alternative" {
		m.Text, err = decode(parsed.Body, parsed.Header.Get("Content-Transfer-Encoding"))
		return err
	}
	parts := multipart.NewReader(parsed.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := decode(part, part.Header.Get("Content-Transfer-Encoding"))
		if err != nil {
			return err
		}
		switch kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type")); {
		case err != nil:
			return err
		case kind == "text/plain" && m.Text == "" && m.HTML == "": // the first
			m.Text = content
		case kind == "text/html" && m.HTML == "":
			m.HTML = content
		default:
			return fmt.Errorf("unexpected part of type %s", kind)
		}
	}
}

// decode returns a body in UTF-8 with line feeds.
func decode(body io.Reader, encoding string) (string, error) {
	if strings.EqualFold(encoding, "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	return strings.ReplaceAll(string(text), "\r\n", "\n"), err
}

// newCertificate returns a certificate of this machine, and the roots that verify it.
func newCertificate(tb testing.TB) (tls.Certificate, *x509.CertPool) {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		tb.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(certificate)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}
