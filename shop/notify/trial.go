package notify

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/outbox"
)

// TestResult is the result of a test.
type TestResult struct {
	Accepted int          `json:"accepted" doc:"How many targets have accepted it"`
	Targets  []TestTarget `json:"targets" nullable:"false" doc:"Each browser, chat, phone number and e-mail address of the member"`
}

// TestTarget is the target of a test.
type TestTarget struct {
	Channel  Channel `json:"channel"`
	DeviceID string  `json:"deviceId" doc:"ID of a browser; otherwise empty"`
	Label    string  `json:"label" doc:"The browser as it describes itself, the person in Telegram, the number or the address"`
	Accepted bool    `json:"accepted"`
	Refused  bool    `json:"refused" doc:"It was refused; otherwise, if it was not accepted either, it was not reached"`
	Error    string  `json:"error" doc:"Why it was not accepted; empty if it was"`
}

// testSent is the type of test text messages.
const testSent outbox.Type = "test.sent"

// testTime limits a test.
const testTime = 15 * time.Second

// TestNotifications sends a test to all browsers of the caller and by all other channels that they
// have chosen for any event, regardless of quiet hours. Codes: unauthenticated, forbidden.
func (n *Notify) TestNotifications(ctx context.Context, caller access.Caller) (*TestResult, error) {
	who, err := n.cfg.Data.Authorize(ctx, caller, access.ToTestNotifications)
	if err != nil {
		return nil, err
	}
	return n.test(ctx, who, who.Actor().ID)
}

// TestMember is [Notify.TestNotifications] for a staff member, by ID, e-mail address or phone
// number. Codes: not_found (also one who cannot sign in), unauthenticated, forbidden.
func (n *Notify) TestMember(ctx context.Context, caller access.Caller, user string) (*TestResult, error) {
	who, err := n.cfg.Data.Authorize(ctx, caller, access.ToTestMember)
	if err != nil {
		return nil, err
	}
	return n.test(ctx, who, user)
}

// testSend is one message of a test.
type testSend struct {
	ref    targetRef
	target Target
	at     int // of the result
}

func (n *Notify) test(ctx context.Context, who access.Staff, user string) (*TestResult, error) {
	var list []testSend
	var result *TestResult
	var member *Member
	set, err := n.cfg.Settings(ctx)
	if err != nil {
		return nil, err
	}
	id := "test_" + n.cfg.IDs.Next(n.cfg.Now())
	err = n.cfg.Data.UpdateAs(ctx, who, func(_ context.Context, tx *db.Tx) (err error) {
		list, result = nil, &TestResult{Targets: []TestTarget{}}
		if member, err = n.cfg.Members.Find(tx, user, set.Country); err != nil {
			return err
		}
		if err := n.testTargets(tx, member, id, &list, result); err != nil {
			return err
		}
		return who.Audit(tx, access.Subject{Kind: access.SubjectStaff, ID: member.ID, Label: member.Name})
	})
	if err != nil {
		return nil, err
	}
	text := set.Texts.Test(member.Language)
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	var running sync.WaitGroup
	results := make([]error, len(list))
	for i, one := range list {
		running.Go(func() {
			results[i] = n.notify(ctx, one.ref.channel, Message{
				ID: id, To: one.target, Shop: set.ShopName, Title: text.Title, Body: text.Body, URL: n.url(one.ref.channel, text.Path), Language: member.Language,
				Lifetime: time.Minute,
			})
		})
	}
	running.Wait()
	err = n.cfg.Data.Update(context.WithoutCancel(ctx), func(_ context.Context, tx *db.Tx) error {
		result.Accepted = 0
		for i, one := range list {
			t := &result.Targets[one.at]
			if t.Accepted = results[i] == nil; t.Accepted {
				result.Accepted++
			} else {
				t.Error = fault.Reason(results[i])
				failed, ok := errors.AsType[*Error](results[i])
				t.Refused = ok && (failed.Refused || failed.Gone)
			}
			if err := n.recordTarget(tx, one.ref, one.target, results[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// testTargets finds the targets of a member: every browser, and the other chosen channels.
func (n *Notify) testTargets(tx *db.Tx, m *Member, id string, list *[]testSend, result *TestResult) error {
	cfg, err := n.channelConfig(tx)
	if err != nil {
		return err
	}
	devices, err := findDevices(tx)
	if err != nil {
		return err
	}
	own, err := findPreferences(tx, m.ID)
	if err != nil {
		return err
	}
	r := &recipient{Member: *m, devices: devices[m.ID], chat: own.chat}
	for _, channel := range n.testChannels(m) {
		for _, ref := range r.targets(channel, cfg) {
			target, ok, err := n.targetOf(tx, r, ref, cfg)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			tested := TestTarget{Channel: channel, DeviceID: ref.device, Label: r.label(ref, own.chatName)}
			if channel == SMS { // which counts towards the limit
				if tested.Error, err = n.countTest(tx, ref, id); err != nil {
					return err
				}
			}
			if tested.Error == "" {
				*list = append(*list, testSend{ref, target, len(result.Targets)})
			}
			result.Targets = append(result.Targets, tested)
		}
	}
	return nil
}

// testChannels returns the channels of a member's tests.
func (n *Notify) testChannels(m *Member) (channels []Channel) {
	for _, channel := range allChannels() {
		isChosen := func(rule eventRule) bool { return n.channelsOf(m, rule.kind).has(channel) }
		if channel == Push || channel == Telegram || slices.ContainsFunc(eventRules, isChosen) {
			channels = append(channels, channel)
		}
	}
	return channels
}

// label returns the name of a target for people.
func (r *recipient) label(ref targetRef, chatName string) string {
	switch ref.channel {
	case Telegram:
		return chatName
	case SMS:
		return r.Phone
	case Email:
		return r.Email
	}
	for _, d := range r.devices {
		if d.id == ref.device {
			return d.agent
		}
	}
	return ""
}

// countTest counts a text message as a test. If a limit is reached, it returns the reason instead.
func (n *Notify) countTest(tx *db.Tx, ref targetRef, id string) (limit string, err error) {
	sent, err := countSMS(tx, tx.Now().Add(-24*time.Hour))
	if err != nil {
		return "", err
	}
	if sent >= maxSMS {
		return reasonSMSLimit, nil
	}
	all, own, err := countTestSMS(tx, ref.key, tx.Now().Add(-24*time.Hour))
	if err != nil {
		return "", err
	}
	if all >= maxTestSMS || own >= maxOwnTestSMS {
		return reasonTestLimit, nil
	}
	return "", insertSent(tx, n.cfg.IDs.Next(tx.Now()), ref, testSent, id)
}
