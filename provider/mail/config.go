package mail

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"storefront/shop/fault"
	"storefront/shop/input"
)

// Config describes a shop's mail server and the sender of its e-mails.
type Config struct {
	Host     string   `json:"host"`               // name or IP address of the mail server
	Port     int      `json:"port,omitempty"`     // 0 means 587 with starttls, 465 with tls, 25 with none
	Security Security `json:"security,omitempty"` // "" means starttls
	Username string   `json:"username,omitempty"` // "" means no authentication
	Password Secret   `json:"password,omitempty"`
	From     string   `json:"from"`               // the sender's address
	FromName string   `json:"fromName,omitempty"` // "" means the shop's name
	ReplyTo  string   `json:"replyTo,omitempty"`  // address for replies; "" means From
}

// Security is how the connection to the mail server is encrypted.
//
//api:enum MailSecurity
type Security string

// The kinds of encryption. Certificates are always verified.
const (
	StartTLS Security = "starttls" // by STARTTLS, which the server must offer
	TLS      Security = "tls"      // from the first byte
	None     Security = "none"     // not, for a mail server on the same machine or network
)

// Secret is a value that is not printed or logged. Encoding it as JSON reveals it, so that it can
// be sealed and stored.
type Secret string

const redacted = "[hidden]"

// String returns a placeholder.
func (Secret) String() string { return redacted }

// GoString returns a placeholder, for %#v.
func (Secret) GoString() string { return redacted }

// LogValue returns a placeholder.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// ParseConfig parses the JSON form of a Config, rejects unknown members and checks it. The error of
// an invalid configuration is a *fault.Error of code validation_failed, which never contains the
// password.
func ParseConfig(data []byte) (Config, error) {
	var cfg Config
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&cfg); err != nil {
		return Config{}, fmt.Errorf("parse mail configuration: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("parse mail configuration: must be one JSON object")
	}
	return cfg.withDefaults(), cfg.withDefaults().check()
}

// keys are the names of the settings in the form KEY=VALUE, in the order of the help.
func keys() []string {
	return []string{"host", "port", "security", "username", "password", "from", "fromName", "replyTo"}
}

// FromPairs returns the configuration with these settings, in its JSON form. The error lists the
// invalid ones and never contains the password.
func FromPairs(pairs map[string]string) ([]byte, error) {
	var bad fault.Invalid
	var cfg Config
	for key, value := range pairs {
		value = strings.TrimSpace(value)
		switch key {
		case "host":
			cfg.Host = value
		case "port":
			port, err := strconv.Atoi(value)
			if err != nil || port < 1 {
				port = -1 // rejected by the check
			}
			cfg.Port = port
		case "security":
			cfg.Security = Security(value)
		case "username":
			cfg.Username = value
		case "password":
			cfg.Password = Secret(value)
		case "from":
			cfg.From = value
		case "fromName":
			cfg.FromName = value
		case "replyTo":
			cfg.ReplyTo = value
		default:
			bad.Add(key, fault.CodeUnknownField, "There is no setting %s. The settings are: %s.", key, strings.Join(keys(), ", "))
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	if err := cfg.withDefaults().check(); err != nil {
		return nil, err
	}
	config, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("encode mail configuration: %w", err)
	}
	return config, nil
}

func (c Config) withDefaults() Config {
	if c.Security == "" {
		c.Security = StartTLS
	}
	if c.Port == 0 {
		c.Port = map[Security]int{StartTLS: 587, TLS: 465, None: 25}[c.Security]
	}
	return c
}

// Redacted returns a copy with the password replaced, for display.
func (c Config) Redacted() Config {
	if c.Password != "" {
		c.Password = redacted
	}
	return c
}

const (
	maxPort       = 65535
	maxCredential = 500 // characters
	maxName       = 100
)

func (c Config) check() error {
	_, fromOK := input.ParseEmail(c.From)
	_, replyOK := input.ParseEmail(c.ReplyTo)
	tooLong := len(c.Username) > maxCredential || len(c.Password) > maxCredential
	var bad fault.Invalid
	for _, rule := range []struct {
		broken bool
		field  string
		text   string
	}{
		{!isHost(c.Host), "host", "The host must be the name or IP address of a mail server, without a port."},
		{
			!slices.Contains([]Security{StartTLS, TLS, None}, c.Security),
			"security", "The security must be starttls, tls or none.",
		},
		{c.Port < 1 || c.Port > maxPort, "port", "The port must be a number from 1 to 65535."},
		{
			(c.Username == "") != (c.Password == ""),
			"password", "The username and the password must be set together.",
		},
		{c.Password == redacted, "password", "The password must be given again: it is never shown."},
		{
			c.Security == None && c.Password != "",
			"security", "A password must not be sent unencrypted: the security must be starttls or tls.",
		},
		{
			tooLong || hasControl(c.Username) || hasControl(string(c.Password)), "username",
			fmt.Sprintf("The username and the password must be at most %d characters, without control characters.",
				maxCredential),
		},
		{!fromOK, "from", "The sender (from) must be an e-mail address such as orders@example.com."},
		{
			c.ReplyTo != "" && !replyOK,
			"replyTo", "The address for replies must be an e-mail address such as help@example.com.",
		},
		{
			utf8.RuneCountInString(c.FromName) > maxName || hasControl(c.FromName), "fromName",
			fmt.Sprintf("The sender's name must be at most %d characters, without control characters.", maxName),
		},
	} {
		if rule.broken {
			bad.Add(rule.field, fault.CodeInvalidValue, "%s", rule.text)
		}
	}
	return bad.Err()
}

func hasControl(text string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl)
}

// isHost reports whether text is a host name or an IP address.
func isHost(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	name, err := idna.Lookup.ToASCII(text)
	return err == nil && name != "" && len(name) <= 253 && !strings.ContainsAny(name, ":/ @")
}
