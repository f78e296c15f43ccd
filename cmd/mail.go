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

func newMailCommand(a *app) *cobra.Command {
	return newGroupCommand("mail", "Configure and test a shop's mail server",
		newMailConfigureCommand(a),
		newMailTestCommand(a),
	)
}

func newMailConfigureCommand(a *app) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "configure UID [KEY=VALUE…] [--remove]",
		Short: "Set or remove a shop's mail server",
		Long: `Set or remove the mail server (SMTP) that sends a shop's e-mails, such as codes to sign in or to set a
new password. The settings replace those set before:

  host      name of the mail server (required)
  from      the sender's address, such as orders@example.com (required)
  username  user name at the mail server, with password
  password  its password
  port      default 587 with starttls, 465 with tls, 25 with none
  security  starttls (default), tls, or none, without encryption and without a password, for a mail
            server in your own network
  fromName  the sender's name; default: the shop's name
  replyTo   address for replies; default: from

The configuration is stored encrypted. Other users of this machine can see the arguments of a command:
pass the password with password=@FILE, which reads it from a file, or with password=@-, from the
standard input. A mail server at a private address requires --private-providers, also of serve.`,
		Example: `  storefront mail configure acme host=smtp.example.com from=orders@example.com username=orders password=@password.txt
  storefront mail configure acme --remove`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			if remove == (len(args) > 1) {
				return &usageError{err: errors.New("either settings or --remove must be given"), command: cmd.CommandPath()}
			}
			config, err := a.readMailConfig(cmd, args[1:])
			if err != nil {
				return err
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				if err := s.Sender.ConfigureMail(cmd.Context(), a.caller(), config); err != nil {
					return err
				}
				return a.printMail(cmd.Context(), s)
			})
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the mail server; no e-mails are sent")
	return cmd
}

// readMailConfig returns the configuration of KEY=VALUE arguments. Nil removes it.
func (a *app) readMailConfig(cmd *cobra.Command, pairs []string) ([]byte, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	settings, err := a.readPairs(pairs, "settings", cmd.CommandPath())
	if err != nil {
		return nil, err
	}
	return tenants.MailConfig(settings)
}

func (a *app) printMail(ctx context.Context, s *shop.Shop) error {
	status, err := tenants.ReadMailStatus(ctx, s, a.caller())
	if err != nil {
		return err
	}
	return a.print(status, func(w *table) {
		if !status.Configured {
			fmt.Fprintf(w, "The shop %s has no mail server and sends no e-mails. Next: %s\n",
				s.UID(), a.command("mail configure "+s.UID()+" host=HOST from=ADDRESS username=USER password=@FILE"))
			return
		}
		if status.Inherited {
			fmt.Fprintf(w, "The shop %s sends e-mails by the default mail server of this server.\n", s.UID())
			return
		}
		c := status.Config
		row(w, "Server", fmt.Sprintf("%s, port %d", c.Host, c.Port))
		row(w, "Security", string(c.Security))
		row(w, "User", printable(c.Username))
		row(w, "Sender", strings.TrimSpace(c.FromName+" <"+c.From+">"))
		if c.ReplyTo != "" {
			row(w, "Replies to", c.ReplyTo)
		}
		fmt.Fprintf(w, "\nNext: %s\n", a.command("mail test "+s.UID()+" ADDRESS"))
	})
}

func newMailTestCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "test UID ADDRESS",
		Short:             "Send a test e-mail to an address",
		Example:           "  storefront mail test acme me@example.com",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error { return a.testMail(cmd.Context(), s, args[1]) })
		},
	}
}

func (a *app) testMail(ctx context.Context, s *shop.Shop, address string) error {
	id, err := s.Sender.SendTestMail(ctx, a.caller(), address)
	refused, isRefused := errors.AsType[*fault.Error](err)
	switch {
	case errors.Is(err, sender.ErrMailNotConfigured):
		return withHint(errors.New("the shop has no mail server"), "set one with %s",
			a.command("mail configure "+s.UID()+" host=HOST from=ADDRESS username=USER password=@FILE"))
	case errors.Is(err, sender.ErrMailUnknown):
		return withHint(fmt.Errorf("no clear response of the mail server: %w", err), "check whether the e-mail arrives before sending another")
	case isRefused && refused.Code == fault.CodeEmailUnavailable:
		return withHint(refused.Err, "check the configuration with %s", a.command("api "+s.UID()+" getMail"))
	case err != nil:
		return err
	}
	sent := struct {
		MessageID string `json:"messageId"`
	}{id}
	return a.print(sent, func(w *table) { fmt.Fprintf(w, "The mail server accepted message %s.\n", printable(id)) })
}
