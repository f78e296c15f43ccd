package notify

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// Preferences are a staff member's preferences for notifications.
type Preferences struct {
	Events   []EventChoice  `json:"events" nullable:"false" doc:"The types that the permissions allow"`
	Quiet    *Quiet         `json:"quiet" doc:"null for no quiet hours"`
	TimeZone string         `json:"timeZone" doc:"Time zone of the quiet hours and the summaries"`
	Push     PushStatus     `json:"push"`
	Telegram TelegramStatus `json:"telegram"`
	SMS      ContactStatus  `json:"sms"`
	Email    ContactStatus  `json:"email"`
	Devices  []Device       `json:"devices" nullable:"false" doc:"The browsers that show notifications"`
}

// EventChoice are the channels by which a staff member is notified of the events of a type.
type EventChoice struct {
	Type     string   `json:"type" doc:"A type of event, summary.daily or summary.weekly"`
	Channels Channels `json:"channels"`
	Default  bool     `json:"default" doc:"The member has not chosen them"`
}

// PushStatus is the data that a browser needs to subscribe.
type PushStatus struct {
	PublicKey string `json:"publicKey" doc:"The applicationServerKey of a subscription, in base64url"`
}

// TelegramStatus states whether a staff member is notified by Telegram.
type TelegramStatus struct {
	Bot  string  `json:"bot" doc:"User name of the shop's bot; empty if none is configured"`
	Chat *string `json:"chat" doc:"Name of the linked person in Telegram; null if nobody is linked"`
}

// ContactStatus states whether a staff member can be notified by text message or e-mail.
type ContactStatus struct {
	Available bool    `json:"available" doc:"The shop sends them to its members"`
	To        *string `json:"to" doc:"The address; null if the member has none"`
}

// Change is a change of preferences. A nil field is unchanged.
type Change struct {
	Events map[outbox.Type]Channels // each replaces the choice for its type
	Quiet  *Quiet                   // a zero Quiet means none
}

// FindPreferences returns the caller's preferences. Codes: unauthenticated, forbidden.
func (n *Notify) FindPreferences(ctx context.Context, caller access.Caller) (*Preferences, error) {
	who, err := n.cfg.Data.Authorize(ctx, caller, access.ToFindPreferences)
	if err != nil {
		return nil, err
	}
	return n.preferences(ctx, who)
}

func (n *Notify) preferences(ctx context.Context, who access.Staff) (*Preferences, error) {
	key, err := n.publicKey(ctx)
	if err != nil {
		return nil, err
	}
	set, err := n.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	hasMail, err := n.cfg.HasMail(ctx)
	if err != nil {
		return nil, err
	}
	p := &Preferences{TimeZone: set.Zone.String(), Push: PushStatus{key}}
	err = n.cfg.Data.ViewAs(ctx, who, func(_ context.Context, tx *db.Tx) error {
		p.Events, p.Devices = []EventChoice{}, []Device{}
		m, err := n.cfg.Members.Find(tx, who.Actor().ID, "")
		if err != nil {
			return err
		}
		for _, rule := range eventRules {
			if _, chosen := m.Choices[rule.kind]; n.maySee(m, rule.kind) {
				p.Events = append(p.Events, EventChoice{string(rule.kind), n.channelsOf(m, rule.kind), !chosen})
			}
		}
		own, err := findPreferences(tx, m.ID)
		if err != nil {
			return err
		}
		cfg, err := n.channelConfig(tx)
		if err != nil {
			return err
		}
		hasSMS, err := n.cfg.HasSMS(tx)
		if err != nil {
			return err
		}
		p.Quiet = own.quiet.view()
		p.Telegram = TelegramStatus{Bot: cfg.Bot}
		if own.chat != "" {
			p.Telegram.Chat = &own.chatName
		}
		p.SMS, p.Email = ContactStatus{cfg.SMS && hasSMS, nullText(m.Phone)}, ContactStatus{hasMail, nullText(m.Email)}
		devices, err := findDevices(tx)
		if err != nil {
			return err
		}
		for _, d := range slices.Backward(devices[m.ID]) {
			p.Devices = append(p.Devices, d.view())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

func nullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// UpdatePreferences changes the caller's preferences. Codes: validation_failed, unauthenticated,
// forbidden.
func (n *Notify) UpdatePreferences(ctx context.Context, caller access.Caller, change Change) (*Preferences, error) {
	var viewer access.Staff
	err := access.Do(ctx, n.cfg.Data, caller, access.ToUpdatePreferences,
		func(tx *db.Tx, who access.Staff) error {
			viewer = who
			quiet, err := change.check()
			if err != nil {
				return err
			}
			m, err := n.cfg.Members.Find(tx, who.Actor().ID, "")
			if err != nil {
				return err
			}
			var changes []access.Change
			if len(change.Events) > 0 {
				choices := Choices{}
				maps.Copy(choices, m.Choices)
				maps.Copy(choices, change.Events)
				if err := n.cfg.Members.SaveChoices(tx, m.ID, choices); err != nil {
					return err
				}
				changes = append(changes, access.Set("events", change.Events))
			}
			if change.Quiet != nil {
				before, err := replaceQuiet(tx, m.ID, quiet)
				if err != nil {
					return err
				}
				changes = append(changes, access.Change{Field: "quiet", Before: before, After: quiet.view()})
			}
			if len(changes) == 0 {
				return nil
			}
			return who.Audit(tx, access.Subject{Kind: access.SubjectStaff, ID: m.ID, Label: m.Name}, changes...)
		})
	if err != nil {
		return nil, err
	}
	return n.preferences(ctx, viewer)
}

// check returns the quiet hours of the change. Codes: validation_failed.
func (c Change) check() (quiet quietHours, err error) {
	var bad fault.Invalid
	for kind := range c.Events {
		if findRule(kind) == nil {
			bad.Add("events", fault.CodeInvalidValue, "There are no notifications about %q. Must be one of the types of this response.", kind)
		}
	}
	if c.Quiet != nil && *c.Quiet != (Quiet{}) {
		from, until := c.Quiet.minutes(&bad)
		quiet = quietHours{&from, &until}
	}
	return quiet, bad.Err()
}

// replaceQuiet replaces a member's quiet hours, and returns the earlier ones.
func replaceQuiet(tx *db.Tx, memberID string, quiet quietHours) (before *Quiet, err error) {
	own, err := findPreferences(tx, memberID)
	if err != nil {
		return nil, err
	}
	before = own.quiet.view()
	own.quiet = quiet
	return before, savePreferences(tx, memberID, own)
}

// Recent lists the events that a staff member has chosen, on any channel.
type Recent struct {
	Unseen int           `json:"unseen" doc:"Events that the member has not seen"`
	Events []RecentEvent `json:"events" nullable:"false" doc:"The newest first, at most 30"`
}

// RecentEvent is an event in the words of a notification.
type RecentEvent struct {
	Seq   int64       `json:"seq"`
	At    time.Time   `json:"at"`
	Type  outbox.Type `json:"type"`
	Title string      `json:"title"`
	Body  string      `json:"body"`
	Path  string      `json:"path" doc:"Path in the dashboard, below the shop; empty if there is none"`
	New   bool        `json:"new"`
}

const (
	maxRecent = 30
	// recentScan limits the events that are searched for a member's events.
	recentScan = 2_000
)

// FindRecent returns the newest events that the caller has chosen and not caused, in a language,
// "en" or "bn"; "" means the caller's. If the caller has seen none yet, the events after the first
// sign-in are new. Codes: unauthenticated, forbidden.
func (n *Notify) FindRecent(ctx context.Context, caller access.Caller, language string) (*Recent, error) {
	set, err := n.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	return access.Read(ctx, n.cfg.Data, caller, access.ToFindRecent, func(tx *db.Tx, who access.Staff) (*Recent, error) {
		m, err := n.cfg.Members.Find(tx, who.Actor().ID, "")
		if err != nil {
			return nil, err
		}
		events, seen, err := n.findRecent(tx, m)
		if err != nil {
			return nil, err
		}
		recent := &Recent{Events: []RecentEvent{}}
		for _, event := range events {
			text, err := set.Texts.Event(tx, event, cmp.Or(language, m.Language), m.Permits)
			if err != nil {
				return nil, err
			}
			if text == nil {
				continue
			}
			one := RecentEvent{event.Seq, event.At, event.Type, text.Title, text.Body, text.Path, event.Seq > seen}
			if one.New {
				recent.Unseen++
			}
			recent.Events = append(recent.Events, one)
		}
		return recent, nil
	})
}

// findRecent returns the newest events that a member has chosen and not caused, and the last event
// that is not new to the member.
func (n *Notify) findRecent(tx *db.Tx, m *Member) (events []outbox.Event, seen int64, err error) {
	own, err := findPreferences(tx, m.ID)
	if err != nil {
		return nil, 0, err
	}
	last, err := outbox.Last(tx)
	if err != nil {
		return nil, 0, err
	}
	var types []outbox.Type
	for _, rule := range eventRules {
		if n.channelsOf(m, rule.kind) != (Channels{}) {
			types = append(types, rule.kind)
		}
	}
	if events, err = findRecentEvents(tx, m.ID, types, last-recentScan, maxRecent); err != nil {
		return nil, 0, err
	}
	if own.seen != 0 {
		return events, own.seen, nil
	}
	seen, err = findFirstSignIn(tx, m.ID, last-recentScan)
	return events, seen, err
}

// MarkSeen records that the caller has seen the events up to one. Codes: unauthenticated,
// forbidden.
func (n *Notify) MarkSeen(ctx context.Context, caller access.Caller, seq int64) error {
	return access.Do(ctx, n.cfg.Data, caller, access.ToMarkSeen, func(tx *db.Tx, who access.Staff) error {
		own, err := findPreferences(tx, who.Actor().ID)
		if err != nil {
			return err
		}
		last, err := outbox.Last(tx)
		if err != nil {
			return err
		}
		seen := min(seq, last)
		if seen <= own.seen {
			return nil
		}
		own.seen = seen
		return savePreferences(tx, who.Actor().ID, own)
	})
}

// isNotFound reports whether a row was not found.
func isNotFound(err error) bool { return errors.Is(err, db.ErrNotFound) }
