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

// validConfig is a configuration without a fault.
func validConfig() sms.Config {
	return sms.Config{URL: "https://sms.example.com/send", Body: carrier}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*sms.Config)
		fields []string
	}{
		"none":                     {func(*sms.Config) {}, nil},
		"method":                   {func(c *sms.Config) { c.Method = "PUT" }, []string{"method"}},
		"no address":               {func(c *sms.Config) { c.URL = "" }, []string{"url"}},
		"no host":                  {func(c *sms.Config) { c.URL = "/send" }, []string{"url"}},
		"no address at all":        {func(c *sms.Config) { c.URL = "https://a b/%zz" }, []string{"url"}},
		"plain HTTP":               {func(c *sms.Config) { c.URL = "http://sms.example.com" }, []string{"url"}},
		"plain HTTP, allowed":      {func(c *sms.Config) { c.URL, c.AllowHTTP = "http://sms.example.com", true }, nil},
		"another scheme":           {func(c *sms.Config) { c.URL, c.AllowHTTP = "ftp://sms.example.com", true }, []string{"url"}},
		"password in the address":  {func(c *sms.Config) { c.URL = "https://me:pw@sms.example.com" }, []string{"url"}},
		"fragment":                 {func(c *sms.Config) { c.URL += "#top" }, []string{"url"}},
		"way up":                   {func(c *sms.Config) { c.URL += "/../x" }, []string{"url"}},
		"host by placeholder":      {func(c *sms.Config) { c.URL = "https://{sender}.example.com/"; c.Sender = "a" }, []string{"url"}},
		"port by placeholder":      {func(c *sms.Config) { c.URL = "https://sms.example.com:{ref}/" }, []string{"url"}},
		"host joined to a value":   {func(c *sms.Config) { c.URL = "https://sms.example.com{text}" }, []string{"url"}},
		"unknown placeholder":      {func(c *sms.Config) { c.Query = map[string]string{"a": "{phone}"} }, []string{"query.a"}},
		"malformed secret":         {func(c *sms.Config) { c.Query = map[string]string{"a": "{secret.a-b}"} }, []string{"query.a"}},
		"no such secret":           {func(c *sms.Config) { c.Query = map[string]string{"a": "{secret.key}"} }, []string{"query.a"}},
		"empty secret":             {func(c *sms.Config) { c.Secrets = sms.Secrets{"key": ""} }, []string{"secrets.key"}},
		"name of a secret":         {func(c *sms.Config) { c.Secrets = sms.Secrets{"a b": "x"} }, []string{"secrets"}},
		"placeholder in a name":    {func(c *sms.Config) { c.Query = map[string]string{"{to}": "x"} }, []string{"query.{to}"}},
		"empty name":               {func(c *sms.Config) { c.Query = map[string]string{"": "x"} }, []string{"query."}},
		"no sender":                {func(c *sms.Config) { c.URL += "/{sender}" }, []string{"sender"}},
		"no encoding":              {func(c *sms.Config) { c.Query = map[string]string{"a": "{encoding}"} }, []string{"encoding"}},
		"no text, no number":       {func(c *sms.Config) { c.Body = sms.Body{} }, []string{"{to}", "{text}"}},
		"name of a header":         {func(c *sms.Config) { c.Headers = map[string]string{"a b": "x"} }, []string{"headers.a b"}},
		"header that we set":       {func(c *sms.Config) { c.Headers = map[string]string{"authorization": "x"} }, []string{"headers.authorization"}},
		"header twice":             {func(c *sms.Config) { c.Headers = map[string]string{"x-a": "1", "X-A": "2"} }, []string{"headers.x-a"}},
		"auth without a kind":      {func(c *sms.Config) { c.Auth.Token = "x" }, []string{"auth.kind"}},
		"unknown kind of auth":     {func(c *sms.Config) { c.Auth.Kind = "digest" }, []string{"auth.kind"}},
		"basic without a user":     {func(c *sms.Config) { c.Auth = sms.Auth{Kind: sms.AuthBasic, Token: "x"} }, []string{"auth.token", "auth.user"}},
		"bearer without a token":   {func(c *sms.Config) { c.Auth = sms.Auth{Kind: sms.AuthBearer, User: "x"} }, []string{"auth.user", "auth.token"}},
		"a GET with a body":        {func(c *sms.Config) { c.Method = http.MethodGet }, []string{"body.kind"}},
		"unknown kind of body":     {func(c *sms.Config) { c.Body.Kind = "xml" }, []string{"body.params", "body.kind", "{to}", "{text}"}},
		"JSON that is none":        {jsonTemplate(`{"to":"{to}{text}"`), []string{"body.json", "{to}", "{text}"}},
		"JSON twice":               {jsonTemplate(`"{to}{text}" 1`), []string{"body.json", "{to}", "{text}"}},
		"placeholder in a member":  {jsonTemplate(`{"{to}":"{to}{text}"}`), []string{"body.json.{to}"}},
		"unknown, deep inside":     {jsonTemplate(`{"a":[1,{"b":"{to}{text}{x}"}]}`), []string{"body.json.a.1.b"}},
		"raw without a type":       {rawBody(""), []string{"body.contentType"}},
		"raw JSON":                 {rawBody("application/json"), []string{"body.contentType"}},
		"raw form":                 {rawBody("application/x-www-form-urlencoded"), []string{"body.contentType"}},
		"raw of another type":      {rawBody("text/html"), []string{"body.contentType"}},
		"raw in another charset":   {rawBody("text/xml; charset=latin1"), []string{"body.contentType"}},
		"SOAP":                     {rawBody("application/soap+xml; charset=UTF-8"), nil},
		"number format":            {func(c *sms.Config) { c.NumberFormat = "local" }, []string{"numberFormat"}},
		"national of everywhere":   {func(c *sms.Config) { c.NumberFormat = sms.National }, []string{"callingCodes"}},
		"calling code":             {func(c *sms.Config) { c.CallingCodes = []string{"+880"} }, []string{"callingCodes"}},
		"time-out":                 {func(c *sms.Config) { c.TimeoutSeconds = 31 }, []string{"timeoutSeconds"}},
		"negative time-out":        {func(c *sms.Config) { c.TimeoutSeconds = -1 }, []string{"timeoutSeconds"}},
		"range of status":          {func(c *sms.Config) { c.Success.Status = &sms.StatusRange{From: 300, To: 200} }, []string{"success.status"}},
		"rule without a condition": {func(c *sms.Config) { c.Success.JSON = &sms.JSONRule{Path: "a"} }, []string{"success.json"}},
		"rule with two":            {func(c *sms.Config) { c.Success.JSON = &sms.JSONRule{Path: "a", Exists: true, Equals: "1"} }, []string{"success.json"}},
		"path of a rule":           {func(c *sms.Config) { c.Success.JSON = &sms.JSONRule{Path: "a..b", Exists: true} }, []string{"success.json.path"}},
		"expression":               {func(c *sms.Config) { c.Success.Body = "(" }, []string{"success.body"}},
		"empty failure":            {func(c *sms.Config) { c.Failure = &sms.Rule{} }, []string{"failure"}},
		"path of the message id":   {func(c *sms.Config) { c.MessageID = "a." }, []string{"messageId"}},
		"path of the error":        {func(c *sms.Config) { c.Error = []string{""} }, []string{"error"}},
		"many at once": {
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
					t.Errorf("%s: nothing says what to do", fault.Field)
				}
			}
			if !reflect.DeepEqual(fields, test.fields) {
				t.Errorf("faults of %q, want %q: %v", fields, test.fields, err)
			}
			if _, made := sms.New(cfg, client); (made == nil) != (err == nil) {
				t.Errorf("New: %v", made)
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
	if again, err := sms.ParseConfig(text); err != nil || !reflect.DeepEqual(again, cfg) {
		t.Errorf("%s reads as %+v, %v", text, again, err)
	}
	for _, text := range []string{``, `[]`, `{"url":1}`, `{"uri":"x"}`, `{"auth":{"name":"x"}}`, `{"url":"x"}{}`, `{"url":"x"}]`} {
		if _, err := sms.ParseConfig([]byte(text)); err == nil {
			t.Errorf("%s was read", text)
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
			t.Errorf("%s: %s", what, text)
		}
	}
	if cfg.Secrets["key"] != "s3cret" {
		t.Error("showing a configuration changed it")
	}
}
