package cmd

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/live"
)

func newEventsCommand(a *app) *cobra.Command {
	var after int64
	cmd := &cobra.Command{
		Use:   "events UID",
		Short: "Print the events of a shop as they happen",
		Long: `Print the events of a shop, one per line: number, type, subject and status. Without --after, print only
new events. Events are stored for 30 days. Press Ctrl+C to stop.`,
		Example: `  storefront events acme
  storefront events acme --after 0 --json`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.followEvents(cmd, s, after, a.printEvent)
			})
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "begin with the events after this number")
	return cmd
}

// followEvents calls do with each event of a shop until the command is interrupted. Unless the flag
// after is set, it begins with new events.
func (a *app) followEvents(cmd *cobra.Command, s *shop.Shop, after int64, do func(live.Event) error) error {
	ctx := cmd.Context()
	var from *int64
	if cmd.Flags().Changed("after") {
		from = &after
	}
	stream, err := s.Live.FollowEvents(ctx, a.caller(), from)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		for i := 0; i < len(events) && err == nil && ctx.Err() == nil; i++ {
			err = do(events[i])
		}
		switch {
		case ctx.Err() != nil: // Ctrl+C
			return nil
		case err != nil:
			return err
		}
	}
}

func (a *app) printEvent(e live.Event) error {
	if a.json {
		text, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("encode event: %w", err)
		}
		_, err = fmt.Fprintln(a.Stdout, string(text))
		return err
	}
	_, err := fmt.Fprintln(a.Stdout, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", e.Seq, e.Type, e.Subject, e.Data.Status)))
	return err
}
