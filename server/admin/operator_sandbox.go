package admin

import (
	"context"
	"net/http"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/tenants"
)

func sandboxOperations() []Operation {
	return ofInstallation(
		define(Operation{
			ID: "createSandbox", Method: http.MethodPost, Path: "shops/{shop}/sandbox", Use: access.ToCreateSandbox, Secret: true, Created: true,
			BodyOptional: true,
			Summary:      "Make the sandbox of a shop, for its developers",
			Description: "The sandbox has the UID with -sandbox: the shop's settings, texts, design and catalogue, orders by invented buyers, and an API " +
				"key. It stays in sandbox mode and sends no messages. It has nothing of the shop's buyers, staff and secrets. An earlier sandbox is " +
				"put in the trash and replaced.",
			Codes: []fault.Code{fault.CodeTenantNotFound, fault.CodeStateConflict, fault.CodeShopExists},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
			ShopPath
		}) (*tenants.Sandbox, error) {
			return in.x.Shops().CreateSandbox(ctx, in.caller(), in.UID)
		}),
	)
}
