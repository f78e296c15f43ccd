package account

import (
	"context"
	"time"

	"storefront/shop/throttle"
)

// throttles creates the throttles of customers' accounts.
type throttles struct {
	Limits
	throttle.Source
}

// loadThrottles returns the throttles with the shop's present limits.
func (a *Accounts) loadThrottles(ctx context.Context) (throttles, error) {
	set, err := a.cfg.Settings(ctx)
	if err != nil {
		return throttles{}, err
	}
	keys, err := a.cfg.Secrets.Keys(ctx)
	if err != nil {
		return throttles{}, err
	}
	return throttles{Limits: set.Limits.WithDefaults(), Source: throttle.NewSource(keys.Throttle)}, nil
}

// Delays after wrong passwords for one account from one client: fewer than 40 attempts a day for a
// guesser, and seconds of waiting for a customer who mistypes.
const (
	passwordDelay  = 15 * time.Second
	passwordWindow = 24 * time.Hour
)

// wrongPasswordsPerAccount limits wrong passwords by account and client together, so that a guesser
// at another address does not lock the owner out. account is derived from the input, so that the
// throttle does not reveal which accounts exist.
func (t throttles) wrongPasswordsPerAccount(account, client string) throttle.Throttle {
	return throttle.NewDelayed(t.Hash("password", account, client), t.WrongPasswords, passwordWindow, passwordDelay)
}

// wrongPasswordsEverywhere limits wrong passwords for an account from all clients together. It does
// not apply to clients that have signed in to the account before, so that a guesser with many
// addresses does not lock the owner out.
func (t throttles) wrongPasswordsEverywhere(account string) throttle.Throttle {
	return throttle.New(t.Hash("password everywhere", account), t.WrongPasswordsPerAccount, time.Hour)
}

// registrations limits registrations by client and by network.
func (t throttles) registrations(client string) []throttle.Throttle {
	return []throttle.Throttle{
		t.PerClient("registration", client, t.RegistrationsPerClient),
		t.PerNetwork("registration", client, t.RegistrationsPerClient),
	}
}

// wrongPasswordsPerClient limits wrong passwords by client, over all accounts.
func (t throttles) wrongPasswordsPerClient(client string) throttle.Throttle {
	return t.PerClient("password", client, t.WrongPasswordsPerClient)
}

// ClientThrottle returns a throttle of failures of one kind by client, the address that the caller
// connects from. Its limit is [Limits].WrongCodesPerClient an hour.
func (a *Accounts) ClientThrottle(ctx context.Context, kind, client string) (throttle.Throttle, error) {
	t, err := a.loadThrottles(ctx)
	return t.PerClient(kind, client, t.WrongCodesPerClient), err
}

// wrongCodesPerClient limits wrong sign-in codes by client.
func (t throttles) wrongCodesPerClient(client string) throttle.Throttle {
	return t.PerClient("code", client, t.WrongCodesPerClient)
}

// wrongCodesPerNetwork limits wrong sign-in codes by the client's network.
func (t throttles) wrongCodesPerNetwork(client string) throttle.Throttle {
	return t.PerNetwork("code", client, t.WrongCodesPerClient)
}
