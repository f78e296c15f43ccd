package campaign

import (
	"net/url"
	"time"
)

// maxPage is the maximum length of the URL of a page.
const maxPage = 500

// ConsentInput is a buyer's consent that an order is reported to advertisers.
type ConsentInput struct {
	At      *time.Time `json:"at,omitempty" doc:"When the buyer consented. Defaults to now"`
	Wording *string    `json:"wording,omitempty" doc:"Version of the text that the buyer has read, as proof"`
	Page    *string    `json:"page,omitempty" doc:"URL of the page of the order; its query is dropped"`
}

// Consent is a buyer's consent that an order is reported to advertisers.
type Consent struct {
	At      time.Time `json:"at" doc:"When the buyer consented"`
	Wording *string   `json:"wording" doc:"Version of the text that the buyer has read"`
	Page    *string   `json:"page" doc:"URL of the page of the order, without its query; null if it is unknown or erased"`
}

func (c *Consent) input() *ConsentInput {
	if c == nil {
		return nil
	}
	return &ConsentInput{&c.At, c.Wording, c.Page}
}

// clean returns a consent in its stored form, nil without consent.
func (c *ConsentInput) clean(now time.Time) *Consent {
	if c == nil {
		return nil
	}
	at := now
	if c.At != nil && c.At.Before(now) {
		at = *c.At
	}
	return &Consent{At: at.UTC().Truncate(time.Second), Wording: newText(line(c.Wording)), Page: newText(pageURL(Text(c.Page)))}
}

// pageURL returns the URL of a page without its query; "" for another text.
func pageURL(address string) string {
	if len(address) > maxPage {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
