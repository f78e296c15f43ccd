package sms

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"storefront/provider"
)

// Rule recognizes an answer. All that it names must hold.
type Rule struct {
	Status *StatusRange `json:"status,omitempty"` // null: any
	JSON   *JSONRule    `json:"json,omitempty"`
	Body   string       `json:"body,omitempty"` // RE2 expression that the body has a match for
}

// StatusRange is a range of HTTP statuses, both ends included.
type StatusRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// JSONRule is about one value of a JSON answer. Path names it: members by name and elements by
// number, joined by dots, such as data.0.id. One of Equals, In and Exists is set. Values are
// compared as text and ignoring case: gateways write 200 and "200", success and SUCCESS.
type JSONRule struct {
	Path   string   `json:"path"`
	Equals string   `json:"equals,omitempty"`
	In     []string `json:"in,omitempty"`
	Exists bool     `json:"exists,omitempty"` // it is there, and neither null nor ""
}

// statusOK is the range of a Success that names none.
var statusOK = StatusRange{From: 200, To: 299}

// matcher is a Rule, ready to be used.
type matcher struct {
	Rule
	body *regexp.Regexp
}

// answer is a gateway's answer and, where it is JSON, its value.
type answer struct {
	*provider.Response
	json   any
	isJSON bool
}

func readAnswer(response *provider.Response) answer {
	a := answer{Response: response}
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(response.Body, []byte("\ufeff"))))
	decoder.UseNumber()
	if err := decoder.Decode(&a.json); err == nil {
		_, err = decoder.Token()
		a.isJSON = errors.Is(err, io.EOF)
	}
	return a
}

func (m *matcher) matches(a answer) bool {
	if m.Status != nil && (a.Status < m.Status.From || a.Status > m.Status.To) {
		return false
	}
	if m.JSON != nil && !m.JSON.matches(a) {
		return false
	}
	return m.body == nil || m.body.Match(a.Body)
}

// canRead reports whether a is in the form that the rule is about.
func (m *matcher) canRead(a answer) bool {
	return (m.JSON == nil || a.isJSON) && (m.body == nil || len(bytes.TrimSpace(a.Body)) > 0)
}

func (r *JSONRule) matches(a answer) bool {
	value := a.find(r.Path)
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

// find gives the value at a path; nil: there is none, or it is null.
func (a answer) find(path string) any {
	if !a.isJSON {
		return nil
	}
	value := a.json
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

// text gives the value at a path as text; "": there is none.
func (a answer) text(path string) string {
	text, _ := scalar(a.find(path))
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
