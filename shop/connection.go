package shop

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/notify"
	"storefront/shop/plugin"
	"storefront/shop/sender"
)

// ConnectionState is the result of the last check of a connection.
//
//api:enum ConnectionState
type ConnectionState string

// The states of connections.
const (
	// Nothing was sent yet with these settings.
	ConnectionUnchecked ConnectionState = "unchecked"
	ConnectionWorks     ConnectionState = "works" // proved by a response
	// The provider has refused: see its words.
	ConnectionRefused ConnectionState = "refused"
	// The provider did not respond, and is checked again.
	ConnectionUnreached ConnectionState = "unreached"
)

// Connection reports whether a provider, the SMS gateway or the mail server works with its
// settings.
type Connection struct {
	State     ConnectionState `json:"state"`
	CheckedAt *time.Time      `json:"checkedAt"` // null unless it was checked
	ProvedAt  *time.Time      `json:"provedAt"`  // when it last worked; null if never
	Words     *string         `json:"words"`     // the reason, if possible in the provider's words; null if it works
	RequestID *string         `json:"requestId"` // of the check; null if the program checked by itself
	// NextCheckAt is when the program checks it again; null if it does not.
	NextCheckAt *time.Time `json:"nextCheckAt"`
}

// connectionKey identifies a connection: a provider in a mode, or sms or mail, in live mode.
type connectionKey struct {
	name string
	mode plugin.Mode
}

// connectionRow is a stored connection.
type connectionRow struct {
	connectionKey
	state     ConnectionState
	words     string
	requestID string
	checkedAt int64
	provedAt  *int64
	failed    int // requests in a row without success
	nextAt    *int64
}

func (r *connectionRow) view() Connection {
	if r == nil {
		return Connection{State: ConnectionUnchecked}
	}
	view := Connection{
		State: r.state, CheckedAt: new(db.FromMillis(r.checkedAt)), Words: db.NullText(r.words), RequestID: db.NullText(r.requestID),
	}
	if r.provedAt != nil {
		view.ProvedAt = new(db.FromMillis(*r.provedAt))
	}
	if r.nextAt != nil {
		view.NextCheckAt = new(db.FromMillis(*r.nextAt))
	}
	return view
}

// connectionDelays are the times between checks of a provider that does not respond. After the last
// one, only staff check it.
var connectionDelays = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 24 * time.Hour,
}

// connectionRenewal is how long a connection that works is not written again.
const connectionRenewal = time.Hour

// connectionState returns the state after a request with this error, and the reason.
func connectionState(err error) (state ConnectionState, words string) {
	if err == nil {
		return ConnectionWorks, ""
	}
	if unreached, ok := errors.AsType[plugin.Unreached](err); ok {
		return ConnectionUnreached, unreached.Reason()
	}
	refusal, isRefusal := errors.AsType[*plugin.Refusal](err)
	if !isRefusal {
		refusal = &plugin.Refusal{}
	}
	isByCheck := isRefusal && refusal.Status == 0 && refusal.Operation == ""
	switch {
	case isByCheck, errors.Is(err, plugin.ErrCourierRefused), errors.Is(err, plugin.ErrGatewayRefused), errors.Is(err, plugin.ErrCourierNotFound):
		return ConnectionRefused, cmp.Or(strings.TrimRight(refusal.Words, ". "), plugin.CourierWords(err))
	}
	return ConnectionUnreached, refusal.Words
}

// messageState is connectionState of a text message or an e-mail.
func messageState(err error) (state ConnectionState, words string) {
	if state, words = connectionState(err); state != ConnectionUnreached || words != "" {
		return state, words
	}
	if failed, ok := errors.AsType[*notify.Error](err); sender.IsUnknown(err) || ok && !failed.Refused {
		return ConnectionUnreached, sender.Reason(err)
	}
	return ConnectionRefused, sender.Reason(err)
}

// maxRefusals is the number of messages in a row that a connection which works may refuse: one
// buyer's number or address proves nothing about the account.
const maxRefusals = 3

// follow completes the row from the earlier one, nil if there is none. isCheck means that the
// request was made to prove the connection, isPlanned that the program checks it again. isNew
// reports whether the row must be stored.
func (r *connectionRow) follow(old *connectionRow, now time.Time, isCheck, isPlanned bool) (isNew bool) {
	r.checkedAt = db.Millis(now)
	if old == nil {
		old = &connectionRow{}
	}
	if r.provedAt = old.provedAt; r.state == ConnectionWorks {
		r.provedAt = &r.checkedAt
	} else {
		r.failed = old.failed + 1
	}
	if isPlanned && r.state == ConnectionUnreached && r.failed <= len(connectionDelays) {
		r.nextAt = new(db.Millis(now.Add(connectionDelays[r.failed-1])))
	}
	if r.state == ConnectionRefused && old.state == ConnectionWorks && !isCheck && r.failed < maxRefusals {
		failed := r.failed
		*r = *old
		r.failed = failed
		return true
	}
	return isCheck || old.state != r.state || old.failed > 0 || old.words != r.words || now.Sub(db.FromMillis(old.checkedAt)) >= connectionRenewal
}

// recordConnection stores the result of a request, unless it is as before. A failure is logged: the
// request itself has ended.
func (s *Shop) recordConnection(ctx context.Context, r connectionRow, isCheck, isPlanned bool) {
	ctx = context.WithoutCancel(ctx)
	result, isNew := r, false
	follow := func(tx *db.Tx) error {
		old, err := findConnection(tx, r.connectionKey)
		result = r
		isNew = err == nil && result.follow(old, tx.Now(), isCheck, isPlanned)
		return err
	}
	err := s.data.View(ctx, func(_ context.Context, tx *db.Tx) error { return follow(tx) })
	if err == nil && isNew {
		err = s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
			if err := follow(tx); err != nil {
				return err
			}
			return upsertConnection(tx, &result)
		})
	}
	if err != nil {
		s.log.WarnContext(ctx, "result of a connection's check not stored", "connection", r.name, "error", err)
	}
}

// recordMessage stores whether the gateway of text messages or the mail server works.
func (s *Shop) recordMessage(ctx context.Context, name string, isTest bool, err error) {
	r := connectionRow{connectionKey: connectionKey{name, plugin.Live}}
	r.state, r.words = messageState(err)
	s.recordConnection(ctx, r, isTest, name != botConnection)
}

// FindConnection returns whether the gateway of text messages ("sms"), the mail server ("mail") or
// the Telegram bot ("telegram") works, to those who may do the use. Codes: unauthenticated,
// forbidden.
func (s *Shop) FindConnection(ctx context.Context, caller access.Caller, use access.UseCase, name string) (Connection, error) {
	return access.Read(ctx, s.data, caller, use, func(tx *db.Tx, _ access.Staff) (Connection, error) {
		r, err := findConnection(tx, connectionKey{name, plugin.Live})
		return r.view(), err
	})
}

// checkConnection sends a request without effect to a provider, and stores the result.
func (s *Shop) checkConnection(ctx context.Context, p *plugin.Plugin, with plugin.Access, requestID string) error {
	err := p.Checker.Check(ctx, with)
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return err // nobody waits for the response any more
	}
	r := connectionRow{
		connectionKey: connectionKey{string(p.Provider), with.Mode},
		requestID:     requestID,
	}
	r.state, r.words = connectionState(err)
	s.recordConnection(ctx, r, true, true)
	return err
}

// connectionCheckTimeout limits a check by the program itself.
const connectionCheckTimeout = 30 * time.Second

// CheckConnections checks the providers again that did not respond, and are due. It returns the
// time of the next check.
func (s *Shop) CheckConnections(ctx context.Context) (next time.Time, err error) {
	due, err := s.findDueConnections(ctx)
	if err != nil {
		return time.Time{}, err
	}
	for _, r := range due {
		if db.FromMillis(*r.nextAt).After(s.now()) {
			continue
		}
		if err := s.checkAgain(ctx, r.connectionKey); err != nil {
			return time.Time{}, err
		}
	}
	if due, err = s.findDueConnections(ctx); err != nil {
		return time.Time{}, err
	}
	if len(due) == 0 {
		return time.Time{}, nil
	}
	first := slices.MinFunc(due, func(a, b connectionRow) int { return cmp.Compare(*a.nextAt, *b.nextAt) })
	return db.FromMillis(*first.nextAt), nil
}

func (s *Shop) findDueConnections(ctx context.Context) (due []connectionRow, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		due, err = findDueConnections(tx)
		return err
	})
	return due, err
}

func (s *Shop) loadConnections(ctx context.Context) (all map[connectionKey]*connectionRow, err error) {
	err = s.data.View(ctx, func(_ context.Context, tx *db.Tx) (err error) {
		all, err = findConnections(tx)
		return err
	})
	return all, err
}

// checkAgain checks a provider, or deletes its row if its settings are not complete any more.
func (s *Shop) checkAgain(ctx context.Context, key connectionKey) error {
	if plugin.Find(s.plugins, plugin.Provider(key.name)) == nil {
		return s.checkMessages(ctx, key)
	}
	for _, can := range []plugin.Capability{plugin.CanBook, plugin.CanPay} {
		adapter, with, ok, err := s.pluginFor(ctx, plugin.Provider(key.name), can, key.mode)
		if err != nil {
			return err
		}
		if !ok || adapter.Checker == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, connectionCheckTimeout)
		defer cancel()
		if err := s.checkConnection(ctx, adapter, with, ""); err != nil {
			s.log.InfoContext(ctx, "provider checked again", "provider", key.name, "error", err)
		}
		return nil
	}
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error { return deleteConnection(tx, key.name) })
}

// checkMessages checks the gateway of text messages or the mail server without a message.
func (s *Shop) checkMessages(ctx context.Context, key connectionKey) error {
	checking, cancel := context.WithTimeout(ctx, connectionCheckTimeout)
	defer cancel()
	proved, ok, err := s.Sender.Check(checking, key.name)
	if ok && (proved || err != nil) {
		r := connectionRow{connectionKey: key}
		r.state, r.words = messageState(err)
		s.recordConnection(ctx, r, true, true)
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		r, err := findConnection(tx, key)
		if err != nil {
			return err
		}
		if r == nil || r.nextAt == nil {
			return nil
		}
		if !ok || r.provedAt == nil {
			return deleteConnection(tx, key.name)
		}
		r.state, r.words, r.requestID, r.failed, r.nextAt = ConnectionWorks, "", "", 0, nil // as before
		return upsertConnection(tx, r)
	})
}
