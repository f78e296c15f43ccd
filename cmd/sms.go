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
	var gateway smsFlags
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
			config, err := gateway.read(a, cmd, args[1:])
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
	gateway.flags(cmd)
	return cmd
}

// smsFlags describe a gateway of text messages.
type smsFlags struct {
	preset, file string
	callingCodes []string
	remove       bool
}

func (f *smsFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.preset, "preset", "", "name of a known gateway")
	flags.StringSliceVar(&f.callingCodes, "calling-codes", nil,
		"calling codes of the countries that messages may go to, such as 880,91; * means all (default the preset's, or the shop's country)")
	flags.StringVar(&f.file, "file", "", "JSON description of a gateway; - reads the standard input")
	flags.BoolVar(&f.remove, "remove", false, "remove the gateway; no messages are sent")
	cmd.MarkFlagsOneRequired("preset", "file", "remove")
	cmd.MarkFlagsMutuallyExclusive("preset", "file", "remove")
}

// read returns the configuration that the flags and KEY=VALUE arguments describe. Nil removes it.
func (f *smsFlags) read(a *app, cmd *cobra.Command, pairs []string) ([]byte, error) {
	switch {
	case len(pairs) > 0 && f.preset == "":
		return nil, &usageError{err: errors.New("KEY=VALUE is allowed only with --preset"), command: cmd.CommandPath()}
	case len(f.callingCodes) > 0 && f.preset == "":
		return nil, &usageError{err: errors.New("--calling-codes is allowed only with --preset"), command: cmd.CommandPath()}
	case f.preset != "":
		params, err := a.readPairs(pairs, "parameters of a preset", cmd.CommandPath())
		if err != nil {
			return nil, err
		}
		config, err := tenants.SMSPresetConfig(f.preset, params, f.callingCodes)
		if err != nil {
			return nil, withHint(err, "list the presets with %s", a.command("api UID listSmsPresets"))
		}
		return config, nil
	case f.file != "":
		_, text, err := a.readAssignment("file=@" + f.file)
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
		if status.Inherited {
			fmt.Fprintf(w, "The shop %s sends text messages with the default gateway of this server.\n", s.UID())
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
