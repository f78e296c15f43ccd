package message

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"storefront/db"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
)

// Settings are the settings of messages to buyers. The zero value sends none.
type Settings struct {
	SMS      []Event         `json:"sms,omitempty"`      // events that the buyer gets a text message about
	Email    []Event         `json:"email,omitempty"`    // events that the buyer gets an e-mail about
	Language locale.Language `json:"language,omitempty"` // "" means the language of the locale
	// billed text messages a day, and e-mails a day; 0 means 500
	PerDay int64 `json:"perDay,omitempty"`
	// Templates replace the program's own texts, by event and language.
	Templates map[Event]map[locale.Language]string `json:"templates,omitempty"`
}

const (
	defaultPerDay = 500
	maxTemplate   = 1000 // characters
)

// events returns the events that a channel notifies about.
func (s Settings) events(channel Channel) []Event {
	if channel == SMS {
		return s.SMS
	}
	return s.Email
}

func (s Settings) perDay() int64 {
	if s.PerDay == 0 {
		return defaultPerDay
	}
	return s.PerDay
}

// placeholders are what a template may contain.
func placeholders() []string {
	return []string{
		"{shop}",
		"{number}",
		"{total}",
		"{cash}",
		"{courier}",
		"{tracking}",
		"{link}",
		"{refunded}",
		"{advance}",
	}
}

// channelsOf returns the channels that notify about an event.
func (s Settings) channelsOf(event Event) []Channel {
	channels := []Channel{}
	for _, channel := range []Channel{SMS, Email} {
		if slices.Contains(s.events(channel), event) {
			channels = append(channels, channel)
		}
	}
	return channels
}

// Check adds to bad what is invalid.
func (s Settings) Check(bad *fault.Invalid) {
	for _, channel := range []Channel{SMS, Email} {
		for i, event := range s.events(channel) {
			if !slices.Contains(Events(), event) {
				bad.Add(
					fmt.Sprintf("buyerMessages.%s[%d]", channel, i),
					fault.CodeInvalidValue,
					"%s",
					mustBeEvent(),
				)
			}
		}
	}
	if s.Language != "" && s.Language != locale.English && s.Language != locale.Bangla {
		bad.Add("buyerMessages.language", fault.CodeInvalidValue, "Must be en or bn.")
	}
	if s.PerDay < 0 || s.PerDay > 1_000_000 {
		bad.Add(
			"buyerMessages.perDay",
			fault.CodeInvalidValue,
			"Must be 1 to 1000000, or 0 for the default.",
		)
	}
	for event, texts := range s.Templates {
		at := "buyerMessages.templates." + string(event)
		if !slices.Contains(Events(), event) {
			bad.Add(at, fault.CodeInvalidValue, "%s", mustBeEvent())
			continue
		}
		for language, text := range texts {
			checkTemplate(bad, at+"."+string(language), language, text)
		}
	}
}

func checkTemplate(bad *fault.Invalid, field string, language locale.Language, text string) {
	rest := text
	for _, placeholder := range placeholders() {
		rest = strings.ReplaceAll(rest, placeholder, "")
	}
	switch {
	case language != locale.English && language != locale.Bangla:
		bad.Add(field, fault.CodeInvalidValue, "The language must be en or bn.")
	case input.IsBlank(&text) || len([]rune(text)) > maxTemplate:
		bad.Add(
			field,
			fault.CodeInvalidValue,
			"A template must be 1 to %d characters.",
			maxTemplate,
		)
	case strings.ContainsAny(rest, "{}"):
		bad.Add(
			field,
			fault.CodeInvalidValue,
			"Braces must enclose one of the placeholders %s.",
			strings.Join(placeholders(), ", "),
		)
	}
}

// FindSettings returns the stored settings, for changes of orders, which read no others.
func FindSettings(tx *db.Tx) (Settings, error) {
	rows, err := db.Query(tx, db.ScanText, `
		SELECT value
		FROM settings
		WHERE key = 'buyerMessages'`)
	if err != nil {
		return Settings{}, fmt.Errorf("find setting: %w", err)
	}
	if len(rows) == 0 {
		return Settings{}, nil
	}
	var set Settings
	if err := json.Unmarshal([]byte(rows[0]), &set); err != nil {
		return Settings{}, fmt.Errorf("parse setting buyerMessages: %w", err)
	}
	return set, nil
}
