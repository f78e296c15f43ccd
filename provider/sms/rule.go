package sms

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"storefront/provider"
)

// Rule matches responses. All conditions that are set must hold.
type Rule struct {
	Status *StatusRange `json:"status,omitempty"` // null means any
	JSON   *JSONRule    `json:"json,omitempty"`
	Body   string       `json:"body,omitempty"` // RE2 expression that must match part of the body
}

// StatusRange is an inclusive range of HTTP statuses.
type StatusRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// JSONRule matches one value of a JSON response. Path is the value's path: names of members and
// indexes of elements, joined by dots, such as data.0.id. Exactly one of Equals, In and Exists must
// be set. Values are compared as text and case-insensitively, because gateways send 200 and "200",
// success and SUCCESS.
type JSONRule struct {
	Path   string   `json:"path"`
	OrPath []string `json:"orPath,omitempty"` // other paths, any of whose values may match instead
	Equals string   `json:"equals,omitempty"`
	In     []string `json:"in,omitempty"`
	Exists bool     `json:"exists,omitempty"` // the value is present and neither null nor ""
}

// statusOK is the default range of Success.
var statusOK = StatusRange{From: 200, To: 299}

// matcher is a compiled [Rule].
type matcher struct {
	Rule
	body *regexp.Regexp
}

// response is a gateway's response and, if it is JSON, its value.
type response struct {
	*provider.Response
	json   any
	isJSON bool
}

func parseResponse(resp *provider.Response) response {
	r := response{Response: resp}
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(resp.Body, []byte("\ufeff"))))
	decoder.UseNumber()
	if err := decoder.Decode(&r.json); err == nil {
		_, err = decoder.Token()
		r.isJSON = errors.Is(err, io.EOF)
	}
	return r
}

func (m *matcher) matches(resp response) bool {
	if m.Status != nil && (resp.Status < m.Status.From || resp.Status > m.Status.To) {
		return false
	}
	if m.JSON != nil && !m.JSON.matches(resp) {
		return false
	}
	return m.body == nil || m.body.Match(resp.Body)
}

// canRead reports whether resp has the format that the rule matches on.
func (m *matcher) canRead(resp response) bool {
	return (m.JSON == nil || resp.isJSON) && (m.body == nil || len(bytes.TrimSpace(resp.Body)) > 0)
}

func (r *JSONRule) matches(resp response) bool {
	return r.matchesAt(resp, r.Path) || slices.ContainsFunc(r.OrPath, func(path string) bool { return r.matchesAt(resp, path) })
}

func (r *JSONRule) matchesAt(resp response, path string) bool {
	value := resp.find(path)
	if r.Exists {
		return value != nil && value != ""
	}
	text, ok := scalar(value)
	if !ok {
		return false
	}
	for _, want := range r.In {
		if strings.EqualFold(text, want) {
			return true
		}
	}
	return r.Equals != "" && strings.EqualFold(text, r.Equals)
}

// find returns the value at path, or nil if it is missing or null.
func (r response) find(path string) any {
	if !r.isJSON {
		return nil
	}
	value := r.json
	for name := range strings.SplitSeq(path, ".") {
		switch container := value.(type) {
		case map[string]any:
			value = container[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(container) {
				return nil
			}
			value = container[i]
		default:
			return nil
		}
	}
	return value
}

// text returns the value at path as text, or "" if it is missing.
func (r response) text(path string) string {
	text, _ := scalar(r.find(path))
	return text
}

func scalar(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	case bool:
		return strconv.FormatBool(value), true
	}
	return "", false
}
