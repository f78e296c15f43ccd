package shop

import (
	"context"
	"strings"

	"storefront/shop/access"
	"storefront/shop/fault"
)

// CheckAdminToken gives nil for an administrator's token of this shop, which proves that the
// shop's own server calls. Codes: unauthenticated.
func (s *Shop) CheckAdminToken(ctx context.Context, token string) error {
	if !strings.HasPrefix(token, adminPrefix) {
		return fault.Errorf(fault.CodeUnauthenticated, "This is not an administrator's token of this shop.")
	}
	return s.requireAdmin(ctx, access.Caller{Bearer: token})
}
