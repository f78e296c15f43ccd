package shop

import (
	"context"
	"strings"

	"storefront/db"
)

// HearCourier takes a call that may be a courier's: it is recognized, stored, and applied once. A
// call that is the courier's is always answered as the courier expects, also where nothing can be
// done with it. Codes: unauthenticated (not configured, or not the courier's); any other error
// means that the call could not be stored, and should come again.
func (s *Shop) HearCourier(ctx context.Context, provider Provider, contentType string, call CourierCall) (CourierAnswer, error) {
	plugin, access, ok, err := s.pluginFor(ctx, provider, CanHear, "")
	if err != nil {
		return CourierAnswer{}, err
	}
	if !ok || plugin.Parcels == nil {
		return CourierAnswer{}, s.refuseCourier(ctx, provider, "the plugin is not configured")
	}
	proof := plugin.Parcels.Recognize(access.Settings, call)
	if !proof.OK {
		return CourierAnswer{}, s.refuseCourier(ctx, provider, proof.Reason)
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return CourierAnswer{}, err
	}
	stored := providerCall{provider: provider, key: proof.Key, contentType: contentType, body: call.Body}
	_, err = s.takeCall(ctx, stored, func(tx *db.Tx, call providerCall) (callOutcome, error) {
		outcome, err := s.readParcelCall(tx, call, plugin.Parcels, set.money)
		outcome.reason = strings.TrimSpace(proof.Doubt + " " + outcome.reason)
		return outcome, err
	})
	if err != nil {
		return CourierAnswer{}, err
	}
	return plugin.Parcels.Answer(access.Settings, call), nil
}

// refuseCourier notes a call that is not the courier's. What is wrong with it stays in the shop.
func (s *Shop) refuseCourier(ctx context.Context, provider Provider, reason string) error {
	if err := s.refuseCall(ctx, provider, "401: "+reason); err != nil {
		return err
	}
	return errorf(CodeUnauthenticated, "This is not the courier's call.")
}

// readParcelCall reads a stored call and applies it.
func (s *Shop) readParcelCall(tx *db.Tx, call providerCall, reader CourierReader, money Currency) (callOutcome, error) {
	notice := reader.Read(call.body, money)
	if !notice.clean() {
		return callOutcome{verdict: VerdictMalformed, reason: "A name in it is too long to be one."}, nil
	}
	switch notice.Kind {
	case NoticeHandshake, NoticeOther:
		return callOutcome{verdict: VerdictIgnored, event: notice.Event, reason: notice.Reason}, nil
	case NoticeMalformed:
		return callOutcome{verdict: VerdictMalformed, event: notice.Event, reason: notice.Reason}, nil
	}
	return s.takeNotice(tx, call, notice)
}

// replayParcelCall applies a stored call again.
func (s *Shop) replayParcelCall(ctx context.Context, call providerCall, reader CourierReader) error {
	set, err := s.loadSettings(ctx)
	if err != nil {
		return err
	}
	return s.update(ctx, func(_ context.Context, tx *db.Tx) error {
		outcome, err := s.readParcelCall(tx, call, reader, set.money)
		if err != nil {
			return err
		}
		return s.settleCall(tx, &call, outcome)
	})
}
