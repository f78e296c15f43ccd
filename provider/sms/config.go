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

// Config says how a gateway is asked and how its answer is read. Most of its texts are templates
// with these placeholders, whose values are escaped for the place where they stand:
//
//	{to}           the phone number, as NumberFormat has it
//	{text}         the message
//	{sender}       Sender
//	{ref}          a new name for each message, 20 letters and digits
//	{encoding}     Encoding.GSM7 or Encoding.Unicode, by what the text needs
//	{secret.NAME}  a secret
//
// Names of headers, parameters and JSON members are taken as they are. A query or form parameter
// whose value comes out empty is left out.
type Config struct {
	Method       string            `json:"method,omitempty"` // GET or POST; "": POST
	URL          string            `json:"url"`              // template; no placeholder in the host
	AllowHTTP    bool              `json:"allowHttp,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"` // templates
	Auth         Auth              `json:"auth,omitzero"`
	Query        map[string]string `json:"query,omitempty"` // templates; added to what the URL has
	Body         Body              `json:"body,omitzero"`
	Sender       string            `json:"sender,omitempty"`
	NumberFormat NumberFormat      `json:"numberFormat,omitempty"` // "": e164
	// CallingCodes are the countries that messages go to, such as "880"; empty: all. A shop that
	// sells in one country is not made to pay for messages to others.
	CallingCodes   []string `json:"callingCodes,omitempty"`
	Encoding       Encoding `json:"encoding,omitzero"`
	TimeoutSeconds int      `json:"timeoutSeconds,omitempty"` // up to 30; 0: the client's own, which is never exceeded
	Success        Rule     `json:"success,omitzero"`         // what a message that was taken looks like; its Status is 200 to 299 where left out
	Failure        *Rule    `json:"failure,omitempty"`        // looked at first: a refusal whatever else the answer says
	MessageID      string   `json:"messageId,omitempty"`      // path in a JSON answer; "": the gateway gives none
	Error          []string `json:"error,omitempty"`          // paths in a JSON answer to what it says went wrong
	Secrets        Secrets  `json:"secrets,omitempty"`
}

// Auth is what the Authorization header says.
type Auth struct {
	Kind     AuthKind `json:"kind,omitempty"`     // "": none
	User     string   `json:"user,omitempty"`     // template, for basic
	Password string   `json:"password,omitempty"` // template, for basic
	Token    string   `json:"token,omitempty"`    // template, for bearer
}

// AuthKind is a scheme of the Authorization header.
type AuthKind string

// The schemes.
const (
	AuthNone   AuthKind = "none"
	AuthBasic  AuthKind = "basic"
	AuthBearer AuthKind = "bearer"
)

// Body is what a POST carries.
type Body struct {
	Kind        BodyKind          `json:"kind,omitempty"`        // "": none
	Params      map[string]string `json:"params,omitempty"`      // templates, for form
	JSON        json.RawMessage   `json:"json,omitempty"`        // for json: any value, whose strings are templates
	Raw         string            `json:"raw,omitempty"`         // template, for raw
	ContentType string            `json:"contentType,omitempty"` // for raw: XML or text/plain; it decides how values are escaped
}

// BodyKind is a form of body.
type BodyKind string

// The forms.
const (
	BodyNone BodyKind = "none"
	BodyForm BodyKind = "form"
	BodyJSON BodyKind = "json"
	BodyRaw  BodyKind = "raw"
)

// NumberFormat is how a gateway wants phone numbers.
type NumberFormat string

// The formats.
const (
	E164          NumberFormat = "e164"          // +8801711000000
	International NumberFormat = "international" // 8801711000000
	National      NumberFormat = "national"      // 01711000000; needs exactly one calling code
)

// Encoding gives the words by which a gateway is told the alphabet of a text.
type Encoding struct {
	GSM7    string `json:"gsm7,omitempty"`
	Unicode string `json:"unicode,omitempty"`
}

// Secrets are values by name that nothing shows: neither printing nor logging a Config does.
// Encoding it as JSON does, so that it can be sealed and stored.
type Secrets map[string]string

const redacted = "[hidden]"

// ParseConfig reads the JSON form of a Config and refuses members that it does not know. It does
// not validate; [Config.Validate] does.
func ParseConfig(data []byte) (Config, error) {
	var cfg Config
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&cfg); err != nil {
		return Config{}, fmt.Errorf("read SMS configuration: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("read SMS configuration: there is more after its end")
	}
	return cfg, nil
}

// Redacted gives the configuration with every secret's value hidden, to be shown.
func (c Config) Redacted() Config {
	c.Secrets = maps.Clone(c.Secrets)
	for name := range c.Secrets {
		c.Secrets[name] = redacted
	}
	return c
}

// LogValue keeps secrets out of structured logs.
func (c Config) LogValue() slog.Value {
	type shown Config // without this method, which would be asked again
	return slog.AnyValue(shown(c.Redacted()))
}

func (s Secrets) String() string {
	return "[" + strings.Join(slices.Sorted(maps.Keys(s)), " ") + "]"
}

// GoString hides the values from %#v.
func (s Secrets) GoString() string { return "sms.Secrets" + s.String() }

// LogValue names the secrets.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }
