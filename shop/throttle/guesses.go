package throttle

import "storefront/db"

// Guesses limits the guesses at one account's secret. Each guess is counted as wrong before it is
// compared, and withdrawn if it was right: so concurrent guesses do not exceed the limits.
type Guesses struct {
	Own        Throttle // of the account by the client
	Client     Throttle // of the client, over all accounts
	Everywhere Throttle // of the account by all clients
}

func (g Guesses) all() []Throttle { return []Throttle{g.Own, g.Client, g.Everywhere} }

// Check returns an error while the client may not guess. It writes nothing, so that a flood costs
// little. proven means that the client has another proof to belong to the account: a guesser with
// many addresses does not hold it up. Codes: rate_limited.
func (g Guesses) Check(tx *db.Tx, proven bool) error {
	if err := CheckAll(tx, []Throttle{g.Own, g.Client}); err != nil {
		return err
	}
	if proven {
		return nil
	}
	return g.Everywhere.Check(tx)
}

// Count counts a guess as wrong.
func (g Guesses) Count(tx *db.Tx) error { return CountAll(tx, g.all()) }

// Withdraw uncounts a guess that was right.
func (g Guesses) Withdraw(tx *db.Tx) error {
	for _, t := range g.all() {
		if err := t.Uncount(tx); err != nil {
			return err
		}
	}
	return nil
}

// Succeed uncounts a guess that was right, and the client's wrong ones before it.
func (g Guesses) Succeed(tx *db.Tx) error {
	if err := g.Withdraw(tx); err != nil {
		return err
	}
	return g.Own.Reset(tx)
}
