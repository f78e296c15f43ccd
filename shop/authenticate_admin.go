package shop

import (
	"context"
	"strings"

	"storefront/shop/access"
	"storefront/shop/fault"
)

// CheckAdminToken checks that token is an API key of this shop, such as the shop's own server sends.
// Codes: unauthenticated.
func (s *Shop) CheckAdminToken(ctx context.Context, token string) error {
	if !strings.HasPrefix(token, adminPrefix) {
		return fault.Errorf(fault.CodeUnauthenticated, "The token is not an API key of this shop.")
	}
	return s.requireAdmin(ctx, access.Caller{Bearer: token})
}
