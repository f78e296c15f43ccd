package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/tenants"
)

func newSMSCommand(a *app) *cobra.Command {
	return newGroupCommand("sms", "Say how a shop's text messages are sent",
		newSMSConfigureCommand(a),
		newSMSPresetsCommand(a),
		newSMSShowCommand(a),
		newSMSTestCommand(a),
	)
}

func newSMSConfigureCommand(a *app) *cobra.Command {
	var preset, file string
	var remove bool
	cmd := &cobra.Command{
		Use:   "configure UID {--preset NAME KEY=VALUE… | --file FILE | --remove}",
		Short: "Choose the gateway that sends a shop's text messages",
		Long: `Choose the gateway that sends a shop's text messages, the codes that sign customers in among them.

A known gateway is a preset and needs only the account's own data; "sms presets" lists what. Any other
HTTP gateway is described by a JSON file, for which "sms presets --json" has examples. What is
configured is kept encrypted. Arguments are for everyone on this machine to see: KEY=@FILE reads a
value from a file, KEY=@- and --file - from the standard input.`,
		Example: `  storefront sms configure acme --preset bulksmsbd apiKey=@key.txt sender=8809600000000
  storefront sms configure acme --file gateway.json
  storefront sms configure acme --remove`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && preset == "" {
				return &usageError{err: errors.New("KEY=VALUE goes with --preset"), command: cmd.CommandPath()}
			}
			config, err := a.readSMSConfig(preset, args[1:], file)
			if err != nil {
				return err
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := s.ConfigureSMS(cmd.Context(), config); err != nil {
					return err
				}
				return a.printSMS(cmd.Context(), s)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&preset, "preset", "", "a known gateway")
	flags.StringVar(&file, "file", "", "JSON description of a gateway; -: the standard input")
	flags.BoolVar(&remove, "remove", false, "send no messages any more")
	cmd.MarkFlagsOneRequired("preset", "file", "remove")
	cmd.MarkFlagsMutuallyExclusive("preset", "file", "remove")
	return cmd
}

// readSMSConfig gives what is to be configured; nil: nothing any more.
func (a *app) readSMSConfig(preset string, pairs []string, file string) ([]byte, error) {
	switch {
	case preset != "":
		params := make(map[string]string, len(pairs))
		for _, pair := range pairs {
			if !strings.Contains(pair, "=") { // not told which: it may be a secret
				return nil, &usageError{err: errors.New("what a preset needs is given as KEY=VALUE"), command: "storefront sms configure"}
			}
			key, value, err := a.readAssignment(pair)
			if err != nil {
				return nil, err
			}
			params[key] = value
		}
		config, err := tenants.SMSPresetConfig(preset, params)
		if err != nil {
			return nil, withHint(err, "%s", a.command("sms presets"))
		}
		return config, nil
	case file != "":
		_, text, err := a.readAssignment("file=@" + file)
		return []byte(text), err
	}
	return nil, nil
}

func newSMSPresetsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "presets",
		Short:   "List the known gateways and what each needs",
		Example: "  storefront sms presets --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			presets, err := tenants.SMSPresets()
			if err != nil {
				return err
			}
			return a.print(presets, func(w io.Writer) {
				row(w, "PRESET", "GATEWAY", "NEEDS", "WHICH IS")
				for _, p := range presets {
					for _, param := range p.Params {
						name := param.Name
						if param.Optional {
							name += " (optional)"
						}
						row(w, p.Name, p.Title, name, param.Meaning)
					}
				}
			})
		},
	}
}

func newSMSShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "show UID",
		Short:             "Show how a shop's text messages are sent, without secrets",
		Example:           "  storefront sms show acme --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error { return a.printSMS(cmd.Context(), s) })
		},
	}
}

func (a *app) printSMS(ctx context.Context, s *shop.Shop) error {
	status, err := tenants.ReadSMSStatus(ctx, s)
	if err != nil {
		return err
	}
	return a.print(status, func(w io.Writer) {
		if !status.Configured {
			fmt.Fprintf(w, "The shop %s sends no text messages. Next: %s\n", s.UID(), a.command("sms configure "+s.UID()+" --preset NAME KEY=VALUE…"))
			return
		}
		row(w, "Address", status.Config.URL)
		row(w, "Sender", status.Config.Sender)
		row(w, "Secrets", status.Config.Secrets)
		fmt.Fprintf(w, "\nTry it: %s\n", a.command("sms test "+s.UID()+" PHONE"))
	})
}

func newSMSTestCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "test UID PHONE",
		Short:             "Send one real message",
		Example:           "  storefront sms test acme 01711-000000",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error { return a.testSMS(cmd.Context(), s, args[1]) })
		},
	}
	return cmd
}

const privateProvidersUsage = "let providers be at private addresses, such as this machine's"

func (a *app) testSMS(ctx context.Context, s *shop.Shop, phone string) error {
	id, err := s.SendTestSMS(ctx, phone)
	refused, isRefused := errors.AsType[*shop.Error](err)
	switch {
	case errors.Is(err, shop.ErrSMSNotConfigured):
		return withHint(errors.New("the shop has no SMS gateway"), "%s", a.command("sms configure "+s.UID()+" --preset NAME KEY=VALUE…"))
	case errors.Is(err, shop.ErrSMSUnknown):
		return withHint(fmt.Errorf("the gateway gave no clear answer: %w", err), "look whether the message arrives before sending another")
	case isRefused && refused.Code == shop.CodeSMSUnavailable:
		return withHint(refused.Err, "%s", a.command("sms show "+s.UID()))
	case err != nil:
		return err
	}
	sent := struct {
		MessageID string `json:"messageId"` // "": the gateway gives none
	}{id}
	return a.print(sent, func(w io.Writer) { fmt.Fprintf(w, "The gateway has taken the message %s.\n", printable(id)) })
}
