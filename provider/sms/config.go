package sms

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
)

// Config describes the request to a gateway and how to interpret the response. Most of its strings
// are templates with these placeholders. Values are escaped for their position:
//
//	{to}           the phone number in NumberFormat
//	{text}         the message
//	{sender}       Sender
//	{ref}          a unique reference of the message, 20 letters and digits
//	{encoding}     Encoding.GSM7 or Encoding.Unicode, depending on the text
//	{secret.NAME}  a secret
//
// Names of headers, parameters and JSON members are literal. A query or form parameter whose value
// renders empty is omitted.
type Config struct {
	Method       string            `json:"method,omitempty"` // GET or POST; "" means POST
	URL          string            `json:"url"`              // template; no placeholder in the host
	AllowHTTP    bool              `json:"allowHttp,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"` // templates
	Auth         Auth              `json:"auth,omitzero"`
	Query        map[string]string `json:"query,omitempty"` // templates; added to the URL's own query
	Body         Body              `json:"body,omitzero"`
	Sender       string            `json:"sender,omitempty"`
	NumberFormat NumberFormat      `json:"numberFormat,omitempty"` // "" means e164
	// CallingCodes lists the countries that messages may go to, such as "880". Empty means the shop's
	// country, and "*" alone all countries: messages to other countries only cost the shop money, and
	// profit the owners of the numbers.
	CallingCodes   []string `json:"callingCodes,omitempty"`
	Encoding       Encoding `json:"encoding,omitzero"`
	TimeoutSeconds int      `json:"timeoutSeconds,omitempty"` // up to 30; 0 means the client's timeout, which always applies
	Success        Rule     `json:"success,omitzero"`         // recognizes accepted messages; Status defaults to 200 to 299
	Failure        *Rule    `json:"failure,omitempty"`        // recognizes refused messages; takes precedence over Success
	MessageID      string   `json:"messageId,omitempty"`      // path in a JSON response; "" means that the gateway returns none
	Error          []string `json:"error,omitempty"`          // paths in a JSON response to error messages
	Secrets        Secrets  `json:"secrets,omitempty"`
}

// Auth configures the Authorization header.
type Auth struct {
	Kind     AuthKind `json:"kind,omitempty"`     // "" means none
	User     string   `json:"user,omitempty"`     // template, for basic
	Password string   `json:"password,omitempty"` // template, for basic
	Token    string   `json:"token,omitempty"`    // template, for bearer
}

// AuthKind is the scheme of the Authorization header.
//
//api:enum SMSAuthKind
type AuthKind string

// Authorization schemes.
const (
	AuthNone   AuthKind = "none"   // no header
	AuthBasic  AuthKind = "basic"  // user and password
	AuthBearer AuthKind = "bearer" // a token
)

// Body configures the body of a POST.
type Body struct {
	Kind        BodyKind          `json:"kind,omitempty"`        // "" means none
	Params      map[string]string `json:"params,omitempty"`      // templates, for form
	JSON        json.RawMessage   `json:"json,omitempty"`        // any value for json; its strings are templates
	Raw         string            `json:"raw,omitempty"`         // template, for raw
	ContentType string            `json:"contentType,omitempty"` // XML or text/plain, for raw; determines the escaping
}

// BodyKind is the format of the body of a request to the gateway.
//
//api:enum SMSBodyKind
type BodyKind string

// Body formats.
const (
	BodyNone BodyKind = "none" // no body
	BodyForm BodyKind = "form" // a form
	BodyJSON BodyKind = "json" // a JSON value
	BodyRaw  BodyKind = "raw"  // XML or plain text
)

// NumberFormat is the format of phone numbers for the gateway.
//
//api:enum SMSNumberFormat
type NumberFormat string

// Number formats.
const (
	E164          NumberFormat = "e164"          // +8801711000000
	International NumberFormat = "international" // 8801711000000
	National      NumberFormat = "national"      // 01711000000, of one calling code
)

// Encoding holds the gateway's names of the encodings of a text.
type Encoding struct {
	GSM7    string `json:"gsm7,omitempty"`
	Unicode string `json:"unicode,omitempty"`
}

// Secrets holds secret values by name. Printing or logging a Config does not reveal them. Encoding
// it as JSON does, so that it can be sealed and stored.
type Secrets map[string]string

const redacted = "[hidden]"

// ParseConfig parses the JSON form of a Config and rejects unknown members. It does not validate
// the configuration; see [Config.Validate].
func ParseConfig(data []byte) (Config, error) {
	var cfg Config
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&cfg); err != nil {
		return Config{}, fmt.Errorf("parse SMS configuration: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("parse SMS configuration: must be one JSON object")
	}
	return cfg, nil
}

// Redacted returns a copy without the values of secrets, for display.
func (c Config) Redacted() Config {
	c.Secrets = maps.Clone(c.Secrets)
	for name := range c.Secrets {
		c.Secrets[name] = redacted
	}
	for _, value := range []*string{&c.Auth.Password, &c.Auth.Token} {
		if *value != "" && !strings.Contains(*value, "{secret.") {
			*value = redacted
		}
	}
	return c
}

// LogValue returns the redacted configuration.
func (c Config) LogValue() slog.Value {
	type shown Config // without this method, to prevent recursion
	return slog.AnyValue(shown(c.Redacted()))
}

// String returns the names of the secrets.
func (s Secrets) String() string {
	return "[" + strings.Join(slices.Sorted(maps.Keys(s)), " ") + "]"
}

// GoString returns the names of the secrets, for %#v.
func (s Secrets) GoString() string { return "sms.Secrets" + s.String() }

// LogValue returns the names of the secrets.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }
