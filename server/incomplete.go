package server

import (
	"context"
	"net/http"

	"storefront/shop/order"
)

func (s *Server) registerIncompleteOrders() {
	register(s, operation{
		id: "saveIncompleteOrder", method: http.MethodPost, path: "/api/v1/incomplete-orders", tag: tagOrders,
		summary: "Store what a buyer has typed without ordering yet",
		description: "Only after the buyer has agreed to the notice in incompleteOrders of the store. Send it again after a pause in typing: it " +
			"replaces what the session has stored. The shop stores it for 14 days, and an order with the phone number closes it. Without consent " +
			"it is deleted. The response is the same whether or not anything was stored.",
		example: map[string]any{
			"session": "3f1d2c9e8b7a4650a1b2c3d4", "consent": true, "phoneNumber": "01711000009", "name": "Rahim",
			"items": []any{map[string]any{"productId": exampleProductID, "quantity": 1}},
		},
	}, func(ctx context.Context, in *struct {
		request
		LangQuery
		Body order.IncompleteInput
	}) (*order.IncompleteReceived, error) {
		caller, err := in.caller(ctx, in.x)
		if err != nil {
			return nil, err
		}
		return in.x.shop.Orders.SaveIncomplete(ctx, caller, in.Body)
	})
}
