package account

import "storefront/shop/fault"

// Limits are the limits on failed sign-ins and on the cost of messages. The limits for a phone
// apply to an e-mail address too, with separate counts. Zero means the default.
type Limits struct {
	CodeInterval            int64 `json:"codeInterval"`           // seconds between two codes to one phone; 0 means 60
	CodesPerPhoneAndClient  int64 `json:"codesPerPhoneAndClient"` // unverified codes a day to one phone for one client address; 0 means 5
	CodesPerPhone           int64 `json:"codesPerPhone"`          // unverified codes a day to one phone; 0 means 10
	CodesPerClient          int64 `json:"codesPerClient"`         // unverified codes an hour for one client address; 0 means 30
	MessagesPerDay          int64 `json:"messagesPerDay"`         // billed messages a day with unverified codes, of the whole shop; 0 means 2000
	EmailsPerDay            int64 `json:"emailsPerDay"`           // e-mails a day with unverified codes, of the whole shop; 0 means 2000
	WrongCodes              int64 `json:"wrongCodes"`             // wrong attempts at valid codes an hour, of the whole shop; 0 means 300
	WrongCodesPerClient     int64 `json:"wrongCodesPerClient"`    // wrong codes an hour from one client address; 0 means 30
	WrongPasswords          int64 `json:"wrongPasswords"`         // for one account from one client address, before further delays; 0 means 5
	WrongPasswordsPerClient int64 `json:"wrongPasswordsByClient"` // an hour from one client address, over all accounts; 0 means 300
	// WrongPasswordsPerAccount is the number of wrong passwords for an account in an hour, from all
	// addresses. Beyond it, addresses that never signed in to the account must wait. 0 means 50.
	WrongPasswordsPerAccount int64 `json:"wrongPasswordsPerAccount"`
	RegistrationsPerClient   int64 `json:"registrationsPerClient"` // registrations an hour from one client address; 0 means 60
}

// defaultLimits are the limits of a shop that has set none.
var defaultLimits = Limits{
	CodeInterval: 60, CodesPerPhoneAndClient: 5, CodesPerPhone: 10, CodesPerClient: 30, MessagesPerDay: 2000, EmailsPerDay: 2000,
	WrongCodes: 300, WrongCodesPerClient: 30, WrongPasswords: 5, WrongPasswordsPerClient: 300,
	WrongPasswordsPerAccount: 50, RegistrationsPerClient: 60,
}

// fields returns the limits, the interval first.
func (l *Limits) fields() []*int64 {
	return []*int64{
		&l.CodeInterval, &l.CodesPerPhoneAndClient, &l.CodesPerPhone, &l.CodesPerClient, &l.MessagesPerDay, &l.EmailsPerDay,
		&l.WrongCodes, &l.WrongCodesPerClient, &l.WrongPasswords, &l.WrongPasswordsPerClient,
		&l.WrongPasswordsPerAccount, &l.RegistrationsPerClient,
	}
}

// WithDefaults returns the limits with zeros replaced.
func (l Limits) WithDefaults() Limits {
	defaults := defaultLimits.fields()
	for i, limit := range l.fields() {
		if *limit == 0 {
			*limit = *defaults[i]
		}
	}
	return l
}

// Bounds of the limits. The operator sets any limit up to maxLimit, which is far above any
// realistic limit, and small enough that sums do not overflow. A shop's owner sets at most maxRaise
// times the default: a stolen session of an owner must not end the protection against guessing.
const (
	maxLimit = 1_000_000
	maxRaise = 10
)

// Check adds to bad if a limit is out of range.
func (l Limits) Check(bad *fault.Invalid) {
	for _, limit := range l.fields() {
		if *limit < 0 || *limit > maxLimit {
			bad.Add("limits", fault.CodeInvalidValue, "Each limit must be 1 to %d, or 0 for the default.", maxLimit)
			return
		}
	}
}

// CheckChange adds to bad if an owner may not set the limits. Those that the operator has set
// before may remain.
func (l Limits) CheckChange(bad *fault.Invalid, before Limits) {
	defaults, old := defaultLimits.fields(), before.fields()
	for i, limit := range l.fields() {
		isWeak := *limit > maxRaise**defaults[i]
		if i == 0 { // an interval protects by being long
			isWeak = *limit != 0 && *limit < *defaults[i]/maxRaise
		}
		if isWeak && *limit != *old[i] {
			bad.Add("limits", fault.CodeInvalidValue,
				"A limit must be at most %d times its default, and the interval between codes at least %d seconds. The operator of the server can set others.",
				maxRaise, *defaults[0]/maxRaise)
			return
		}
	}
}
