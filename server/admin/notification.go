package admin

import (
	"context"
	"net/http"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/notify"
	"storefront/shop/outbox"
)

// NotificationChange changes the caller's preferences.
type NotificationChange struct {
	Events map[outbox.Type]notify.Channels `json:"events,omitempty" nullable:"false" doc:"Channels by type of event; omitted types are unchanged"`
	Quiet  Nullable[notify.Quiet]          `json:"quiet,omitzero" doc:"Hours without notifications, in the shop's time zone; null for none"`
}

// ChannelChange changes the channels that the shop allows its members.
type ChannelChange struct {
	TelegramToken *string `json:"telegramToken,omitempty" doc:"Token of the shop's bot, as BotFather shows it; empty removes the bot"`
	SMS           *bool   `json:"sms,omitempty" doc:"Whether members may choose text messages, at most 30 in 24 hours"`
}

// ShopChannels are the channels that the shop allows its members.
type ShopChannels struct {
	notify.ShopChannels
	Connection shop.Connection `json:"connection"` // whether the Telegram bot works
}

// withConnection adds whether the shop's Telegram bot works.
func withConnection(
	ctx context.Context, in request, use access.UseCase, channels *notify.ShopChannels, err error,
) (*ShopChannels, error) {
	if err != nil {
		return nil, err
	}
	bot, err := in.shop().FindConnection(ctx, in.caller(), use, "telegram")
	return &ShopChannels{*channels, bot}, err
}

// SeenEvents is the last event that the caller has seen.
type SeenEvents struct {
	Seq int64 `json:"seq" doc:"The number of the newest event that was shown"`
}

// DevicePath has a browser in the path.
type DevicePath struct {
	ID string `path:"id" doc:"The device's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
}

func notificationOperations() []Operation {
	return []Operation{
		define(Operation{
			ID: "getNotifications", Path: "notifications",
			Tag: tagNotifications, Use: access.ToFindPreferences,
			Summary: "The caller's notification settings",
			Description: "Includes the caller's browsers, and the key for subscribing a browser " +
				"to push messages.",
		}, func(ctx context.Context, in *struct{ request }) (*notify.Preferences, error) {
			return in.shop().Notify.FindPreferences(ctx, in.caller())
		}),

		define(Operation{
			ID: "updateNotifications", Method: http.MethodPatch, Path: "notifications",
			Tag: tagNotifications, Use: access.ToUpdatePreferences,
			Summary: "Choose events, channels and quiet hours",
			Description: "Events in quiet hours are sent when these end, as one notification if " +
				"there are many. The type `summary.daily` is a summary of the day at 21:00 in the " +
				"shop's time zone. `summary.weekly` names on Sundays at 9:00 what costs money: old " +
				"cash at couriers, areas and buyers that return, and stock that ends.",
			Codes: []fault.Code{fault.CodeValidationFailed},
			Example: map[string]any{
				"events": map[string]any{string(outbox.OrderPlaced): notify.Channels{Push: true}}, "quiet": notify.Quiet{From: "22:00", Until: "07:00"},
			},
		}, func(ctx context.Context, in *struct {
			request
			Body NotificationChange
		}) (*notify.Preferences, error) {
			return in.shop().Notify.UpdatePreferences(ctx, in.caller(), notify.Change{Events: in.Body.Events, Quiet: in.Body.Quiet.edit()})
		}),

		define(Operation{
			ID: "testNotifications", Method: http.MethodPost, Path: "notifications/test",
			Tag: tagNotifications, Use: access.ToTestNotifications,
			Provider: true, Idempotent: true, BodyOptional: true,
			Summary: "Send a test to the caller",
			Description: "The test goes to every browser and to each other channel that is chosen " +
				"for any event. The response states which of them have accepted it.",
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*notify.TestResult, error) {
			return in.shop().Notify.TestNotifications(ctx, in.caller())
		}),

		define(Operation{
			ID: "listRecentEvents", Path: "notifications/recent",
			Tag: tagNotifications, Use: access.ToFindRecent,
			Summary:     "The newest events that the caller has chosen",
			Description: "At most 30, in the words of notifications, whether one was sent or not.",
		}, func(ctx context.Context, in *struct {
			request
			Language locale.Language `query:"lang" enum:"en,bn" doc:"Language of the texts. Defaults to the caller's"`
		}) (*notify.Recent, error) {
			return in.shop().Notify.FindRecent(ctx, in.caller(), string(in.Language))
		}),

		define(Operation{
			ID: "markEventsSeen", Method: http.MethodPut, Path: "notifications/seen",
			Tag: tagNotifications, Use: access.ToMarkSeen,
			Summary: "Mark the events up to one as seen by the caller",
			Example: SeenEvents{1042},
		}, func(ctx context.Context, in *struct {
			request
			Body SeenEvents
		}) (*Done, error) {
			return done(in.shop().Notify.MarkSeen(ctx, in.caller(), in.Body.Seq))
		}),

		define(Operation{
			ID: "subscribeToPush", Method: http.MethodPost, Path: "push/subscriptions",
			Tag: tagNotifications, Use: access.ToSaveDevice,
			Summary: "Let a browser show the caller's notifications",
			Description: "The body is the result of PushSubscription.toJSON. A staff member has " +
				"at most 10 browsers: a further one replaces the browser that was not reached for " +
				"longest. A browser whose push service responds with 404 or 410 is removed.",
			Codes: []fault.Code{fault.CodeValidationFailed},
			Example: notify.Subscription{Endpoint: "https://push.example.com/send/f7Xb2", Keys: notify.SubscriptionKeys{
				P256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", Auth: "BTBZMqHH6r4Tts7J_aSIgg",
			}},
		}, func(ctx context.Context, in *struct {
			request
			Body notify.Subscription
		}) (*notify.Device, error) {
			return in.shop().Notify.SaveDevice(ctx, in.caller(), in.Body)
		}),

		define(Operation{
			ID: "unsubscribeFromPush", Method: http.MethodDelete, Path: "push/subscriptions/{id}",
			Tag: tagNotifications, Use: access.ToRemoveDevice,
			Summary: "End the notifications of one of the caller's browsers",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			DevicePath
		}) (*Done, error) {
			return done(in.shop().Notify.RemoveDevice(ctx, in.caller(), in.ID))
		}),

		define(Operation{
			ID: "startTelegramLink", Method: http.MethodPost, Path: "telegram/link",
			Tag: tagNotifications, Use: access.ToStartTelegramLink, Secret: true, BodyOptional: true,
			Summary:     "Create a code that links the caller's Telegram",
			Description: "The code is sent to the shop's bot, for example by opening the url. It is valid for 15 minutes.",
			Codes:       []fault.Code{fault.CodeStateConflict},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*notify.TelegramCode, error) {
			return in.shop().Notify.StartTelegramLink(ctx, in.caller())
		}),

		define(Operation{
			ID: "finishTelegramLink", Method: http.MethodPost, Path: "telegram/link/finish",
			Tag: tagNotifications, Use: access.ToFinishTelegramLink, Provider: true, BodyOptional: true,
			Summary:     "Link the chat in which the code has arrived",
			Description: "The error is state_conflict until the code arrives.",
			Codes:       []fault.Code{fault.CodeStateConflict, fault.CodeUnavailable},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
		}) (*notify.Preferences, error) {
			return in.shop().Notify.FinishTelegramLink(ctx, in.caller())
		}),

		define(Operation{
			ID: "endTelegramLink", Method: http.MethodDelete, Path: "telegram/link",
			Tag: tagNotifications, Use: access.ToEndTelegramLink,
			Summary: "End the caller's notifications by Telegram",
		}, func(ctx context.Context, in *struct{ request }) (*Done, error) {
			return done(in.shop().Notify.EndTelegramLink(ctx, in.caller()))
		}),

		define(Operation{
			ID: "getNotificationChannels", Path: "notifications/channels",
			Tag: tagNotifications, Use: access.ToFindChannels,
			Summary: "The channels that the shop allows its members",
		}, func(ctx context.Context, in *struct{ request }) (*ShopChannels, error) {
			channels, err := in.shop().Notify.FindChannels(ctx, in.caller())
			return withConnection(ctx, in.request, access.ToFindChannels, channels, err)
		}),

		define(Operation{
			ID: "updateNotificationChannels", Method: http.MethodPatch, Path: "notifications/channels",
			Tag: tagNotifications,
			Use: access.ToConfigureChannels, Provider: true,
			Summary:     "Set the shop's Telegram bot, and allow text messages to members",
			Description: "The token is verified. Another bot ends the links of all members.",
			Codes:       []fault.Code{fault.CodeValidationFailed},
			Example:     map[string]any{"sms": true},
		}, func(ctx context.Context, in *struct {
			request
			Body ChannelChange
		}) (*ShopChannels, error) {
			change := notify.ChannelChange{TelegramToken: in.Body.TelegramToken, SMS: in.Body.SMS}
			channels, err := in.shop().Notify.ConfigureChannels(ctx, in.caller(), change)
			return withConnection(ctx, in.request, access.ToConfigureChannels, channels, err)
		}),

		define(Operation{
			ID: "testMemberNotifications", Method: http.MethodPost, Path: "staff/{id}/notifications/test",
			Tag: tagNotifications,
			Use: access.ToTestMember, Provider: true, Idempotent: true, BodyOptional: true,
			Summary: "Send a test to a staff member",
			Codes:   []fault.Code{fault.CodeNotFound},
		}, func(ctx context.Context, in *struct {
			request
			NoBody
			ID string `path:"id" doc:"The staff member's _id" example:"01KAJ3V5W7X9Y1Z3A5B7C9D1E3"`
		}) (*notify.TestResult, error) {
			return in.shop().Notify.TestMember(ctx, in.caller(), in.ID)
		}),
	}
}
