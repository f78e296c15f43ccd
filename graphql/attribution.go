package graphql

import (
	graphqlgo "github.com/graph-gophers/graphql-go"

	"storefront/shop/campaign"
)

type attributionInput struct {
	First, Last *touch
	Fbp, Fbc    *string
	Consent     *consentInput
}

type consentInput struct {
	At            *graphqlgo.Time
	Wording, Page *string
}

func (in *consentInput) consent() *campaign.ConsentInput {
	if in == nil {
		return nil
	}
	c := &campaign.ConsentInput{Wording: in.Wording, Page: in.Page}
	if in.At != nil {
		c.At = &in.At.Time
	}
	return c
}

type consent struct {
	At            graphqlgo.Time
	Wording, Page *string
}

func newConsent(c *campaign.Consent) consent {
	return consent{graphqlgo.Time{Time: c.At}, c.Wording, c.Page}
}

func (in *attributionInput) attribution() *campaign.AttributionInput {
	if in == nil {
		return nil
	}
	return &campaign.AttributionInput{First: in.First.touch(), Last: in.Last.touch(), Fbp: in.Fbp, Fbc: in.Fbc, Consent: in.Consent.consent()}
}

// touch is Touch and TouchInput of the schema.
type touch struct {
	Source, Medium, Campaign, Content, Term, Fbclid, Referrer, Landing *string

	At *graphqlgo.Time
}

func (in *touch) touch() *campaign.TouchInput {
	if in == nil {
		return nil
	}
	t := &campaign.TouchInput{
		Source: in.Source, Medium: in.Medium, Campaign: in.Campaign, Content: in.Content, Term: in.Term, Fbclid: in.Fbclid,
		Referrer: in.Referrer, Landing: in.Landing,
	}
	if in.At != nil {
		t.At = &in.At.Time
	}
	return t
}

func newTouch(t *campaign.Touch) touch {
	return touch{t.Source, t.Medium, t.Campaign, t.Content, t.Term, t.Fbclid, t.Referrer, t.Landing, newNullTime(t.At)}
}

type orderAttribution struct {
	OrderID     ID
	First, Last *touch
	Fbp, Fbc    *string
	Consent     *consent
}

func newOrderAttribution(a *campaign.OrderAttribution) orderAttribution {
	return orderAttribution{
		ID(a.OrderID), convertNull(a.First, newTouch), convertNull(a.Last, newTouch), a.Fbp, a.Fbc, convertNull(a.Consent, newConsent),
	}
}
