package order

import (
	"context"

	"storefront/db"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/inbox"
	"storefront/shop/plugin"
)

// ReplayWebhook processes a stored webhook again, as if it had just been received. Codes:
// not_found, state_conflict (it has been applied, or cannot be applied with the present settings).
func (s *Orders) ReplayWebhook(
	ctx context.Context, caller access.Caller, id string,
) (*inbox.Webhook, error) {
	webhook, err := access.Write(ctx, s.data, caller, access.ToReplayWebhook,
		func(tx *db.Tx, who access.Staff) (inbox.Incoming, error) {
			record, webhook, err := inbox.Find(tx, id)
			if err != nil {
				return webhook, err
			}
			if record.Verdict == inbox.VerdictApplied {
				return webhook, fault.Errorf(fault.CodeStateConflict, "The webhook has been applied: replaying it would change nothing.")
			}
			return webhook, who.Audit(tx, access.Subject{Kind: access.SubjectWebhook, ID: id, Label: string(webhook.Provider)})
		})
	if err != nil {
		return nil, err
	}
	if err := s.replay(ctx, webhook); err != nil {
		return nil, err
	}
	return s.cfg.Inbox.FindWebhook(ctx, caller, id)
}

func (s *Orders) replay(ctx context.Context, webhook inbox.Incoming) error {
	plugin, pluginAccess, ok, err := s.cfg.Plugin(ctx, webhook.Provider, plugin.CanReceiveWebhooks, "")
	switch {
	case err != nil:
		return err
	case !ok:
		return fault.Errorf(fault.CodeStateConflict, "%s is not configured in %s mode.", webhook.Provider.Name(), s.modeName(ctx))
	case plugin.CourierWebhooks != nil:
		return s.replayShipmentWebhook(ctx, webhook, plugin.CourierWebhooks)
	case plugin.PaymentWebhooks == nil:
		return s.replayCallback(ctx, webhook, pluginAccess.Mode)
	}
	event, ok := plugin.PaymentWebhooks.ReadWebhook(pluginAccess.Settings, webhook.Body)
	if !ok {
		return fault.Errorf(fault.CodeStateConflict,
			"The webhook was signed with other settings. Restore them, then replay it.")
	}
	_, err = s.processPaymentEvent(ctx, &webhook, pluginAccess.Mode, event)
	return err
}

// replayShipmentWebhook applies a stored webhook again.
func (s *Orders) replayShipmentWebhook(
	ctx context.Context, webhook inbox.Incoming, reader plugin.CourierReader,
) error {
	set, err := s.cfg.Settings(ctx)
	if err != nil {
		return err
	}
	return s.data.Update(ctx, func(_ context.Context, tx *db.Tx) error {
		outcome, err := s.applyShipmentWebhook(tx, webhook, reader, set.Currency)
		if err != nil {
			return err
		}
		return s.cfg.Inbox.SaveVerdict(tx, &webhook, outcome)
	})
}
