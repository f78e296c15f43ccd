package admin

import (
	"reflect"
	"slices"

	"storefront/shop/access"
	"storefront/shop/account"
	"storefront/shop/endpoint"
	"storefront/shop/job"
	"storefront/shop/locale"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/staff"
)

// staffEnums returns the enumerated types of staff members, their permissions and their jobs.
func staffEnums() map[reflect.Type]Enum {
	language := Enum{"Language", "A language of the dashboard and of messages.", []EnumValue{
		{string(staff.Bangla), "Bangla."},
		{string(staff.English), "English."},
	}}
	permissions := []EnumValue{
		{string(access.OrdersRead), "View orders, shipments, notes."},
		{string(access.OrdersWrite), "Confirm, note, edit, cancel, place orders."},
		{string(access.OrdersDiscount), "Set an order's prices, discount or delivery charge."},
		{string(access.OrdersFulfill), "Book, record, track, deliver, return shipments."},
		{string(access.PaymentsRead), "View payment attempts."},
		{string(access.PaymentsWrite), "Resolve and refund payments."},
		{string(access.ProductsRead), "View drafts and stock."},
		{string(access.ProductsWrite), "Change and import the catalogue."},
		{string(access.StockWrite), "Change stock and low-stock levels."},
		{string(access.CostsRead), "View cost prices and margins."},
		{string(access.CustomersRead), "View customers."},
		{string(access.CustomersWrite), "Note, block, reset a password."},
		{string(access.CustomersDelete), "Erase a person."},
		{string(access.Export), "Files of orders, customers and cash."},
		{string(access.CouponsRead), "View coupons."},
		{string(access.CouponsWrite), "Create, change and disable coupons."},
		{string(access.CashRead), "View cash on delivery."},
		{string(access.CashWrite), "Reconcile couriers' statements."},
		{string(access.AnalyticsRead), "View analytics."},
		{string(access.SettingsRead), "View settings, without secrets."},
		{string(access.SettingsWrite), "Change settings."},
		{string(access.ProvidersRead), "View couriers, gateways, SMS and their webhooks."},
		{string(access.ProvidersWrite), "Configure them, and the mode."},
		{string(access.StaffRead), "View staff members."},
		{string(access.StaffWrite), "Invite and change staff members, end their sessions."},
		{string(access.KeysWrite), "Create and revoke API keys and webhook endpoints."},
		{string(access.AuditRead), "View the audit log."},
		{string(access.ShopClose), "Suspend and resume the shop."},
	}
	return map[reflect.Type]Enum{
		reflect.TypeFor[job.Status](): {"JobStatus", "The status of a job.", []EnumValue{
			{string(job.StatusQueued), "Waits for other jobs."},
			{string(job.StatusRunning), "Under way."},
			{string(job.StatusDone), "Every item has a result."},
			{string(job.StatusCancelled), "Cancelled: the items without a result were not started."},
		}},
		reflect.TypeFor[outbox.Type](): eventTypeEnum(),
		reflect.TypeFor[endpoint.Payload](): {"WebhookPayload", "The extent of an event in a webhook.", []EnumValue{
			{string(endpoint.PayloadThin), "IDs, statuses and amounts."},
			{string(endpoint.PayloadFull), "Also the affected order, as of the time of sending."},
		}},
		reflect.TypeFor[endpoint.DeliveryStatus](): {"DeliveryStatus", "The status of a delivery.", []EnumValue{
			{string(endpoint.DeliveryWaiting), "Not sent yet, or to be sent again."},
			{string(endpoint.DeliverySent), "The endpoint has accepted it."},
			{string(endpoint.DeliveryFailed), "No attempt is left."},
		}},
		reflect.TypeFor[notify.Channel](): {"NotificationChannel", "A way to reach a staff member.", []EnumValue{
			{string(notify.Push), "A push message to a browser."},
			{string(notify.Telegram), "A message by the shop's Telegram bot."},
			{string(notify.SMS), "A text message by the shop's gateway."},
			{string(notify.Email), "An e-mail by the shop's mail server."},
		}},
		reflect.TypeFor[access.ActorKind](): {"ActorKind", "The kind of actor that made a change.", []EnumValue{
			{string(access.ActorStaff), "A staff member."},
			{string(access.ActorKey), "A program with an API key."},
			{string(access.ActorOperator), "The operator of the server."},
			{string(access.ActorCLI), "The command line."},
			{string(access.ActorShop), "The shop by itself, as after a time limit or a provider's webhook. In events only."},
		}},
		reflect.TypeFor[access.SubjectKind](): {"SubjectKind", "The subject of an action.", []EnumValue{
			{string(access.SubjectOrder), "An order."},
			{string(access.SubjectOrders), "Many orders, such as an export or a print."},
			{string(access.SubjectPayment), "An attempt to pay an order."},
			{string(access.SubjectWebhook), "A webhook that a provider sent."},
			{string(access.SubjectStatement), "A courier's statement."},
			{string(access.SubjectCash), "The ledger of cash on delivery."},
			{string(access.SubjectSales), "A report on sales."},
			{string(access.SubjectProduct), "A product."},
			{string(access.SubjectProducts), "Many products, such as an import or an export."},
			{string(access.SubjectVariant), "A variant of a product."},
			{string(access.SubjectCollection), "A collection."},
			{string(access.SubjectMedia), "An uploaded image."},
			{string(access.SubjectCoupon), "A coupon."},
			{string(access.SubjectCustomer), "A customer with an account."},
			{string(access.SubjectGuest), "A buyer without an account."},
			{string(access.SubjectJob), "One action on many records."},
			{string(access.SubjectMessage), "A message to buyers, by its event."},
			{string(access.SubjectSettings), "The shop's settings."},
			{string(access.SubjectShop), "The shop itself: created, suspended, resumed, or in another mode."},
			{string(access.SubjectProvider), "A courier or a payment gateway."},
			{string(access.SubjectSMS), "The gateway of text messages."},
			{string(access.SubjectMail), "The mail server."},
			{string(access.SubjectSigningKey), "The key that signs customers' access tokens."},
			{string(access.SubjectStaff), "A staff member."},
			{string(access.SubjectKey), "An API key."},
			{string(access.SubjectEndpoint), "A webhook endpoint."},
			{string(access.SubjectDevice), "A browser that shows notifications."},
			{string(access.SubjectChannels), "The channels of notifications to staff members."},
		}},
		reflect.TypeFor[staff.Via](): {"Via", "The interface through which an actor reached the shop.", []EnumValue{
			{string(staff.ViaDashboard), "By a session of the dashboard."},
			{string(staff.ViaAPI), "By an API key."},
			{string(staff.ViaCLI), "By the command line."},
		}},
		reflect.TypeFor[staff.Scope]():       {"Scope", "A right of an API key: the permission of the same name.", scopeValues(permissions)},
		reflect.TypeFor[access.Permission](): {"Permission", "A right of a staff member or an API key.", permissions},
		reflect.TypeFor[staff.Role](): {"Role", "A set of permissions of a staff member.", []EnumValue{
			{string(staff.RoleOwner), "Every permission."},
			{string(staff.RoleManager), "All but API keys, credentials of providers and closing the shop."},
			{string(staff.RoleStaff), "The day's work: orders, shipments, stock and customers."},
			{string(staff.RoleViewer), "Views, and changes nothing."},
		}},
		reflect.TypeFor[staff.Status](): {"MemberStatus", "The status of a staff member.", []EnumValue{
			{string(staff.StatusInvited), "Has not set a password yet."},
			{string(staff.StatusActive), "Can sign in."},
			{string(staff.StatusOff), "Cannot sign in until invited again."},
		}},
		reflect.TypeFor[staff.SecondFactor](): {"SecondFactor", "A second factor of a staff member, beside the password.", []EnumValue{
			{string(staff.SecondFactorNone), "Nothing."},
			{string(staff.SecondFactorTOTP), "A code of an authenticator app."},
		}},
		reflect.TypeFor[staff.Theme](): {"Theme", "An appearance of the dashboard.", []EnumValue{
			{string(staff.ThemeSystem), "The setting of the device."},
			{string(staff.ThemeLight), "Light."},
			{string(staff.ThemeDark), "Dark."},
		}},
		reflect.TypeFor[staff.Language]():  language,
		reflect.TypeFor[locale.Language](): language,
		reflect.TypeFor[staff.LinkKind](): {"LinkKind", "The purpose of a link.", []EnumValue{
			{string(staff.LinkInvite), "The staff member sets a first password."},
			{string(staff.LinkReset), "Sets a new password."},
			{string(staff.LinkDemo), "Signs in to the demo shop, without a password."},
		}},
		reflect.TypeFor[staff.Requirement](): {"Requirement", "The staff members who must have a second factor.", []EnumValue{
			{string(staff.RequireNone), "Nobody."},
			{string(staff.RequireOwners), "Owners."},
			{string(staff.RequireEveryone), "Everybody."},
		}},
		reflect.TypeFor[account.WorkPurpose](): {"WorkPurpose", "The request that requires a proof of work.", []EnumValue{
			{string(account.WorkForOTP), "Requesting a code."},
			{string(account.WorkForOrders), "Placing an order as a guest."},
		}},
	}
}

// scopeValues returns the permissions that an API key can have, and the value for all of them.
func scopeValues(permissions []EnumValue) []EnumValue {
	values := []EnumValue{{string(staff.ScopeAll), "All that a key can have."}}
	for _, p := range permissions {
		if slices.Contains(staff.Scopes(), access.Permission(p.Name)) {
			values = append(values, p)
		}
	}
	return values
}
