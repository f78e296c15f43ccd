package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/sender"
	"storefront/tenants"
)

func newSMSCommand(a *app) *cobra.Command {
	return newGroupCommand("sms", "Configure and test a shop's SMS gateway",
		newSMSConfigureCommand(a),
		newSMSTestCommand(a),
	)
}

func newSMSConfigureCommand(a *app) *cobra.Command {
	var preset, file string
	var callingCodes []string
	var remove bool
	cmd := &cobra.Command{
		Use:   "configure UID [KEY=VALUE…] {--preset NAME | --file FILE | --remove}",
		Short: "Set or remove a shop's SMS gateway",
		Long: `Set or remove the gateway that sends a shop's text messages, such as sign-in codes.

Known gateways are presets and need only the account's parameters, which "api UID listSmsPresets" lists.
Any other HTTP gateway is described by a JSON file; the presets are examples of it. The configuration is
stored encrypted. Messages go to phone numbers of the shop's country only, unless --calling-codes or the
file's callingCodes lists others.

Other users of this machine can see the arguments of a command: pass secrets with KEY=@FILE, which
reads the value from a file, or with KEY=@- or --file -, from the standard input.`,
		Example: `  storefront sms configure acme --preset bulksmsbd apiKey=@key.txt sender=8809600000000
  storefront sms configure acme --file gateway.json
  storefront sms configure acme --remove`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 && preset == "" {
				return &usageError{err: errors.New("KEY=VALUE is allowed only with --preset"), command: cmd.CommandPath()}
			}
			if len(callingCodes) > 0 && preset == "" {
				return &usageError{err: errors.New("--calling-codes is allowed only with --preset"), command: cmd.CommandPath()}
			}
			config, err := a.readSMSConfig(preset, args[1:], callingCodes, file)
			if err != nil {
				return err
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := s.Sender.ConfigureSMS(cmd.Context(), a.caller(), config); err != nil {
					return err
				}
				return a.printSMS(cmd.Context(), s)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&preset, "preset", "", "name of a known gateway")
	flags.StringSliceVar(&callingCodes, "calling-codes", nil,
		"calling codes of the countries that messages may go to, such as 880,91; * means all (default the preset's, or the shop's country)")
	flags.StringVar(&file, "file", "", "JSON description of a gateway; - reads the standard input")
	flags.BoolVar(&remove, "remove", false, "remove the gateway; no messages are sent")
	cmd.MarkFlagsOneRequired("preset", "file", "remove")
	cmd.MarkFlagsMutuallyExclusive("preset", "file", "remove")
	return cmd
}

// readSMSConfig returns the configuration that the flags describe. Nil removes it.
func (a *app) readSMSConfig(preset string, pairs, callingCodes []string, file string) ([]byte, error) {
	switch {
	case preset != "":
		params, err := a.readPairs(pairs, "parameters of a preset", "storefront sms configure")
		if err != nil {
			return nil, err
		}
		config, err := tenants.SMSPresetConfig(preset, params, callingCodes)
		if err != nil {
			return nil, withHint(err, "list the presets with %s", a.command("api UID listSmsPresets"))
		}
		return config, nil
	case file != "":
		_, text, err := a.readAssignment("file=@" + file)
		return []byte(text), err
	}
	return nil, nil
}

func (a *app) printSMS(ctx context.Context, s *shop.Shop) error {
	status, err := tenants.ReadSMSStatus(ctx, s, a.caller())
	if err != nil {
		return err
	}
	return a.print(status, func(w *table) {
		if !status.Configured {
			fmt.Fprintf(w, "The shop %s has no SMS gateway and sends no text messages. Next: %s\n",
				s.UID(), a.command("sms configure "+s.UID()+" --preset NAME KEY=VALUE…"))
			return
		}
		row(w, "Address", status.Config.URL)
		row(w, "Sender", status.Config.Sender)
		row(w, "Calling codes", strings.Join(status.Config.CallingCodes, ", "))
		row(w, "Secrets", status.Config.Secrets)
		fmt.Fprintf(w, "\nNext: %s\n", a.command("sms test "+s.UID()+" PHONE"))
	})
}

func newSMSTestCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "test UID PHONE",
		Short:             "Send a test message to a phone number",
		Example:           "  storefront sms test acme 01711-000000",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error { return a.testSMS(cmd.Context(), s, args[1]) })
		},
	}
	return cmd
}

const privateProvidersUsage = "allow providers at private addresses, such as this machine"

func (a *app) testSMS(ctx context.Context, s *shop.Shop, phone string) error {
	id, err := s.Sender.SendTestSMS(ctx, a.caller(), phone)
	refused, isRefused := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, sender.ErrSMSNotConfigured):
		return withHint(errors.New("the shop has no SMS gateway"), "set one with %s", a.command("sms configure "+s.UID()+" --preset NAME KEY=VALUE…"))
	case errors.Is(err, sender.ErrSMSUnknown):
		return withHint(fmt.Errorf("unclear response of the SMS gateway: %w", err), "check whether the message arrives before sending another")
	case isRefused && refused.Code == fault.CodeSMSUnavailable:
		return withHint(refused.Err, "check the configuration with %s", a.command("api "+s.UID()+" getSms"))
	case err != nil:
		return err
	}
	sent := struct {
		MessageID string `json:"messageId"` // "" if the gateway returned none
	}{id}
	return a.print(sent, func(w *table) { fmt.Fprintf(w, "The gateway accepted message %s.\n", printable(id)) })
}
