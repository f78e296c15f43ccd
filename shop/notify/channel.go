package notify

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
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

// channelConfig is the shop's configuration of the channels. The zero value is that of a shop
// without one.
type channelConfig struct {
	Token string `json:"token"` // of the Telegram bot; "": none
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

// ShopChannels are what the shop allows its members, without secrets.
type ShopChannels struct {
	TelegramBot string `json:"telegramBot" doc:"User name of the shop's bot; empty: none"`
	SMS         bool   `json:"sms" doc:"Text messages to members, at most 30 in 24 hours, are allowed"`
}

// ChannelChange changes what the shop allows its members. nil leaves a field as it is.
type ChannelChange struct {
	TelegramToken *string // "": none
	SMS           *bool
}

func (c *channelConfig) view() *ShopChannels { return &ShopChannels{c.Bot, c.SMS} }

// FindChannels returns what the shop allows its members. Codes: unauthenticated, forbidden.
func (n *Notify) FindChannels(ctx context.Context, caller access.Caller) (*ShopChannels, error) {
	who, err := n.cfg.Authorize(ctx, caller, access.ToFindChannels)
	if err != nil {
		return nil, err
	}
	var found *ShopChannels
	err = n.viewAs(ctx, who, func(tx *db.Tx) error {
		c, err := n.channelConfig(tx)
		if err == nil {
			found = c.view()
		}
		return err
	})
	return found, err
}

// ConfigureChannels sets the shop's Telegram bot, whose token is verified first, and whether text
// messages are sent to members. Another bot ends the links of all chats. Codes: validation_failed
// (also a token that Telegram refuses), unauthenticated, forbidden, proof_required.
func (n *Notify) ConfigureChannels(ctx context.Context, caller access.Caller, change ChannelChange) (*ShopChannels, error) {
	who, err := n.cfg.Authorize(ctx, caller, access.ToConfigureChannels)
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
	err = n.updateAs(ctx, who, func(tx *db.Tx) error {
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
		bad.Add("telegramToken", fault.CodeInvalidValue, "Telegram did not accept the token: %s.", err)
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
	who, err := n.cfg.Authorize(ctx, caller, access.ToStartTelegramLink)
	if err != nil {
		return nil, err
	}
	code, err := n.cfg.IDs.Code(codeLength)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(code))
	var started *TelegramCode
	err = n.updateAs(ctx, who, func(tx *db.Tx) error {
		c, err := n.channelConfig(tx)
		if err != nil {
			return err
		}
		if c.Token == "" {
			return errNoTelegram()
		}
		own, err := findPreferences(tx, who.Actor().ID)
		if err != nil {
			return err
		}
		own.codeHash, own.codeExpires = hash[:], new(tx.Now().Add(codeLifetime))
		started = &TelegramCode{code, "https://t.me/" + c.Bot + "?start=" + code, *own.codeExpires}
		if err := savePreferences(tx, who.Actor().ID, own); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectStaff, ID: who.Actor().ID, Label: who.Actor().Name})
	})
	return started, err
}

// codeLength makes a code that nobody guesses in the time in which it is valid.
const codeLength = 12

// FinishTelegramLink links the chat in which the caller's code has arrived at the shop's bot, and
// returns how the caller is notified. Codes: state_conflict (no bot, no code, or it has not arrived
// yet), unavailable (Telegram does not respond), unauthenticated, forbidden.
func (n *Notify) FinishTelegramLink(ctx context.Context, caller access.Caller) (*Preferences, error) {
	who, err := n.cfg.Authorize(ctx, caller, access.ToFinishTelegramLink)
	if err != nil {
		return nil, err
	}
	var c *channelConfig
	var own preferenceRow
	err = n.viewAs(ctx, who, func(tx *db.Tx) (err error) {
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
		return nil, fault.Errorf(fault.CodeStateConflict, "The code has expired: create a new one.")
	}
	received, err := n.cfg.Bot.Received(ctx, c.Token)
	if err != nil {
		return nil, &fault.Error{
			Code: fault.CodeUnavailable, Err: err, RetryAfter: 5, Message: "Telegram did not respond as expected. Try again in a moment.",
		}
	}
	var from *BotMessage
	for i := range received {
		text := strings.TrimSpace(strings.TrimPrefix(received[i].Text, "/start"))
		hash := sha256.Sum256([]byte(strings.ToUpper(text)))
		if subtle.ConstantTimeCompare(hash[:], own.codeHash) == 1 {
			from = &received[i]
		}
	}
	if from == nil {
		return nil, fault.Errorf(fault.CodeStateConflict, "The code has not arrived yet. Open the chat with the bot and press Start, or send the code.")
	}
	err = n.updateAs(ctx, who, func(tx *db.Tx) error {
		current, err := findPreferences(tx, who.Actor().ID)
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare(current.codeHash, own.codeHash) != 1 { // replaced meanwhile
			return fault.Errorf(fault.CodeStateConflict, "The code has expired: create a new one.")
		}
		current.chat, current.chatName, current.codeHash, current.codeExpires = from.Chat, from.Name, nil, nil
		if err := savePreferences(tx, who.Actor().ID, current); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectStaff, ID: who.Actor().ID, Label: who.Actor().Name}, access.Set("telegram", from.Name))
	})
	if err != nil {
		return nil, err
	}
	return n.preferences(ctx, who)
}

// EndTelegramLink ends the notifications of the caller by Telegram. Codes: unauthenticated,
// forbidden.
func (n *Notify) EndTelegramLink(ctx context.Context, caller access.Caller) error {
	who, err := n.cfg.Authorize(ctx, caller, access.ToEndTelegramLink)
	if err != nil {
		return err
	}
	return n.updateAs(ctx, who, func(tx *db.Tx) error {
		own, err := findPreferences(tx, who.Actor().ID)
		if err != nil || own.chat == "" && own.codeHash == nil {
			return err
		}
		before := own.chatName
		own.chat, own.chatName, own.codeHash, own.codeExpires = "", "", nil, nil
		if err := savePreferences(tx, who.Actor().ID, own); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectStaff, ID: who.Actor().ID, Label: who.Actor().Name},
			access.Change{Field: "telegram", Before: before})
	})
}
