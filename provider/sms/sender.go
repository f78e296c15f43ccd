package sms

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"storefront/provider"
	"storefront/shop"
)

// refLetters is the length of a {ref}: 100 random bits, and as much as gateways are known to take.
const refLetters = 20

// maxReason is how many characters of a gateway's own words an error repeats.
const maxReason = 200

// Sender sends through the gateway of one Config. It is safe for concurrent use.
type Sender struct {
	cfg        Config
	gateway    *gateway
	client     *provider.Client
	redactions []string // what no error may repeat, in the forms in which it could come back
}

// New makes a Sender. A configuration that can not be used gives [Faults].
func New(cfg Config, client *provider.Client) (*Sender, error) {
	cfg.Secrets = maps.Clone(cfg.Secrets) // the caller's may change
	gateway, err := compile(&cfg)
	if err != nil {
		return nil, err
	}
	return &Sender{cfg: cfg, gateway: gateway, client: client, redactions: secretForms(&cfg)}, nil
}

// Send implements [shop.SMS]. An answer that is neither a success nor surely a refusal is an
// [shop.ErrSMSUnknown]: a server error, or one that is not in the form that the rules are about.
func (s *Sender) Send(ctx context.Context, to, text string) (messageID string, err error) {
	v, err := s.values(to, text)
	if err != nil {
		return "", fmt.Errorf("%w: %w", shop.ErrSMSRefused, err)
	}
	if s.cfg.TimeoutSeconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(s.cfg.TimeoutSeconds)*time.Second)
		defer cancel()
	}
	req, err := s.gateway.request.build(ctx, v)
	if err != nil {
		return "", fmt.Errorf("%w: %w", shop.ErrSMSRefused, err)
	}
	response, err := s.client.Do(req)
	if err != nil {
		return "", s.sendError(err)
	}
	a := readAnswer(response)
	if verdict := s.gateway.classify(a); verdict != nil {
		return "", fmt.Errorf("%w: %s", verdict, s.describe(a, v))
	}
	return a.text(s.cfg.MessageID), nil
}

func (s *Sender) values(to, text string) (values, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the text is empty")
	}
	number, err := s.cfg.formatNumber(to)
	if err != nil {
		return nil, err
	}
	v := values{
		"to":       number,
		"text":     text,
		"sender":   s.cfg.Sender,
		"ref":      rand.Text()[:refLetters],
		"encoding": s.cfg.Encoding.Unicode,
	}
	if shop.SMSFitsGSM7(text) {
		v["encoding"] = s.cfg.Encoding.GSM7
	}
	for name, secret := range s.cfg.Secrets {
		v[secretPrefix+name] = secret
	}
	return v, nil
}

// sendError tells what is known of the message when the gateway gave no answer.
func (s *Sender) sendError(err error) error {
	verdict := shop.ErrSMSUnknown
	if failure, ok := errors.AsType[*provider.Error](err); ok {
		failure.Path = s.gateway.request.pathTemplate // a secret may be in the path that was used
		if !failure.Ambiguous {
			verdict = shop.ErrSMSRefused
		}
	}
	return fmt.Errorf("%w: %w", verdict, err)
}

// classify gives nil for a message that was taken.
func (g *gateway) classify(a answer) error {
	switch {
	case g.failure != nil && g.failure.matches(a):
		return shop.ErrSMSRefused
	case g.success.matches(a):
		return nil
	case a.Status >= http.StatusInternalServerError:
		return shop.ErrSMSUnknown // it, or what stands before it, broke down on the way
	case a.Status < http.StatusMultipleChoices && !g.success.canRead(a):
		return shop.ErrSMSUnknown
	}
	return shop.ErrSMSRefused
}

// describe says for the operator what the gateway answered.
func (s *Sender) describe(a answer, v values) string {
	text := fmt.Sprintf("the gateway answered with status %d", a.Status)
	if a.Status >= http.StatusMultipleChoices && a.Status < http.StatusBadRequest {
		return text + ", a redirect; configure the address that it leads to"
	}
	if reason := s.reason(a, v); reason != "" {
		text += ": " + reason
	}
	return text
}
