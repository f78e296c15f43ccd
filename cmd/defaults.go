package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/tenants"
)

func newDefaultsCommand(a *app) *cobra.Command {
	return newGroupCommand("defaults", "Set what the shops of this server inherit",
		newDefaultsShowCommand(a),
		newDefaultsSetCommand(a),
		newDefaultsSMSCommand(a),
		newDefaultsMailCommand(a),
	)
}

func newDefaultsShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "Show what the shops of this server inherit",
		Example: "  storefront defaults show --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
				d, err := t.FindDefaults(cmd.Context(), a.caller())
				if fault.HasCode(err, fault.CodeNotFound) {
					none := shop.Defaults{Policies: []shop.DefaultPolicy{}, Locked: []shop.DefaultKey{}, Announcements: []shop.Announcement{}}
					d, err = &tenants.ServerDefaults{Defaults: none}, nil
				}
				if err != nil {
					return err
				}
				return a.print(d, func(w *table) { writeDefaults(w, d) })
			})
		},
	}
}

func writeDefaults(w *table, d *tenants.ServerDefaults) {
	none := func(text string) string {
		if text == "" {
			return "none"
		}
		return text
	}
	sms, mail, theme := "", "", ""
	if d.SMS != nil {
		sms = d.SMS.URL
	}
	if d.Mail != nil {
		mail = d.Mail.Host + ", from " + d.Mail.From
	}
	if d.Design != nil {
		theme = strings.TrimSpace(string(d.Design.Design) + " " + d.Design.Tokens.Seed)
	}
	var slugs, contact, locked []string
	for i := range d.Policies {
		slugs = append(slugs, d.Policies[i].Slug)
	}
	for _, text := range []string{d.Branding.Name, d.Branding.Phone, d.Branding.Email, d.Branding.URL} {
		if text != "" {
			contact = append(contact, text)
		}
	}
	var announced []string
	for i := range d.Announcements {
		announced = append(announced, cmp.Or(d.Announcements[i].Eng, d.Announcements[i].Bangla))
	}
	for _, key := range d.Locked {
		locked = append(locked, string(key))
	}
	row(w, "Text messages", none(printable(sms)))
	row(w, "E-mail", none(printable(mail)))
	row(w, "Design", none(theme))
	row(w, "Policies", none(printable(strings.Join(slugs, ", "))))
	row(w, "Dashboard", none(printable(strings.Join(contact, ", "))))
	row(w, "Announcements", none(printable(strings.Join(announced, " | "))))
	row(w, "Locked", none(strings.Join(locked, ", ")))
}

// changeDefaults changes the defaults, and sets them in all shops.
func (a *app) changeDefaults(ctx context.Context, change func(t *tenants.Tenants) (*tenants.ServerDefaults, error)) error {
	return a.withNewTenants(ctx, func(t *tenants.Tenants) error {
		if _, err := t.CreateInstallation(ctx); err != nil {
			return err
		}
		d, err := change(t)
		if err != nil {
			return err
		}
		if err := a.pushCopies(ctx, t); err != nil {
			return err
		}
		return a.print(d, func(w *table) { writeDefaults(w, d) })
	})
}

// pushCopies sets the present plans and defaults in the shops, and shows the progress.
func (a *app) pushCopies(ctx context.Context, t *tenants.Tenants) error {
	bar := a.progress("updating")
	defer bar.end()
	if err := t.PushCopies(ctx, bar.set); err != nil {
		return withHint(err, "run the command again")
	}
	return nil
}

func newDefaultsSetCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY=VALUE…",
		Short: "Set defaults of all shops, or lock them",
		Long: `Set what shops inherit until they have their own, in JSON. null removes a default. KEY=@FILE reads the value
from a file, KEY=@- from the standard input.

  branding  the dashboard of all shops: name, logo (a data URL), colour, phone, email and url
  design    design and tokens of sites of shops that have published no design
  policies  legal policies of shops without one of the same slug, in Bangla (bn) and English (en)
  locked    subjects that shops cannot replace: sms, mail, design, policies
  announcements
            lines above the dashboard: kind (maintenance, version or information), text in English (en) or Bangla (bn),
            from, until, and plan or shops (UIDs), if not all receive it`,
		Example: `  storefront defaults set 'branding={"name": "Dhaka Web", "phone": "09600-000000", "colour": "#1a7f5a"}'
  storefront defaults set policies=@policies.json 'locked=["policies"]'
  storefront defaults set 'announcements=[{"kind": "maintenance", "en": "Closed on Friday from 2 to 3 a.m."}]'
  storefront defaults set design=null`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return arguments{{name: "KEY=VALUE"}}.missing(cmd)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			pairs, err := a.readPairs(args, "defaults", cmd.CommandPath())
			if err != nil {
				return err
			}
			changes := make(map[string]json.RawMessage, len(pairs))
			for name, value := range pairs {
				if !json.Valid([]byte(value)) {
					return &usageError{err: fmt.Errorf("the value of %s must be JSON", printable(name)), command: cmd.CommandPath()}
				}
				changes[name] = json.RawMessage(value)
			}
			return a.changeDefaults(cmd.Context(), func(t *tenants.Tenants) (*tenants.ServerDefaults, error) {
				return t.SetDefaults(cmd.Context(), a.caller(), changes)
			})
		},
	}
}

func newDefaultsSMSCommand(a *app) *cobra.Command {
	var gateway smsFlags
	cmd := &cobra.Command{
		Use:   "sms [KEY=VALUE…] {--preset NAME | --file FILE | --remove}",
		Short: "Set or remove the SMS gateway of shops without their own",
		Long: `Set or remove the gateway that sends the text messages of shops without their own. Its credentials are
stored with the data of the server: the shops' data, backups and exports do not have them, and the shops' staff cannot
read them. "sms configure" describes the arguments.`,
		Example: `  storefront defaults sms --preset bulksmsbd apiKey=@key.txt sender=8809600000000
  storefront defaults sms --remove`,
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := gateway.read(a, cmd, args)
			if err != nil {
				return err
			}
			var in *tenants.SMSInput
			if config != nil {
				in = &tenants.SMSInput{Config: &tenants.SMSConfig{}}
				if err := json.Unmarshal(config, in.Config); err != nil {
					return fmt.Errorf("parse the gateway's description: %w", err)
				}
			}
			return a.changeDefaults(cmd.Context(), func(t *tenants.Tenants) (*tenants.ServerDefaults, error) {
				return t.SetDefaultSMS(cmd.Context(), a.caller(), in)
			})
		},
	}
	gateway.flags(cmd)
	return cmd
}

func newDefaultsMailCommand(a *app) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "mail [KEY=VALUE…] [--remove]",
		Short: "Set or remove the mail server of shops without their own",
		Long: `Set or remove the mail server that sends the e-mails of shops without their own, as for "mail configure". Its
password is stored with the data of the server alone.`,
		Example: `  storefront defaults mail host=smtp.example.com from=orders@example.com username=orders password=@password.txt
  storefront defaults mail --remove`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if remove == (len(args) > 0) {
				return &usageError{err: errors.New("either settings or --remove must be given"), command: cmd.CommandPath()}
			}
			config, err := a.readMailConfig(cmd, args)
			if err != nil {
				return err
			}
			var in *tenants.MailSettings
			if config != nil {
				in = &tenants.MailSettings{}
				if err := json.Unmarshal(config, in); err != nil {
					return fmt.Errorf("parse the mail server's settings: %w", err)
				}
			}
			return a.changeDefaults(cmd.Context(), func(t *tenants.Tenants) (*tenants.ServerDefaults, error) {
				return t.SetDefaultMail(cmd.Context(), a.caller(), in)
			})
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the mail server")
	return cmd
}
