package mail

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	netmail "net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"storefront/provider"
	"storefront/shop/sender"
)

// timeout limits the connection, and the e-mail on it, each.
const timeout = 15 * time.Second

// maxReason is the maximum length of a mail server's error message in an error, in characters.
const maxReason = 200

// Options are the operator's settings for the mail servers of all shops.
type Options struct {
	AllowPrivate bool           // allow connections to private and loopback addresses
	RootCAs      *x509.CertPool // nil means the system's roots
}

// Sender sends e-mails through the mail server of one Config. It is safe for concurrent use.
type Sender struct {
	cfg    Config
	dialer *net.Dialer
	tls    *tls.Config
}

// New returns a Sender for a configuration in its JSON form. shopName is the sender's name unless
// the configuration has one. Errors: the same as of [ParseConfig].
func New(config []byte, shopName string, opts Options) (*Sender, error) {
	cfg, err := ParseConfig(config)
	if err != nil {
		return nil, err
	}
	if cfg.FromName == "" {
		cfg.FromName = shopName
	}
	return &Sender{
		cfg: cfg, dialer: provider.NewDialer(opts.AllowPrivate),
		tls: &tls.Config{MinVersion: tls.VersionTLS12, ServerName: cfg.Host, RootCAs: opts.RootCAs},
	}, nil
}

// Send implements [sender.Mailer]. The e-mail was sent if the server accepted it, even if the
// connection fails afterwards. The outcome is unknown if the server did not respond to the end of
// the e-mail.
func (s *Sender) Send(ctx context.Context, mail sender.Email) (messageID string, err error) {
	message, messageID, err := s.message(mail)
	if err != nil {
		return "", fmt.Errorf("%w: %w", sender.ErrMailRefused, err)
	}
	client, err := s.client()
	if err != nil {
		return "", fmt.Errorf("%w: %w", sender.ErrMailRefused, err)
	}
	err = client.DialAndSendWithContext(ctx, message)
	if err == nil || message.IsDelivered() {
		return messageID, nil
	}
	kind := sender.ErrMailRefused
	failure, isSend := errors.AsType[*gomail.SendError](err)
	if isSend && failure.Reason == gomail.ErrSMTPDataClose && failure.ErrorCode() == 0 {
		kind = sender.ErrMailUnknown
	}
	return "", fmt.Errorf("%w: %w", kind, s.failure(err, mail))
}

// Check implements [sender.Checker]: it connects and signs in.
func (s *Sender) Check(ctx context.Context) (proved bool, err error) {
	client, err := s.client()
	if err == nil {
		if err = client.DialWithContext(ctx); err == nil {
			_ = client.Close() // the server has accepted the account
			return true, nil
		}
	}
	return false, fmt.Errorf("%w: %w", sender.ErrMailRefused, s.failure(err, sender.Email{}))
}

// unreached is the error of a mail server that did not respond. It implements [plugin.Unreached].
type unreached struct{ text, reason string }

func (e *unreached) Error() string  { return e.text }
func (e *unreached) Reason() string { return e.reason }

// smtpReply matches a mail server's own words.
var smtpReply = regexp.MustCompile(`\b[45][0-9]{2}[ -].*`)

// failure returns the error of an e-mail that was not sent, with the server's own words if there
// are any.
func (s *Sender) failure(err error, mail sender.Email) error {
	text := s.redact(err, mail)
	if words := smtpReply.FindString(text); words != "" {
		words, _, _ = strings.Cut(words, ", affected recipient")
		return errors.New(words)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return errors.New("its certificate is invalid, or belongs to a server with another name")
	}
	_, isNetwork := errors.AsType[net.Error](err)
	if isNetwork || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) {
		return &unreached{text, (&provider.Error{Err: err}).Reason()}
	}
	return errors.New(strings.TrimPrefix(text, "dial failed: "))
}

// message builds the e-mail. External text is in the subject, the body and the names only. It is
// encoded without control characters, so that it cannot add headers or recipients.
func (s *Sender) message(mail sender.Email) (message *gomail.Msg, messageID string, err error) {
	message = gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8), gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(&netmail.Address{Name: oneLine(s.cfg.FromName), Address: s.cfg.From})
	if err := message.EnvelopeFrom(s.cfg.From); err != nil {
		return nil, "", errors.New("the sender's address is invalid")
	}
	if hasControl(mail.To) {
		return nil, "", errors.New("the recipient's address is invalid")
	}
	if err := message.To(mail.To); err != nil {
		return nil, "", errors.New("the recipient's address is invalid")
	}
	if s.cfg.ReplyTo != "" {
		if err := message.ReplyTo(s.cfg.ReplyTo); err != nil {
			return nil, "", errors.New("the address for replies is invalid")
		}
	}
	messageID = rand.Text() + "@" + domainOf(s.cfg.From)
	message.SetMessageIDWithValue(messageID)
	message.SetDate()
	message.SetGenHeader("Auto-Submitted", "auto-generated") // no vacation notices
	message.Subject(oneLine(mail.Subject))
	message.SetBodyString(gomail.TypeTextPlain, mail.Text)
	if mail.HTML != "" {
		message.AddAlternativeString(gomail.TypeTextHTML, mail.HTML) // the last is preferred
	}
	return message, messageID, nil
}

func (s *Sender) client() (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.cfg.Port), gomail.WithTimeout(timeout), gomail.WithTLSConfig(s.tls),
		gomail.WithHELO(domainOf(s.cfg.From)), gomail.WithDialContextFunc(s.dial), gomail.WithTLSPolicy(gomail.NoTLS),
	}
	if s.cfg.Security == StartTLS {
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.cfg.Username != "" {
		options = append(options, gomail.WithUsername(s.cfg.Username), gomail.WithPassword(string(s.cfg.Password)),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return gomail.NewClient(s.cfg.Host, options...)
}

// dial connects to the mail server, with TLS if the server expects it from the first byte.
func (s *Sender) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if s.cfg.Security == TLS {
		return (&tls.Dialer{NetDialer: s.dialer, Config: s.tls}).DialContext(ctx, network, address)
	}
	return s.dialer.DialContext(ctx, network, address)
}

// oneLine replaces control characters, such as line breaks, by spaces.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
}

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

// digitRun matches possible codes.
var digitRun = regexp.MustCompile(`[0-9]{6,}`)

// redact returns the error's text in one line, without credentials, recipient and codes, which
// servers may quote.
func (s *Sender) redact(err error, mail sender.Email) string {
	reason := oneLine(err.Error())
	local, _, _ := strings.Cut(mail.To, "@")
	for _, text := range []string{mail.To, mail.Text, local + "@", string(s.cfg.Password), s.cfg.Username} {
		if text != "" {
			reason = strings.ReplaceAll(reason, text, redacted)
		}
	}
	reason = digitRun.ReplaceAllStringFunc(reason, func(run string) string {
		if strings.Contains(mail.Text, run) {
			return redacted
		}
		return run
	})
	if runes := []rune(reason); len(runes) > maxReason {
		reason = string(runes[:maxReason]) + "…"
	}
	return reason
}
