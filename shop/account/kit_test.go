package account_test

import (
	"testing"

	"storefront/shop/shoptest"
)

const (
	goodPassword = shoptest.Password
	rahimsPhone  = shoptest.RahimsPhone
	karimsPhone  = shoptest.KarimsPhone
)

// accounts is a shop with its accounts and their dependencies.
type accounts struct{ *shoptest.Accounts }

func newAccounts(t *testing.T) *accounts {
	t.Helper()
	return &accounts{shoptest.NewAccounts(t)}
}
