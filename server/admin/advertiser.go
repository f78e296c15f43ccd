package admin

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/conversion"
	"storefront/shop/fault"
	"storefront/shop/page"
)

// AdvertiserAccount is a receiver of orders as staff see it.
type AdvertiserAccount struct {
	conversion.ReceiverStatus
	Connection shop.Connection `json:"connection"` // whether it accepts events
}

// Advertisers are the receivers of orders.
type Advertisers struct {
	Nodes []AdvertiserAccount `json:"nodes" nullable:"false"`
}

// AdvertiserToken is the access token of a receiver.
type AdvertiserToken struct {
	Token string `json:"token" doc:"Access token of the Conversions API or the Events API; empty removes it. It is never shown again"`
}

// AdvertiserPath has a receiver in the path.
type AdvertiserPath struct {
	Receiver conversion.Receiver `path:"receiver" doc:"The receiver" example:"meta"`
}

// advertiser returns a receiver with its connection.
func (r *request) advertiser(ctx context.Context, use access.UseCase, found *conversion.ReceiverStatus) (*AdvertiserAccount, error) {
	connection, err := r.shop().FindConnection(ctx, r.caller(), use, string(found.Receiver))
	return &AdvertiserAccount{*found, connection}, err
}

func advertiserOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "listAdvertisers", Path: "advertisers", Tag: tagAdvertising, Use: access.ToListReceivers,
			Summary: "List the advertisers that can receive orders",
			Description: "The setting `advertising` has the IDs of their pixels, and the step of an order that counts as a purchase. " +
				"Orders are sent once the access token is stored too.",
		}, func(ctx context.Context, in *struct{ request }) (*Advertisers, error) {
			found, err := in.shop().Conversions.ListReceivers(ctx, in.caller())
			if err != nil {
				return nil, err
			}
			list := &Advertisers{}
			for i := range found {
				one, err := in.advertiser(ctx, access.ToListReceivers, &found[i])
				if err != nil {
					return nil, err
				}
				list.Nodes = append(list.Nodes, *one)
			}
			return list, nil
		}),

		define(Operation{
			ID: "setAdvertiserToken", Method: http.MethodPut, Path: "advertisers/{receiver}/token",
			Tag: tagAdvertising, Use: access.ToSetReceiverToken,
			Summary: "Store or remove the access token of an advertiser",
			Codes:   []fault.Code{fault.CodeNotFound, fault.CodeValidationFailed},
			Example: AdvertiserToken{"EAAGm0PX4ZCpsBA"},
		}, func(ctx context.Context, in *struct {
			request
			AdvertiserPath
			Body AdvertiserToken
		}) (*AdvertiserAccount, error) {
			found, err := in.shop().Conversions.SetReceiverToken(ctx, in.caller(), in.Receiver, in.Body.Token)
			if err != nil {
				return nil, err
			}
			return in.advertiser(ctx, access.ToSetReceiverToken, found)
		}),

		define(Operation{
			ID: "testAdvertiser", Method: http.MethodPost, Path: "advertisers/{receiver}/test",
			Tag: tagAdvertising, Use: access.ToTestReceiver, Provider: true, Idempotent: true, BodyOptional: true,
			Summary: "Send a test event to an advertiser",
			Description: "The event has the test code of the setting `advertising`, which orders never have, and appears on the advertiser's page " +
				"for test events. The response has the advertiser's answer.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			AdvertiserPath
			NoBody
		}) (*conversion.ReceiverTest, error) {
			return in.shop().Conversions.TestReceiver(ctx, in.caller(), in.Receiver)
		}),

		define(Operation{
			ID: "listConversions", Path: "conversions", Tag: tagAdvertising, Use: access.ToListConversions, List: true,
			Summary: "List the orders that were sent to advertisers, newest first",
			Description: "An order is listed once for each advertiser, if its buyer has consented. What was sent of the buyer is not stored. " +
				"The list goes back 90 days.",
			Codes: []fault.Code{fault.CodeValidationFailed},
		}, func(ctx context.Context, in *struct {
			request
			ListQuery
			conversion.Filter
		}) (*page.List[conversion.Conversion], error) {
			in.Filter.Request = in.page()
			return in.shop().Conversions.ListConversions(ctx, in.caller(), in.Filter)
		}),

		define(Operation{
			ID: "sendConversion", Method: http.MethodPost, Path: "conversions/{id}/send",
			Tag: tagAdvertising, Use: access.ToSendConversion, Idempotent: true, BodyOptional: true,
			Summary: "Send an order again that an advertiser has not accepted",
			Description: "Within 7 days of the event, and within 48 hours of an attempt whose result is unknown: " +
				"from then on the advertiser would count the order twice.",
			Codes: []fault.Code{fault.CodeNotFound, fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
			ID string `path:"id" doc:"The event's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
		}) (*conversion.Conversion, error) {
			return in.shop().Conversions.SendConversion(ctx, in.caller(), in.ID)
		}),
	}
}
