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

// WithDefaults returns the limits with zeros replaced.
func (l Limits) WithDefaults() Limits {
	for limit, byDefault := range map[*int64]int64{
		&l.CodeInterval: 60, &l.CodesPerPhoneAndClient: 5, &l.CodesPerPhone: 10, &l.CodesPerClient: 30, &l.MessagesPerDay: 2000, &l.EmailsPerDay: 2000,
		&l.WrongCodes: 300, &l.WrongCodesPerClient: 30, &l.WrongPasswords: 5, &l.WrongPasswordsPerClient: 300,
		&l.WrongPasswordsPerAccount: 50, &l.RegistrationsPerClient: 60,
	} {
		if *limit == 0 {
			*limit = byDefault
		}
	}
	return l
}

// maxLimit is far above any realistic limit, and small enough that sums do not overflow.
const maxLimit = 1_000_000

// Check adds to bad if a limit is out of range.
func (l Limits) Check(bad *fault.Invalid) {
	for _, limit := range []int64{
		l.CodeInterval, l.CodesPerPhoneAndClient, l.CodesPerPhone, l.CodesPerClient, l.MessagesPerDay, l.EmailsPerDay,
		l.WrongCodes, l.WrongCodesPerClient, l.WrongPasswords, l.WrongPasswordsPerClient,
		l.WrongPasswordsPerAccount, l.RegistrationsPerClient,
	} {
		if limit < 0 || limit > maxLimit {
			bad.Add("limits", fault.CodeInvalidValue, "Each limit must be 1 to %d, or 0 for the default.", maxLimit)
			return
		}
	}
}
