package sms_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"storefront/provider/sms"
)

// validConfig returns a configuration without faults.
func validConfig() sms.Config {
	return sms.Config{URL: "https://sms.example.com/send", Body: requiredParams}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*sms.Config)
		fields []string
	}{
		"none":                         {func(*sms.Config) {}, nil},
		"method":                       {func(c *sms.Config) { c.Method = "PUT" }, []string{"method"}},
		"no URL":                       {func(c *sms.Config) { c.URL = "" }, []string{"url"}},
		"no host":                      {func(c *sms.Config) { c.URL = "/send" }, []string{"url"}},
		"invalid URL":                  {func(c *sms.Config) { c.URL = "https://a b/%zz" }, []string{"url"}},
		"plain HTTP":                   {func(c *sms.Config) { c.URL = "http://sms.example.com" }, []string{"url"}},
		"plain HTTP, allowed":          {func(c *sms.Config) { c.URL, c.AllowHTTP = "http://sms.example.com", true }, nil},
		"other scheme":                 {func(c *sms.Config) { c.URL, c.AllowHTTP = "ftp://sms.example.com", true }, []string{"url"}},
		"password in the URL":          {func(c *sms.Config) { c.URL = "https://me:pw@sms.example.com" }, []string{"url"}},
		"fragment":                     {func(c *sms.Config) { c.URL += "#top" }, []string{"url"}},
		"host of no name":              {func(c *sms.Config) { c.URL = "https://:443/send" }, []string{"url"}},
		"host with an empty port":      {func(c *sms.Config) { c.URL = "https://sms.example.com:/send" }, []string{"url"}},
		"host beyond ASCII":            {func(c *sms.Config) { c.URL = "https://sms.exämple.com/send" }, []string{"url"}},
		"address with a zone":          {func(c *sms.Config) { c.URL = "https://[fe80::1%25eth0]/send" }, []string{"url"}},
		"dot segment":                  {func(c *sms.Config) { c.URL += "/../x" }, []string{"url"}},
		"placeholder in the host":      {func(c *sms.Config) { c.URL = "https://{sender}.example.com/"; c.Sender = "a" }, []string{"url"}},
		"placeholder in the port":      {func(c *sms.Config) { c.URL = "https://sms.example.com:{ref}/" }, []string{"url"}},
		"placeholder after the host":   {func(c *sms.Config) { c.URL = "https://sms.example.com{text}" }, []string{"url"}},
		"unknown placeholder":          {func(c *sms.Config) { c.Query = map[string]string{"a": "{phone}"} }, []string{"query.a"}},
		"invalid secret placeholder":   {func(c *sms.Config) { c.Query = map[string]string{"a": "{secret.a-b}"} }, []string{"query.a"}},
		"unknown secret":               {func(c *sms.Config) { c.Query = map[string]string{"a": "{secret.key}"} }, []string{"query.a"}},
		"empty secret":                 {func(c *sms.Config) { c.Secrets = sms.Secrets{"key": ""} }, []string{"secrets.key"}},
		"invalid secret name":          {func(c *sms.Config) { c.Secrets = sms.Secrets{"a b": "x"} }, []string{"secrets"}},
		"placeholder in a name":        {func(c *sms.Config) { c.Query = map[string]string{"{to}": "x"} }, []string{"query.{to}"}},
		"empty name":                   {func(c *sms.Config) { c.Query = map[string]string{"": "x"} }, []string{"query."}},
		"no sender":                    {func(c *sms.Config) { c.URL += "/{sender}" }, []string{"sender"}},
		"no encoding":                  {func(c *sms.Config) { c.Query = map[string]string{"a": "{encoding}"} }, []string{"encoding"}},
		"no text, no number":           {func(c *sms.Config) { c.Body = sms.Body{} }, []string{"{to}", "{text}"}},
		"invalid header name":          {func(c *sms.Config) { c.Headers = map[string]string{"a b": "x"} }, []string{"headers.a b"}},
		"reserved header":              {func(c *sms.Config) { c.Headers = map[string]string{"authorization": "x"} }, []string{"headers.authorization"}},
		"duplicate header":             {func(c *sms.Config) { c.Headers = map[string]string{"x-a": "1", "X-A": "2"} }, []string{"headers.x-a"}},
		"auth without a kind":          {func(c *sms.Config) { c.Auth.Token = "x" }, []string{"auth.kind"}},
		"unknown auth kind":            {func(c *sms.Config) { c.Auth.Kind = "digest" }, []string{"auth.kind"}},
		"basic without a user":         {func(c *sms.Config) { c.Auth = sms.Auth{Kind: sms.AuthBasic, Token: "x"} }, []string{"auth.token", "auth.user"}},
		"bearer without a token":       {func(c *sms.Config) { c.Auth = sms.Auth{Kind: sms.AuthBearer, User: "x"} }, []string{"auth.user", "auth.token"}},
		"GET with a body":              {func(c *sms.Config) { c.Method = http.MethodGet }, []string{"body.kind"}},
		"unknown body kind":            {func(c *sms.Config) { c.Body.Kind = "xml" }, []string{"body.params", "body.kind", "{to}", "{text}"}},
		"invalid JSON":                 {jsonTemplate(`{"to":"{to}{text}"`), []string{"body.json", "{to}", "{text}"}},
		"two JSON values":              {jsonTemplate(`"{to}{text}" 1`), []string{"body.json", "{to}", "{text}"}},
		"placeholder in a member name": {jsonTemplate(`{"{to}":"{to}{text}"}`), []string{"body.json.{to}"}},
		"nested unknown placeholder":   {jsonTemplate(`{"a":[1,{"b":"{to}{text}{x}"}]}`), []string{"body.json.a.1.b"}},
		"raw without a type":           {rawBody(""), []string{"body.contentType"}},
		"raw JSON":                     {rawBody("application/json"), []string{"body.contentType"}},
		"raw form":                     {rawBody("application/x-www-form-urlencoded"), []string{"body.contentType"}},
		"raw of other type":            {rawBody("text/html"), []string{"body.contentType"}},
		"raw in other charset":         {rawBody("text/xml; charset=latin1"), []string{"body.contentType"}},
		"SOAP":                         {rawBody("application/soap+xml; charset=UTF-8"), nil},
		"unknown number format":        {func(c *sms.Config) { c.NumberFormat = "local" }, []string{"numberFormat"}},
		"national of two countries": {func(c *sms.Config) {
			c.NumberFormat, c.CallingCodes = sms.National, []string{"880", "91"}
		}, []string{"callingCodes"}},
		"national of all countries": {func(c *sms.Config) { c.NumberFormat, c.CallingCodes = sms.National, []string{"*"} }, []string{"callingCodes"}},
		"all countries and one":     {func(c *sms.Config) { c.CallingCodes = []string{"*", "880"} }, []string{"callingCodes"}},
		"invalid calling code":      {func(c *sms.Config) { c.CallingCodes = []string{"+880"} }, []string{"callingCodes"}},
		"timeout too long":          {func(c *sms.Config) { c.TimeoutSeconds = 31 }, []string{"timeoutSeconds"}},
		"negative timeout":          {func(c *sms.Config) { c.TimeoutSeconds = -1 }, []string{"timeoutSeconds"}},
		"invalid status range":      {func(c *sms.Config) { c.Success.Status = &sms.StatusRange{From: 300, To: 200} }, []string{"success.status"}},
		"rule without a condition":  {func(c *sms.Config) { c.Success.JSON = &sms.JSONRule{Path: "a"} }, []string{"success.json"}},
		"rule with two conditions": {
			func(c *sms.Config) { c.Success.JSON = &sms.JSONRule{Path: "a", Exists: true, Equals: "1"} }, []string{"success.json"},
		},
		"invalid path of a rule": {
			func(c *sms.Config) { c.Success.JSON = &sms.JSONRule{Path: "a..b", Exists: true} }, []string{"success.json.path"},
		},
		"invalid expression":             {func(c *sms.Config) { c.Success.Body = "(" }, []string{"success.body"}},
		"empty failure":                  {func(c *sms.Config) { c.Failure = &sms.Rule{} }, []string{"failure"}},
		"invalid path of the message ID": {func(c *sms.Config) { c.MessageID = "a." }, []string{"messageId"}},
		"invalid path of the error":      {func(c *sms.Config) { c.Error = []string{""} }, []string{"error"}},
		"several faults": {
			func(c *sms.Config) { c.Method, c.NumberFormat, c.TimeoutSeconds = "PUT", "local", 99 },
			[]string{"method", "numberFormat", "timeoutSeconds"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := validConfig()
			test.change(&cfg)
			err := cfg.Validate()
			faults, _ := errors.AsType[sms.Faults](err)
			var fields []string
			for _, fault := range faults {
				fields = append(fields, fault.Field)
				if fault.Message == "" {
					t.Errorf("%s: got an empty message", fault.Field)
				}
			}
			if !reflect.DeepEqual(fields, test.fields) {
				t.Errorf("got faults of %q, want %q: %v", fields, test.fields, err)
			}
			if _, newErr := sms.New(cfg, client, "880"); (newErr == nil) != (err == nil) {
				t.Errorf("New: got %v, Validate: got %v", newErr, err)
			}
		})
	}
}

func jsonTemplate(text string) func(*sms.Config) {
	return func(c *sms.Config) { c.Body = sms.Body{Kind: sms.BodyJSON, JSON: json.RawMessage(text)} }
}

func rawBody(contentType string) func(*sms.Config) {
	return func(c *sms.Config) {
		c.Body = sms.Body{Kind: sms.BodyRaw, Raw: "<a>{to}{text}</a>", ContentType: contentType}
	}
}

func TestParseConfig(t *testing.T) {
	t.Parallel()
	cfg := validConfig()
	cfg.Secrets = sms.Secrets{"key": "s3cret"}
	cfg.Failure = &sms.Rule{Body: "error"}
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sms.ParseConfig(text); err != nil || !reflect.DeepEqual(got, cfg) {
		t.Errorf("%s: got %+v, %v; want %+v", text, got, err, cfg)
	}
	for _, text := range []string{``, `[]`, `{"url":1}`, `{"uri":"x"}`, `{"auth":{"name":"x"}}`, `{"url":"x"}{}`, `{"url":"x"}]`} {
		if _, err := sms.ParseConfig([]byte(text)); err == nil {
			t.Errorf("%s: got no error", text)
		}
	}
}

func TestConfig_SecretsRedacted(t *testing.T) {
	t.Parallel()
	cfg := validConfig()
	cfg.Secrets = sms.Secrets{"key": "s3cret"}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		logger := slog.New(handler)
		logger.Info("by value", "cfg", cfg, "secrets", cfg.Secrets)
		logger.Info("by pointer", "cfg", &cfg)
	}
	shown, err := json.Marshal(cfg.Redacted())
	if err != nil {
		t.Fatal(err)
	}
	printed := fmt.Sprintf("%v %+v %#v %v %s %#v %+v", cfg, cfg, cfg, cfg.Secrets, cfg.Secrets, cfg.Secrets, &cfg)
	for what, text := range map[string]string{"log": log.String(), "shown": string(shown), "printed": printed} {
		if strings.Contains(text, "s3cret") || !strings.Contains(text, "key") {
			t.Errorf("%s: got %s, want the name and not the value of the secret", what, text)
		}
	}
	if cfg.Secrets["key"] != "s3cret" {
		t.Error("Redacted modified the configuration")
	}
}
