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
				var from *int64
				if cmd.Flags().Changed("after") {
					from = &after
				}
				stream, err := s.Live.FollowEvents(cmd.Context(), a.caller(), from)
				if err != nil {
					return err
				}
				defer stream.Close()
				for {
					events, err := stream.Next(cmd.Context())
					switch {
					case cmd.Context().Err() != nil: // Ctrl+C
						return nil
					case err != nil:
						return err
					}
					for _, e := range events {
						if err := a.printEvent(e); err != nil {
							return err
						}
					}
				}
			})
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "begin with the events after this number")
	return cmd
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
