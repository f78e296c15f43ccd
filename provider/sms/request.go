package sms

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

const formType = "application/x-www-form-urlencoded"

// request is the compiled request of a gateway. Each value is escaped for its position. Rendered
// text is never parsed again.
type request struct {
	method       string
	base         string // scheme and host
	path         template
	pathTemplate string   // path with its placeholders, for errors
	urlQuery     template // query of the URL itself
	query        []param
	headers      []param
	auth         authorization
	body         body // nil means no body
}

// param is a header or parameter.
type param struct {
	name  string
	value template
}

// authorization renders the Authorization header. The zero value renders none.
type authorization struct {
	basic, bearer bool
	user          template
	secret        template // password or token
}

// body renders the body of a request.
type body interface {
	contentType() string
	render(v values) ([]byte, error)
}

// build returns the request for one message. Errors do not contain values.
func (r *request) build(ctx context.Context, v values) (*http.Request, error) {
	address, err := r.address(v)
	if err != nil {
		return nil, err
	}
	var content []byte
	if r.body != nil {
		if content, err = r.body.render(v); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(content))
	if err != nil {
		return nil, errors.New("url: the values do not form a valid URL") // err would quote it
	}
	if r.body != nil {
		req.Header.Set("Content-Type", r.body.contentType())
	}
	for _, h := range r.headers {
		if err := setHeader(req, h.name, h.value.render(v, unescaped)); err != nil {
			return nil, err
		}
	}
	return req, r.auth.apply(req, v)
}

func (r *request) address(v values) (string, error) {
	path := r.path.render(v, url.PathEscape)
	if hasDotSegment(path) {
		return "", errors.New("url: the values add . or .. to the path")
	}
	query := r.urlQuery.render(v, url.QueryEscape)
	if more := encode(r.query, v); more != "" {
		query = strings.TrimPrefix(query+"&"+more, "&")
	}
	if query != "" {
		query = "?" + query
	}
	return r.base + path + query, nil
}

// encode encodes parameters for queries and forms. It omits parameters that render empty.
func encode(params []param, v values) string {
	var pairs []string
	for _, p := range params {
		if value := p.value.render(v, unescaped); value != "" {
			pairs = append(pairs, url.QueryEscape(p.name)+"="+url.QueryEscape(value))
		}
	}
	return strings.Join(pairs, "&")
}

func setHeader(req *http.Request, name, value string) error {
	if !httpguts.ValidHeaderFieldValue(value) {
		return fmt.Errorf("headers.%s: the value must not contain control characters", name)
	}
	req.Header.Set(name, value)
	return nil
}

func (a authorization) apply(req *http.Request, v values) error {
	secret := a.secret.render(v, unescaped)
	switch {
	case a.basic:
		user := a.user.render(v, unescaped)
		if strings.Contains(user, ":") {
			return errors.New("auth.user: the value must not contain a colon")
		}
		req.Header.Set("Authorization", "Basic "+basicCredentials(user, secret))
	case a.bearer:
		return setHeader(req, "Authorization", "Bearer "+secret)
	}
	return nil
}

func basicCredentials(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

type formBody []param

func (formBody) contentType() string { return formType }

func (b formBody) render(v values) ([]byte, error) { return []byte(encode(b, v)), nil }

// jsonBody is a JSON value whose strings are templates.
type jsonBody struct{ root any }

func (jsonBody) contentType() string { return "application/json" }

func (b jsonBody) render(v values) ([]byte, error) {
	content, err := json.Marshal(fill(b.root, v))
	if err != nil {
		return nil, fmt.Errorf("body.json: %w", err)
	}
	return content, nil
}

// fill returns a copy of a JSON value with its templates rendered.
func fill(node any, v values) any {
	switch node := node.(type) {
	case template:
		return node.render(v, unescaped)
	case map[string]any:
		filled := make(map[string]any, len(node))
		for name, member := range node {
			filled[name] = fill(member, v)
		}
		return filled
	case []any:
		filled := make([]any, len(node))
		for i, element := range node {
			filled[i] = fill(element, v)
		}
		return filled
	}
	return node
}

type rawBody struct {
	kind    string
	content template
	escape  func(string) string
}

func (b rawBody) contentType() string { return b.kind }

func (b rawBody) render(v values) ([]byte, error) {
	return []byte(b.content.render(v, b.escape)), nil
}
