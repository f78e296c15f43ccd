package shop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"storefront/shop/plugin"
)

func TestCheckMessage(t *testing.T) {
	t.Parallel()
	post := func(err error) error {
		return fmt.Errorf("request balance: %w: POST example.com/api/secret: %w", plugin.ErrCourierUnknown, err)
	}
	const unread = "The provider's response is not as its API describes it. Check the credentials, then again in a few minutes."
	const unreachable = "The provider cannot be reached. Check again in a few minutes."
	for want, err := range map[string]error{
		"The provider has refused: Invalid key.": fmt.Errorf("list stores: %w",
			&plugin.Refusal{Kind: plugin.ErrCourierRefused, Status: 401, Words: "Invalid key."}),
		"The provider has refused: Unauthorized.": fmt.Errorf("check: %w",
			&plugin.Refusal{Kind: plugin.ErrGatewayRefused, Operation: "credentials", Words: "Unauthorized"}),
		"The store is not active, so nothing is picked up there.": fmt.Errorf("check: %w",
			&plugin.Refusal{Kind: plugin.ErrCourierRefused, Words: "the store is not active, so nothing is picked up there"}),
		"The provider has returned an error: code 9999: System Error. Check the credentials, then again in a few minutes.": fmt.Errorf(
			"check: %w", &plugin.Refusal{Kind: plugin.ErrGatewayUnavailable, Operation: "token", Words: "code 9999: System Error."}),
		"The provider has refused with status 401. Check the credentials.": &plugin.Refusal{
			Kind: plugin.ErrCourierRefused, Status: 401,
		},
		"The provider has refused. Check the credentials, and that they belong to this mode.": fmt.Errorf(
			"%w: it has no sandbox", plugin.ErrCourierRefused,
		),
		"The provider did not respond in time. Check again in a few minutes.": post(context.DeadlineExceeded),
		unreachable: fmt.Errorf("%w: %w", plugin.ErrCourierRefused, &net.OpError{Op: "dial", Err: errors.New("connection refused")}),
		unread:      post(errors.New("invalid character '<'")),
	} {
		if got := checkMessage(err); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}
