package notify

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
)

// channelSecret is the name of the sealed configuration of the channels.
const channelSecret = "staff_messages"

// codeLifetime is how long a code links a chat.
const codeLifetime = 15 * time.Minute

// channelConfig is the shop's configuration of the channels. The zero value means no configuration.
type channelConfig struct {
	Token string `json:"token"` // of the Telegram bot; "" if there is none
	Bot   string `json:"bot"`   // its user name
	SMS   bool   `json:"sms"`   // text messages to members are allowed
}

func (n *Notify) channelConfig(tx *db.Tx) (*channelConfig, error) {
	text, err := n.cfg.Secrets.Find(tx, channelSecret)
	if errors.Is(err, db.ErrNotFound) {
		return &channelConfig{}, nil
	}
	if err != nil {
		return nil, err
	}
	var c channelConfig
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("parse configuration of channels: %w", err)
	}
	return &c, nil
}

// ShopChannels are the channels that the shop allows its members, without secrets.
type ShopChannels struct {
	TelegramBot string `json:"telegramBot" doc:"User name of the shop's bot; empty if there is none"`
	SMS         bool   `json:"sms" doc:"Text messages to members, at most 30 in 24 hours, are allowed"`
}

// ChannelChange changes the channels that the shop allows its members. A nil field is unchanged.
type ChannelChange struct {
	TelegramToken *string // "" removes it
	SMS           *bool
}

func (c *channelConfig) view() *ShopChannels { return &ShopChannels{c.Bot, c.SMS} }

// FindChannels returns the channels that the shop allows its members. Codes: unauthenticated,
// forbidden.
func (n *Notify) FindChannels(ctx context.Context, caller access.Caller) (*ShopChannels, error) {
	return access.Read(ctx, n.cfg.Data, caller, access.ToFindChannels, func(tx *db.Tx, _ access.Staff) (*ShopChannels, error) {
		c, err := n.channelConfig(tx)
		if err != nil {
			return nil, err
		}
		return c.view(), nil
	})
}

// ConfigureChannels sets the shop's Telegram bot, after verifying its token, and whether text
// messages are sent to members. Another bot ends the links of all chats. Codes: validation_failed
// (also a token that Telegram refuses), unauthenticated, forbidden, proof_required.
func (n *Notify) ConfigureChannels(ctx context.Context, caller access.Caller, change ChannelChange) (*ShopChannels, error) {
	who, err := n.cfg.Data.Authorize(ctx, caller, access.ToConfigureChannels)
	if err != nil {
		return nil, err
	}
	name := ""
	if change.TelegramToken != nil {
		*change.TelegramToken = strings.TrimSpace(*change.TelegramToken)
		if name, err = n.botName(ctx, *change.TelegramToken); err != nil {
			return nil, err
		}
	}
	var c *channelConfig
	err = n.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if c, err = n.channelConfig(tx); err != nil {
			return err
		}
		before := *c
		var changes []access.Change
		if change.TelegramToken != nil {
			c.Token, c.Bot = *change.TelegramToken, name
			changes = append(changes, access.Changed("telegramBot", before.Bot, c.Bot)...)
			if c.Token != before.Token {
				changes = append(changes, access.Set("telegramToken", access.Secret))
			}
			if c.Bot != before.Bot {
				if err := unlinkChats(tx); err != nil {
					return err
				}
			}
		}
		if change.SMS != nil {
			c.SMS = *change.SMS
			changes = append(changes, access.Changed("sms", before.SMS, c.SMS)...)
		}
		if len(changes) == 0 {
			return nil
		}
		text, err := json.Marshal(c)
		if err != nil {
			return fmt.Errorf("encode configuration of channels: %w", err)
		}
		if err := n.cfg.Secrets.Save(tx, channelSecret, text); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectChannels}, changes...)
	})
	if err != nil {
		return nil, err
	}
	return c.view(), nil
}

// botName returns the name of the bot with a token, "" for no token. Codes: validation_failed.
func (n *Notify) botName(ctx context.Context, token string) (string, error) {
	if token == "" {
		return "", nil
	}
	if n.cfg.Bot == nil {
		return "", errNoTelegram()
	}
	name, err := n.cfg.Bot.Name(ctx, token)
	if err != nil {
		var bad fault.Invalid
		bad.Add("telegramToken", fault.CodeInvalidValue, "Telegram did not accept the token: %s.", fault.Reason(err))
		return "", bad.Err()
	}
	return name, nil
}

func errNoTelegram() error {
	return fault.Errorf(fault.CodeStateConflict, "The shop has no Telegram bot. An owner can add one in the settings.")
}

// TelegramCode links a chat to a staff member.
type TelegramCode struct {
	Code      string    `json:"code" doc:"To be sent to the bot"`
	URL       string    `json:"url" doc:"Opens the chat with the bot, in which Start sends the code"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// StartTelegramLink returns a code that the caller sends to the shop's bot, and replaces an earlier
// one. Codes: state_conflict (there is no bot), unauthenticated, forbidden.
func (n *Notify) StartTelegramLink(ctx context.Context, caller access.Caller) (*TelegramCode, error) {
	return access.Write(ctx, n.cfg.Data, caller, access.ToStartTelegramLink, func(tx *db.Tx, who access.Staff) (*TelegramCode, error) {
		code, err := n.cfg.IDs.Code(codeLength)
		if err != nil {
			return nil, err
		}
		c, err := n.channelConfig(tx)
		if err != nil {
			return nil, err
		}
		if c.Token == "" {
			return nil, errNoTelegram()
		}
		own, err := findPreferences(tx, who.Actor().ID)
		if err != nil {
			return nil, err
		}
		hash := sha256.Sum256([]byte(code))
		own.codeHash, own.codeExpires = hash[:], new(tx.Now().Add(codeLifetime))
		if err := savePreferences(tx, who.Actor().ID, own); err != nil {
			return nil, err
		}
		return &TelegramCode{code, "https://t.me/" + c.Bot + "?start=" + code, *own.codeExpires}, who.Audit(tx, callerSubject(who))
	})
}

// callerSubject returns the caller's own account as in the audit log.
func callerSubject(who access.Staff) access.Subject {
	return access.Subject{Kind: access.SubjectStaff, ID: who.Actor().ID, Label: who.Actor().Name}
}

// codeLength prevents guessing a code while it is valid.
const codeLength = 12

// FinishTelegramLink links the chat in which the shop's bot received the caller's code, and returns
// the caller's preferences. Codes: state_conflict (no bot, no code, or it has not arrived yet),
// unavailable (Telegram does not respond), unauthenticated, forbidden.
func (n *Notify) FinishTelegramLink(ctx context.Context, caller access.Caller) (*Preferences, error) {
	who, err := n.cfg.Data.Authorize(ctx, caller, access.ToFinishTelegramLink)
	if err != nil {
		return nil, err
	}
	var c *channelConfig
	var own preferenceRow
	err = n.cfg.Data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		if c, err = n.channelConfig(tx); err != nil {
			return err
		}
		own, err = findPreferences(tx, who.Actor().ID)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case c.Token == "" || n.cfg.Bot == nil:
		return nil, errNoTelegram()
	case own.codeExpires == nil || !n.cfg.Now().Before(*own.codeExpires):
		return nil, errCodeExpired()
	}
	from, err := n.findSender(ctx, c.Token, own.codeHash)
	if err != nil {
		return nil, err
	}
	err = n.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		current, err := findPreferences(tx, who.Actor().ID)
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare(current.codeHash, own.codeHash) != 1 { // replaced in the meantime
			return errCodeExpired()
		}
		current.chat, current.chatName, current.codeHash, current.codeExpires = from.Chat, from.Name, nil, nil
		if err := savePreferences(tx, who.Actor().ID, current); err != nil {
			return err
		}
		return who.Audit(tx, callerSubject(who), access.Set("telegram", from.Name))
	})
	if err != nil {
		return nil, err
	}
	return n.preferences(ctx, who)
}

func errCodeExpired() error {
	return fault.Errorf(fault.CodeStateConflict, "The code has expired: create a new one.")
}

// findSender returns the last message to the bot that has a code. Codes: state_conflict (it has not
// arrived yet), unavailable.
func (n *Notify) findSender(ctx context.Context, token string, codeHash []byte) (*BotMessage, error) {
	received, err := n.cfg.Bot.Received(ctx, token)
	if err != nil {
		return nil, &fault.Error{
			Code: fault.CodeUnavailable, Err: err, RetryAfter: 5, Message: "Telegram did not respond as expected. Try again in a moment.",
		}
	}
	for _, message := range slices.Backward(received) {
		text := strings.TrimSpace(strings.TrimPrefix(message.Text, "/start"))
		hash := sha256.Sum256([]byte(strings.ToUpper(text)))
		if subtle.ConstantTimeCompare(hash[:], codeHash) == 1 {
			return &message, nil
		}
	}
	return nil, fault.Errorf(fault.CodeStateConflict, "The code has not arrived yet. Open the chat with the bot and press Start, or send the code.")
}

// EndTelegramLink ends the notifications of the caller by Telegram. Codes: unauthenticated,
// forbidden.
func (n *Notify) EndTelegramLink(ctx context.Context, caller access.Caller) error {
	return access.Do(ctx, n.cfg.Data, caller, access.ToEndTelegramLink, func(tx *db.Tx, who access.Staff) error {
		own, err := findPreferences(tx, who.Actor().ID)
		if err != nil {
			return err
		}
		if own.chat == "" && own.codeHash == nil {
			return nil
		}
		before := own.chatName
		own.chat, own.chatName, own.codeHash, own.codeExpires = "", "", nil, nil
		if err := savePreferences(tx, who.Actor().ID, own); err != nil {
			return err
		}
		return who.Audit(tx, callerSubject(who), access.Change{Field: "telegram", Before: before})
	})
}
