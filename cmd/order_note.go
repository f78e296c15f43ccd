package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
)

func newOrderCallCommand(a *app) *cobra.Command {
	var note, at string
	cmd := &cobra.Command{
		Use:   "call UID ORDER OUTCOME",
		Short: "Record a call to an order's buyer",
		Long: `Record a call to an order's buyer. OUTCOME is one of:

  confirmed     the buyer wants the order, which is confirmed
  no_answer     nobody answered
  call_later    the buyer wants to be called at another time, see --at
  wrong_number  the number is not the buyer's
  refused       the buyer does not want the order, which is cancelled

"order list --calls due --sort callDue" lists the buyers to call again.`,
		Example: `  storefront order call acme 1064 confirmed
  storefront order call acme 1065 no_answer --note "Rang for a minute"
  storefront order call acme 1066 call_later --at 2026-03-01T18:00:00+06:00`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				call := shop.CallInput{Outcome: shop.CallOutcome(args[2]), Text: note}
				var err error
				if call.CallAt, err = a.parseTime(cmd, "at", at); err != nil {
					return err
				}
				order, err := s.RecordCall(cmd.Context(), a.caller(), invoice, call)
				if err != nil {
					return err
				}
				return a.print(order, func(w *table) {
					fmt.Fprintf(w, "Call recorded. Order %d is %s.\n", order.OrderNumber, order.Status)
				})
			})
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "note about the call, visible to staff only")
	cmd.Flags().StringVar(&at, "at", "", "when to call again, such as 2026-03-01T18:00:00+06:00")
	return cmd
}

func newOrderNoteCommand(a *app) *cobra.Command {
	var remove string
	cmd := &cobra.Command{
		Use:   "note UID ORDER [TEXT]",
		Short: "Add a note to an order, or delete one",
		Long:  `Add a note to an order, which staff see and its buyer does not. "order show" lists the notes.`,
		Example: `  storefront order note acme 1064 "Wants a gift box"
  storefront order note acme 1064 --delete 01KAJ3V5W7X9Y1Z3A5B7C9D1E3`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (remove == "") != (len(args) == 3) {
				return &usageError{err: fmt.Errorf("pass either a TEXT or --delete"), command: cmd.CommandPath()}
			}
			return a.withOrder(cmd.Context(), args, func(s *shop.Shop, invoice string) error {
				var order *shop.StaffOrder
				var err error
				if remove != "" {
					order, err = s.DeleteNote(cmd.Context(), a.caller(), invoice, remove)
				} else {
					order, err = s.AddNote(cmd.Context(), a.caller(), invoice, args[2])
				}
				if err != nil {
					return err
				}
				return a.print(order, func(w *table) { printNotes(w, order.Notes) })
			})
		},
	}
	cmd.Flags().StringVar(&remove, "delete", "", "ID of a note to delete")
	return cmd
}

func newOrderTagCommand(a *app) *cobra.Command {
	var add, remove []string
	cmd := &cobra.Command{
		Use:               "tag UID ORDER…",
		Short:             "Add tags to orders, or remove tags",
		Long:              `Add tags to orders, or remove tags. "order list --tag" lists the orders with a tag.`,
		Example:           `  storefront order tag acme 1064 1065 --add gift --remove fragile`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(add)+len(remove) == 0 {
				return &usageError{err: fmt.Errorf("pass --add or --remove"), command: cmd.CommandPath()}
			}
			change := shop.TagChange{Add: add, Remove: remove}
			tags := map[string][]string{}
			return eachOrder(cmd.Context(), a, args, func(w *table, o *shop.Order) {
				fmt.Fprintf(w, "Order %d: %s\n", o.OrderNumber, orNone(strings.Join(tags[o.ID], ", ")))
			}, func(s *shop.Shop, invoice string) (*shop.Order, error) {
				order, err := s.TagOrder(cmd.Context(), a.caller(), invoice, change)
				if err != nil {
					return nil, err
				}
				tags[order.ID] = order.Tags
				return &order.Order, nil
			})
		},
	}
	cmd.Flags().StringSliceVar(&add, "add", nil, "tag to add; repeatable")
	cmd.Flags().StringSliceVar(&remove, "remove", nil, "tag to remove; repeatable")
	return cmd
}

// orNone returns the text, or "no tags" for none.
func orNone(tags string) string {
	if tags == "" {
		return "no tags"
	}
	return tags
}

// printNotes prints the notes and calls of an order.
func printNotes(w *table, notes []shop.Note) {
	if len(notes) == 0 {
		fmt.Fprintln(w, "No notes.")
		return
	}
	heading(w, "TIME", "BY", "CALL", "NOTE…", "[ID]")
	for _, n := range notes {
		outcome := ""
		if n.Outcome != nil {
			outcome = string(*n.Outcome)
		}
		if n.CallAt != nil {
			outcome += ", again " + w.time(*n.CallAt)
		}
		row(w, w.time(n.At), strings.TrimSpace(string(n.By.Kind)+" "+n.By.Name), outcome, optional(n.Text), n.ID)
	}
}
