package mail_test

import (
	"context"
	"errors"
	"mime"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"storefront/provider/mail"
	"storefront/provider/mail/mailtest"
	"storefront/shop/fault"
	"storefront/shop/sender"
)

const to = "ayesha@example.com"

var email = sender.Email{To: to, Subject: "Your code for Acme", Text: "Your code: 135790\n"}

// send sends an e-mail with a configuration of the server that change changes.
func send(t *testing.T, s *mailtest.Server, mailed sender.Email, change func(*mail.Config)) (string, error) {
	t.Helper()
	sender, err := mail.New(s.Config(t, change), "Acme", mail.Options{AllowPrivate: true, RootCAs: s.Roots})
	if err != nil {
		t.Fatal(err)
	}
	return sender.Send(t.Context(), mailed)
}

func TestSender_Send(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opts   *mailtest.Options
		change func(*mail.Config)
		user   string
	}{
		"starttls": {nil, nil, mailtest.Username},
		"tls":      {&mailtest.Options{ImplicitTLS: true}, func(c *mail.Config) { c.Security = mail.TLS }, mailtest.Username},
		"none": {&mailtest.Options{Plain: true}, func(c *mail.Config) {
			c.Security, c.Username, c.Password = mail.None, "", ""
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailtest.New(t, test.opts)
			id, err := send(t, s, email, test.change)
			if err != nil {
				t.Fatal(err)
			}
			m := s.Next(t, to)
			if m.From != "orders@shop.example" || m.Recipients != 1 || m.User != test.user || m.Encrypted != (name != "none") {
				t.Errorf("got e-mail from %s to %d by %q, encrypted %t", m.From, m.Recipients, m.User, m.Encrypted)
			}
			if m.Subject != email.Subject || m.Text != email.Text || m.Header.Get("Message-Id") != "<"+id+">" ||
				m.Header.Get("From") != `"Acme" <orders@shop.example>` || m.Header.Get("Auto-Submitted") != "auto-generated" {
				t.Errorf("got e-mail\n%s", m.Raw)
			}
		})
	}
}

// An e-mail with a page has the text as well, in the order in which programs prefer the page. Both
// arrive as they are, whatever lines they have.
func TestSender_HTML(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t, nil)
	mailed := sender.Email{
		To: to, Subject: "Order 1042", Text: "অর্ডার ১০৪২\n.\n--boundary\n",
		HTML: "<p>অর্ডার = ১০৪২</p>\n.\n<a href=\"https://shop.example/?a=1&amp;b=" + strings.Repeat("x", 1200) + "\">x</a>\n",
	}
	if _, err := send(t, s, mailed, nil); err != nil {
		t.Fatal(err)
	}
	m := s.Next(t, to)
	kind, _, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" || m.Text != mailed.Text || m.HTML != mailed.HTML {
		t.Errorf("got %s, %v, text %q and page %q\n%s", kind, err, m.Text, m.HTML, m.Raw)
	}
	for line := range strings.SplitSeq(m.Raw, "\r\n") {
		if len(line) > 998 {
			t.Errorf("got a line of %d bytes, which servers cut", len(line))
		}
	}
}

// Names, subjects and texts in any script arrive as they are, and no text adds a header or a
// recipient.
func TestSender_HostileText(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t, nil)
	hostile := sender.Email{
		To: to, Subject: "ঢাকা\r\nBcc: eve@example.com\r\n\r\nHello",
		Text: "বাংলা লেখা\n.\nBcc: eve@example.com\n\n.\r\nQUIT\r\n",
	}
	shopName := `Acme" <eve@example.com>, "ঢাকা` + "\nCc: eve@example.com"
	gateway, err := mail.New(s.Config(t, nil), shopName, mail.Options{AllowPrivate: true, RootCAs: s.Roots})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gateway.Send(t.Context(), hostile); err != nil {
		t.Fatal(err)
	}
	m := s.Next(t, to)
	if m.Recipients != 1 || m.Header.Get("Bcc") != "" || m.Header.Get("Cc") != "" {
		t.Errorf("got %d recipients and headers %v", m.Recipients, m.Header)
	}
	if want := "ঢাকা  Bcc: eve@example.com    Hello"; m.Subject != want {
		t.Errorf("got subject %q, want %q", m.Subject, want)
	}
	from, err := m.Header.AddressList("From")
	if err != nil || len(from) != 1 || from[0].Address != "orders@shop.example" || !strings.Contains(from[0].Name, "ঢাকা") {
		t.Errorf("got sender %v, %v", from, err)
	}
	if want := strings.ReplaceAll(hostile.Text, "\r\n", "\n"); strings.TrimSpace(m.Text) != strings.TrimSpace(want) {
		t.Errorf("got text %q, want %q", m.Text, want)
	}
	for _, address := range []string{"a@example.com\r\nRCPT TO:<eve@example.com>", "a@example.com>\nDATA"} {
		if _, err := gateway.Send(t.Context(), sender.Email{To: address, Subject: "x", Text: "x"}); !errors.Is(err, sender.ErrMailRefused) {
			t.Errorf("got %v for the recipient %q, want a refusal", err, address)
		}
	}
}

func TestSender_Refused(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t, nil)
	quoting := &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No mailbox " + to + " here, code 135790"}
	for name, test := range map[string]struct {
		server *mailtest.Server
		change func(*mail.Config)
		answer func()
		want   string
	}{
		"wrong password": {s, func(c *mail.Config) { c.Password = "hunter2 hunter2" }, nil, "535"},
		"no STARTTLS":    {mailtest.New(t, &mailtest.Options{Plain: true}), nil, nil, "STARTTLS"},
		"other host":     {s, func(c *mail.Config) { c.Host = "127.0.0.2" }, nil, "refused"},
		"recipient":      {mailtest.New(t, nil), nil, nil, "550"},
		"content":        {mailtest.New(t, nil), nil, nil, "554"},
	} {
		switch name {
		case "recipient":
			test.server.Answer(func(string) error { return quoting })
		case "content":
			test.server.AtEnd(func() error { return &smtp.SMTPError{Code: 554, Message: "Spam: 135790"} })
		}
		t.Run(name, func(t *testing.T) {
			_, err := send(t, test.server, email, test.change)
			if !errors.Is(err, sender.ErrMailRefused) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want a refusal with %q", err, test.want)
			}
			for _, secret := range []string{to, "135790", mailtest.Password, "hunter2"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("got error %v with %s", err, secret)
				}
			}
			if got := test.server.Unread(); len(got) != 0 {
				t.Errorf("got %d e-mails, want none", len(got))
			}
		})
	}
}

// A check signs in, and sends no e-mail.
func TestSender_Check(t *testing.T) {
	t.Parallel()
	server := mailtest.New(t, nil)
	for password, proved := range map[mail.Secret]bool{mailtest.Password: true, "wrong": false} {
		config := server.Config(t, func(cfg *mail.Config) { cfg.Password = password })
		mailer, err := mail.New(config, "Shop", mail.Options{AllowPrivate: true, RootCAs: server.Roots})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := mailer.Check(t.Context()); got != proved || (err == nil) != proved {
			t.Errorf("password %q: got %t (%v), want proved %t", string(password), got, err, proved)
		}
	}
	if sent := server.Unread(); len(sent) > 0 {
		t.Errorf("got e-mails %v, want none", sent)
	}
}

// A merchant reads what happened, without the texts of Go's network.
func TestSender_Unreached(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	_, err = send(t, mailtest.New(t, nil), email, func(c *mail.Config) { c.Port = port })
	if want := "it cannot be reached, try again in a few minutes"; sender.Reason(err) != want {
		t.Errorf("got reason %q, want %q", sender.Reason(err), want)
	}
}

// Without the response to the end of an e-mail, it may have been accepted.
func TestSender_Unknown(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t, nil)
	proxy := newCutter(t, s)
	_, err := send(t, s, email, func(c *mail.Config) { c.Port = proxy })
	if !errors.Is(err, sender.ErrMailUnknown) {
		t.Errorf("got %v, want an unknown outcome", err)
	}
}

// newCutter returns the port of a server without TLS that closes the connection after the end of an
// e-mail.
func newCutter(t *testing.T, s *mailtest.Server) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				server, err := net.Dial("tcp", net.JoinHostPort(s.Host, portText(s.Port)))
				if err != nil {
					return
				}
				defer server.Close()
				s.AtEnd(func() error { // the response never reaches the client
					client.Close()
					return nil
				})
				go copyAll(server, client)
				copyAll(client, server)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// A mail server at a private address is not connected to, unless the operator allows it.
func TestSender_PrivateAddress(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t, nil)
	for _, host := range []string{"127.0.0.1", "localhost"} {
		gateway, err := mail.New(s.Config(t, func(c *mail.Config) { c.Host = host }), "Acme", mail.Options{RootCAs: s.Roots})
		if err != nil {
			t.Fatal(err)
		}
		_, err = gateway.Send(context.Background(), email)
		if !errors.Is(err, sender.ErrMailRefused) || !strings.Contains(err.Error(), "private and reserved addresses are not allowed") {
			t.Errorf("%s: got %v, want a refusal", host, err)
		}
	}
}

func TestParseConfig_Invalid(t *testing.T) {
	t.Parallel()
	for config, field := range map[string]string{
		`{"from":"a@shop.example"}`:                                                                                 "host",
		`{"host":"unix:///run/mail","from":"a@shop.example"}`:                                                       "host",
		`{"host":"mail.example.com:25","from":"a@shop.example"}`:                                                    "host",
		`{"host":"mail.example.com","from":"a"}`:                                                                    "from",
		`{"host":"mail.example.com","from":"A <a@shop.example>"}`:                                                   "from",
		`{"host":"mail.example.com","from":"a@shop.example","security":"ssl"}`:                                      "security",
		`{"host":"mail.example.com","from":"a@shop.example","port":70000}`:                                          "port",
		`{"host":"mail.example.com","from":"a@shop.example","username":"u"}`:                                        "password",
		`{"host":"mail.example.com","from":"a@shop.example","security":"none","username":"u","password":"hunter2"}`: "security",
		`{"host":"mail.example.com","from":"a@shop.example","fromName":"A\r\nBcc: b@example.com"}`:                  "fromName",
		`{"host":"mail.example.com","from":"a@shop.example","replyTo":"a@b.example\r\nX: y"}`:                       "replyTo",
	} {
		_, err := mail.ParseConfig([]byte(config))
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || len(e.Fields) == 0 || e.Fields[0].Field != field || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want an error of %s", config, err, field)
		}
	}
	if _, err := mail.ParseConfig([]byte(`{"host":"mail.example.com","from":"a@shop.example","x":1}`)); err == nil {
		t.Error("got no error for an unknown member")
	}
}
