package server_test

import (
	"net/http"
	"testing"
	"time"

	"storefront/shop/fault"
)

// A clock that was a day ahead has no lasting effect once it is corrected: buyers receive and use
// codes and sign in by password immediately.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, s *accountSite) {
		phone := in{"phoneNumber": aPhone}
		before := s.call("register", "", in{"name": "Ayesha", "phoneNumber": aPhone, "password": river}).token()

		s.clock.Advance(24 * time.Hour)
		s.call("me", before, nil).ok()
		s.call("sendOtp", "", phone).ok()
		for range 5 {
			s.call("login", "", in{"user": aPhone, "password": waterfall})
		}
		s.call("login", "", in{"user": aPhone, "password": river}).refused(http.StatusTooManyRequests, fault.CodeRateLimited, "")
		ahead := s.call("register", "", in{"name": "Rahim", "phoneNumber": "+8801711000002", "password": river}).token()

		s.clock.Advance(-24 * time.Hour)
		s.call("me", before, nil).ok()
		s.call("me", ahead, nil).refused(http.StatusUnauthorized, fault.CodeTokenInvalid, "") // its owner signs in again
		s.call("login", "", in{"user": "+8801711000002", "password": river}).ok()
		s.call("login", "", in{"user": aPhone, "password": river}).ok()
		s.call("sendOtp", "", phone).ok()
		s.call("verifyOtpToLogin", "", in{"phoneNumber": aPhone, "code": s.sms.Code(t, aPhone), "name": "Ayesha"}).ok()

		// Small corrections have no effect.
		token := s.call("login", "", in{"user": "+8801711000002", "password": river}).token()
		s.clock.Advance(-2 * time.Second)
		s.call("me", token, nil).ok()
	})
}
