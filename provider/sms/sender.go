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
	"storefront/shop/sender"
)

// refLetters is the length of {ref}: 100 random bits, and the longest that all known gateways
// accept.
const refLetters = 20

// maxReason is the maximum length of a gateway's error message in an error, in characters.
const maxReason = 200

// Sender sends messages through the gateway of one Config. It is safe for concurrent use.
type Sender struct {
	cfg        Config
	gateway    *gateway
	client     *provider.Client
	redactions []string // secrets in all encodings in which a gateway could quote them
}

// New returns a Sender for cfg, of a shop whose country has callingCode. The error of an invalid
// configuration is [Faults].
func New(cfg Config, client *provider.Client, callingCode string) (*Sender, error) {
	cfg = cfg.WithDefaults(callingCode)
	cfg.Secrets = maps.Clone(cfg.Secrets) // the caller may modify its own
	gateway, err := compile(&cfg)
	if err != nil {
		return nil, err
	}
	return &Sender{cfg: cfg, gateway: gateway, client: client, redactions: secretForms(&cfg)}, nil
}

// Reaches implements [sender.SMS].
func (s *Sender) Reaches(to string) bool {
	_, err := s.cfg.formatNumber(to)
	return err == nil
}

// Send implements [sender.SMS]. A response that is neither a success nor certainly a refusal is
// [sender.ErrSMSUnknown]: a server error, or a response without the format that the rules match
// on.
func (s *Sender) Send(ctx context.Context, to, text string) (messageID string, err error) {
	v, err := s.values(to, text)
	if err != nil {
		return "", fmt.Errorf("%w: %w", sender.ErrSMSRefused, err)
	}
	if s.cfg.TimeoutSeconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(s.cfg.TimeoutSeconds)*time.Second)
		defer cancel()
	}
	req, err := s.gateway.request.build(ctx, v)
	if err != nil {
		return "", fmt.Errorf("%w: %w", sender.ErrSMSRefused, err)
	}
	httpResp, err := s.client.Do(req)
	if err != nil {
		return "", s.sendError(err)
	}
	resp := parseResponse(httpResp)
	if err := s.gateway.classify(resp); err != nil {
		return "", fmt.Errorf("%w: %s", err, s.describe(resp, v))
	}
	return resp.text(s.cfg.MessageID), nil
}

// Check implements [sender.Checker]. Any response proves that the gateway is reached, and none that
// it accepts the account.
func (s *Sender) Check(ctx context.Context) (proved bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, s.gateway.request.base+"/", http.NoBody)
	if err != nil {
		return false, fmt.Errorf("%w: %w", sender.ErrSMSRefused, err)
	}
	if _, err := s.client.Do(req); err != nil {
		return false, s.sendError(err)
	}
	return false, nil
}

func (s *Sender) values(to, text string) (values, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the text must not be empty")
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
	if sender.FitsGSM7(text) {
		v["encoding"] = s.cfg.Encoding.GSM7
	}
	for name, secret := range s.cfg.Secrets {
		v[secretPrefix+name] = secret
	}
	return v, nil
}

// sendError classifies the error of a request without a response.
func (s *Sender) sendError(err error) error {
	kind := sender.ErrSMSUnknown
	if failure, ok := errors.AsType[*provider.Error](err); ok {
		failure.Path = s.gateway.request.pathTemplate // the path that was used may contain a secret
		if !failure.Ambiguous {
			kind = sender.ErrSMSRefused
		}
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// classify returns nil if the gateway accepted the message.
func (g *gateway) classify(resp response) error {
	switch {
	case g.failure != nil && g.failure.matches(resp):
		return sender.ErrSMSRefused
	case g.success.matches(resp):
		return nil
	case resp.Status >= http.StatusInternalServerError:
		return sender.ErrSMSUnknown // the gateway or its proxy may have failed after accepting it
	case resp.Status < http.StatusMultipleChoices && !g.success.canRead(resp):
		return sender.ErrSMSUnknown
	}
	return sender.ErrSMSRefused
}

// describe describes a response for the operator.
func (s *Sender) describe(resp response, v values) string {
	text := fmt.Sprintf("the gateway returned status %d", resp.Status)
	if resp.Status >= http.StatusMultipleChoices && resp.Status < http.StatusBadRequest {
		return text + ", a redirect; configure its target as url"
	}
	if reason := s.reason(resp, v); reason != "" {
		text += ": " + reason
	}
	return text
}
