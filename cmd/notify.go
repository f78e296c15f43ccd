package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/notify"
)

func newNotifyCommand(a *app) *cobra.Command {
	return newGroupCommand("notify", "Configure and test notifications to a shop's staff members",
		newNotifyShowCommand(a),
		newNotifyConfigureCommand(a),
		newNotifyTestCommand(a),
	)
}

func newNotifyShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID",
		Short:             "Show what a shop allows its staff members",
		Example:           "  storefront notify show acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.printChannels(s.Notify.FindChannels(cmd.Context(), a.caller()))
			})
		},
	}
}

func (a *app) printChannels(c *notify.ShopChannels, err error) error {
	if err != nil {
		return err
	}
	return a.print(c, func(w *table) {
		bot, sms := "none", "not allowed"
		if c.TelegramBot != "" {
			bot = "@" + c.TelegramBot
		}
		if c.SMS {
			sms = "allowed, at most 30 in 24 hours"
		}
		row(w, "Telegram bot", bot)
		row(w, "Text messages", sms)
	})
}

func newNotifyConfigureCommand(a *app) *cobra.Command {
	var token string
	var sms bool
	cmd := &cobra.Command{
		Use:   "configure UID",
		Short: "Set a shop's Telegram bot, and allow text messages to its staff members",
		Long: `Set the Telegram bot that notifies a shop's staff members, and whether they may choose text messages.

BotFather in Telegram creates a bot and shows its token, which is verified and stored encrypted. An
empty token removes the bot. Other users of this machine can see the arguments of a command: pass the
token with --telegram-token @FILE, which reads it from a file, or with @-, from the standard input.`,
		Example: `  storefront notify configure acme --telegram-token @token.txt
  storefront notify configure acme --sms`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			var change notify.ChannelChange
			if cmd.Flags().Changed("telegram-token") {
				_, value, err := a.readAssignment("token=" + token)
				if err != nil {
					return err
				}
				change.TelegramToken = new(strings.TrimSpace(value))
			}
			if cmd.Flags().Changed("sms") {
				change.SMS = &sms
			}
			if change == (notify.ChannelChange{}) {
				return &usageError{err: errors.New("--telegram-token or --sms must be given"), command: cmd.CommandPath()}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				return a.printChannels(s.Notify.ConfigureChannels(cmd.Context(), a.caller(), change))
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&token, "telegram-token", "", "token of the shop's bot, or @FILE; empty removes the bot")
	flags.BoolVar(&sms, "sms", false, "allow text messages to staff members; --sms=false ends it")
	return cmd
}

func newNotifyTestCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test UID USER",
		Short: "Send a test notification to a staff member",
		Long: `Send a test to all browsers of a staff member and by all other channels that the member has chosen, and
list which have accepted it. USER is the member's e-mail address, phone number or ID.`,
		Example:           "  storefront notify test acme rina@example.com",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				result, err := s.Notify.TestMember(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return err
				}
				return a.print(result, func(w *table) {
					if len(result.Targets) == 0 {
						fmt.Fprintln(w, "The member has no browser, and no other channel that can be used.")
						return
					}
					heading(w, "CHANNEL", "TO…", "RESULT", "ERROR")
					for _, t := range result.Targets {
						state := colour("sent")
						if !t.Accepted {
							state = colour("failed")
						}
						row(w, t.Channel, t.Label, state, t.Error)
					}
				})
			})
		},
	}
}
