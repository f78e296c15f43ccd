package sms

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// reservedHeaders are set by body, by auth or by the connection.
var reservedHeaders = []string{
	"Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type",
	"Expect", "Host", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

func (c *compiler) headers() []param {
	var list []param
	seen := make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Headers)) {
		field := "headers." + name
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			c.faults.add(field, "must be a valid header name")
		case slices.Contains(reservedHeaders, canonical):
			c.faults.add(field, "must be omitted; auth, body or the connection sets it")
		case seen[canonical]:
			c.faults.add(field, "must occur once; header names ignore case")
		}
		seen[canonical] = true
		list = append(list, param{canonical, c.template(field, c.cfg.Headers[name])})
	}
	return list
}

func (c *compiler) auth() authorization {
	auth := c.cfg.Auth
	if auth.Password == redacted || auth.Token == redacted {
		c.faults.add("auth", "must have the password or token, which is never shown again")
	}
	switch auth.Kind {
	case "", AuthNone:
		c.rejectUnused("auth.kind", "must be basic or bearer if user, password or token is set", auth.User, auth.Password, auth.Token)
		return authorization{}
	case AuthBasic:
		c.rejectUnused("auth.token", "must be omitted unless kind is bearer", auth.Token)
		if auth.User == "" || strings.Contains(auth.User, ":") {
			c.faults.add("auth.user", "must be a user name without a colon")
		}
		return authorization{basic: true, user: c.template("auth.user", auth.User), secret: c.template("auth.password", auth.Password)}
	case AuthBearer:
		c.rejectUnused("auth.user", "user and password must be omitted unless kind is basic", auth.User, auth.Password)
		if auth.Token == "" {
			c.faults.add("auth.token", "must not be empty; use a secret, such as {secret.token}")
		}
		return authorization{bearer: true, secret: c.template("auth.token", auth.Token)}
	}
	c.faults.add("auth.kind", "must be %s, %s or %s", AuthNone, AuthBasic, AuthBearer)
	return authorization{}
}

// rejectUnused reports message if one of values is set, because it would not be used.
func (c *compiler) rejectUnused(field, message string, values ...string) {
	if strings.Join(values, "") != "" {
		c.faults.add(field, "%s", message)
	}
}

func (c *compiler) body() body {
	b := c.cfg.Body
	if len(b.Params) > 0 && b.Kind != BodyForm {
		c.faults.add("body.params", "must be omitted unless kind is form")
	}
	if len(b.JSON) > 0 && b.Kind != BodyJSON {
		c.faults.add("body.json", "must be omitted unless kind is json")
	}
	if b.Kind != BodyRaw {
		c.rejectUnused("body.raw", "raw and contentType must be omitted unless kind is raw", b.Raw, b.ContentType)
	}
	if b.Kind != "" && b.Kind != BodyNone && c.cfg.Method == http.MethodGet {
		c.faults.add("body.kind", "must be none for GET; use query or POST")
	}
	switch b.Kind {
	case "", BodyNone:
		return nil
	case BodyForm:
		return formBody(c.params("body.params", b.Params))
	case BodyJSON:
		return jsonBody{c.jsonTemplate(b.JSON)}
	case BodyRaw:
		return rawBody{b.ContentType, c.template("body.raw", b.Raw), c.rawEscape()}
	}
	c.faults.add("body.kind", "must be %s, %s, %s or %s", BodyNone, BodyForm, BodyJSON, BodyRaw)
	return nil
}

func (c *compiler) jsonTemplate(text json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	err := decoder.Decode(&tree)
	if err == nil {
		if _, err = decoder.Token(); errors.Is(err, io.EOF) {
			return c.jsonNode("body.json", tree)
		}
	}
	c.faults.add("body.json", "must be one JSON value")
	return nil
}

// jsonNode replaces every string by a template.
func (c *compiler) jsonNode(field string, node any) any {
	switch node := node.(type) {
	case string:
		return c.template(field, node)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(node)) {
			at := field + "." + name
			c.checkName(at, name)
			node[name] = c.jsonNode(at, node[name])
		}
	case []any:
		for i := range node {
			node[i] = c.jsonNode(fmt.Sprintf("%s.%d", field, i), node[i])
		}
	}
	return node
}

// rawEscape returns the function that escapes values in a raw body.
func (c *compiler) rawEscape() func(string) string {
	const field = "body.contentType"
	kind, params, err := mime.ParseMediaType(c.cfg.Body.ContentType)
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		c.faults.add(field, "the charset must be utf-8")
	}
	switch {
	case err != nil:
		c.faults.add(field, "must be application/xml, text/xml or text/plain")
	case kind == "application/xml", kind == "text/xml", strings.HasSuffix(kind, "+xml"):
		return escapeXML
	case kind == "text/plain":
		return unescaped
	case strings.HasSuffix(kind, "json"):
		c.faults.add(field, "must not be JSON; use the kind json, which escapes each value")
	case kind == formType:
		c.faults.add(field, "must not be a form; use the kind form, which escapes each value")
	default:
		c.faults.add(field, "must not be %s; use XML, text/plain, or the kinds form and json", kind)
	}
	return unescaped
}

func escapeXML(value string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(value)) // a Builder never fails
	return b.String()
}

func (c *compiler) matcher(field string, rule Rule) matcher {
	m := matcher{Rule: rule}
	if s := rule.Status; s != nil && (s.From < 100 || s.To > 599 || s.From > s.To) {
		c.faults.add(field+".status", "must be a range within 100 to 599, such as from 200 to 299")
	}
	if j := rule.JSON; j != nil {
		c.checkPath(field+".json.path", j.Path)
		for _, path := range j.OrPath {
			c.checkPath(field+".json.orPath", path)
		}
		conditions := 0
		for _, set := range []bool{j.Equals != "", len(j.In) > 0, j.Exists} {
			if set {
				conditions++
			}
		}
		if conditions != 1 {
			c.faults.add(field+".json", "must have exactly one of equals, in and exists")
		}
	}
	if rule.Body != "" {
		var err error
		if m.body, err = regexp.Compile(rule.Body); err != nil {
			c.faults.add(field+".body", "must be an RE2 regular expression: %v", err)
		}
	}
	return m
}

func (c *compiler) checkPath(field, path string) {
	if slices.Contains(strings.Split(path, "."), "") {
		c.faults.add(field, "must be names and indexes joined by dots, such as data.0.id")
	}
}
