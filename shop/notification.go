package shop

import (
	"context"
	"errors"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/live"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/notify"
	"storefront/shop/outbox"
	"storefront/shop/sender"
	"storefront/shop/staff"
)

// Notifier sends notifications to staff members by one channel.
type Notifier = notify.Notifier

// newNotify returns the notifications to the staff members of a new shop.
func newNotify(s *Shop, cfg Config) *notify.Notify {
	runner := cfg.Notifications
	if runner == nil {
		runner = notify.NewRunner()
	}
	notifiers := map[notify.Channel]Notifier{notify.SMS: textNotifier{s}, notify.Email: mailNotifier{s}}
	if cfg.Push != nil {
		notifiers[notify.Push] = cfg.Push
	}
	var bot notify.Bot
	if cfg.Telegram != nil {
		proved := provedBot{cfg.Telegram, s}
		notifiers[notify.Telegram], bot = proved, proved
	}
	return notify.New(notify.Config{
		Data: s.data, Now: s.now, IDs: s.ids, Log: s.log, Secrets: s.secrets, Runner: runner, IsWorking: s.isWorking,
		Notifiers: notifiers, Bot: bot, Members: notifiedMembers{}, HasSMS: s.hasSMS, HasMail: s.Sender.HasMail,
		DashboardURL: cfg.DashboardURL, AllowHTTP: cfg.InsecureWebhooks,
		Visible: func(kind outbox.Type) access.Permission { return live.EventPermission(kind) },
		Settings: func(ctx context.Context) (*notify.Settings, error) {
			set, err := s.loadSettings(ctx)
			if err != nil {
				return nil, err
			}
			return &notify.Settings{Texts: notificationTexts{set}, Zone: set.zone, Country: set.Country, ShopName: set.Name}, nil
		},
	})
}

// TelegramBot is a Notifier with a bot that also receives messages.
type TelegramBot interface {
	Notifier
	notify.Bot
}

// notifiedMembers are the staff members of a shop. It implements [notify.Members].
type notifiedMembers struct{}

func notifiedMember(m *staff.NotifiedMember) notify.Member {
	choices := notify.Choices{}
	for kind, channels := range m.Notifications {
		choices[outbox.Type(kind)] = notify.Channels(channels)
	}
	return notify.Member{
		ID: m.ID, Name: m.Name, Language: string(m.Language), Phone: m.Phone, Email: m.Email, Choices: choices, Permits: m.Permits,
	}
}

func (notifiedMembers) Active(tx *db.Tx) ([]notify.Member, error) {
	list, err := staff.ListNotified(tx)
	if err != nil {
		return nil, err
	}
	members := make([]notify.Member, len(list))
	for i := range list {
		members[i] = notifiedMember(&list[i])
	}
	return members, nil
}

func (notifiedMembers) Find(tx *db.Tx, user, country string) (*notify.Member, error) {
	found, err := staff.FindNotified(tx, user, country)
	if err != nil {
		return nil, err
	}
	return new(notifiedMember(found)), nil
}

func (notifiedMembers) SessionOf(tx *db.Tx, caller access.Caller) (string, error) {
	return staff.FindSessionID(tx, caller)
}

func (notifiedMembers) SaveChoices(tx *db.Tx, id string, choices notify.Choices) error {
	chosen := staff.Notifications{}
	for kind, channels := range choices {
		chosen[string(kind)] = staff.MemberChannels(channels)
	}
	return staff.SaveNotifications(tx, id, chosen)
}

// botConnection is the name of the connection of the shop's Telegram bot.
const botConnection = "telegram"

// provedBot records whether the shop's Telegram bot works. A deleted chat proves nothing about it.
type provedBot struct {
	TelegramBot
	shop *Shop
}

// Name implements [notify.Bot]. A token that is refused is not saved.
func (b provedBot) Name(ctx context.Context, token string) (string, error) {
	name, err := b.TelegramBot.Name(ctx, token)
	if err == nil {
		b.shop.recordMessage(ctx, botConnection, true, nil)
	}
	return name, err
}

// Notify implements [notify.Notifier].
func (b provedBot) Notify(ctx context.Context, m notify.Message) error {
	err := b.TelegramBot.Notify(ctx, m)
	if failed, ok := errors.AsType[*notify.Error](err); !ok || !failed.Gone {
		b.shop.recordMessage(ctx, botConnection, false, err)
	}
	return err
}

// textNotifier sends notifications by the shop's SMS gateway.
type textNotifier struct{ shop *Shop }

// Notify implements [Notifier].
func (n textNotifier) Notify(ctx context.Context, m notify.Message) error {
	text := locale.NameIn(locale.Of(m.Language), m.Shop) + ": " + m.Title
	if m.Body != "" {
		text += ", " + m.Body
	}
	_, err := n.shop.Sender.SendText(ctx, m.To.Address, text)
	return messageError(err)
}

// mailNotifier sends notifications by the shop's mail server.
type mailNotifier struct{ shop *Shop }

// Notify implements [Notifier].
func (n mailNotifier) Notify(ctx context.Context, m notify.Message) error {
	text := m.Body + "\n"
	if m.URL != "" {
		text += "\n" + m.URL + "\n"
	}
	subject := locale.NameIn(locale.Of(m.Language), m.Shop) + ": " + m.Title
	page, err := notificationHTML(subject, &m)
	if err == nil {
		_, err = n.shop.Sender.SendMail(ctx, sender.Email{To: m.To.Address, Subject: subject, Text: text, HTML: page})
	}
	return messageError(err)
}

// messageError returns the error of a text message or an e-mail as a notification's error.
func messageError(err error) error {
	if err == nil {
		return nil
	}
	return &notify.Error{
		Unknown: sender.IsUnknown(err),
		Err:     errors.New(sender.Reason(err)),
	}
}

// notificationHTML returns the HTML part of a notification by e-mail; "" for one without a picture.
func notificationHTML(subject string, m *notify.Message) (string, error) {
	if m.Picture == nil {
		return "", nil
	}
	page := message.Page{
		Language: locale.Of(m.Language), Subject: subject, Shop: m.Shop, Parts: []string{m.Body}, Link: m.URL,
		Lines: []message.PageLine{{Name: m.Title, Picture: new(message.Picture(*m.Picture))}},
	}
	if m.URL != "" {
		page.Parts = []string{m.Body + "\n", ""}
	}
	return page.HTML()
}
