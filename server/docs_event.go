package server

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"reflect"

	"storefront/prepared"
	"storefront/shop/access"
	"storefront/shop/live"
	"storefront/shop/outbox"
	"storefront/transport"
)

// eventExamples are the bodies of webhooks by type, most of them recorded from the demo shop.
//
//go:embed reference/events.json
var eventExamples []byte

// eventSubjects are the subjects of events, by the noun of the type.
var eventSubjects = map[string]string{
	"order": "the order's invoice UID", "shipment": "the order's invoice UID", "product": "the product's ID", "stock": "the variant's ID",
	"coupon": "the coupon's ID", "customer": "the customer's ID", "cash": "the statement's ID", "provider": "the webhook's ID",
	"job": "the job's ID", "settings": "`settings`, or the provider", "staff": "the staff member's ID", "shop": "the shop's UID",
	"webhook_endpoint": "the endpoint's ID", "plan": "the limit that the shop comes close to",
}

// documentedEvent is a type of events on the page about events.
type documentedEvent struct {
	Type       outbox.Type
	Meaning    string
	Subject    string
	Permission access.Permission // to see it in the stream
	Example    string
}

// newEventsPage returns the page about the events of webhooks and of the stream.
func (s *Server) newEventsPage() (http.Handler, error) {
	files, err := s.reference()
	if err != nil {
		return nil, err
	}
	layout, err := template.New("events.html").Funcs(template.FuncMap{"code": markCode}).ParseFS(referenceFiles, "reference/events.html")
	if err != nil {
		return nil, err
	}
	var examples map[outbox.Type]struct {
		Type      string          `json:"type"`
		Timestamp string          `json:"timestamp"`
		Tenant    string          `json:"tenant"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(eventExamples, &examples); err != nil {
		return nil, err
	}
	meanings, _ := transport.EnumOf(reflect.TypeFor[outbox.Type]())
	var events []documentedEvent
	for _, kind := range outbox.Types() {
		e := documentedEvent{Type: kind, Meaning: meanings.Meaning(string(kind)), Subject: eventSubjects[kind.Noun()]}
		e.Permission = live.EventPermission(kind)
		example, err := json.MarshalIndent(examples[kind], "", "  ")
		if err != nil {
			return nil, err
		}
		e.Example = string(example)
		events = append(events, e)
	}
	var html bytes.Buffer
	err = layout.Execute(&html, struct {
		*prepared.Assets
		Events []documentedEvent
	}{files, events})
	return staticPage("text/html; charset=utf-8", html.Bytes(), referencePolicy), err
}
