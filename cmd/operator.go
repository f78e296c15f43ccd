package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/staff"
	"storefront/tenants"
)

func newOperatorCommand(a *app) *cobra.Command {
	return newGroupCommand("operator", "Create, list, change, reset and remove operators of the server",
		newOperatorCreateCommand(a),
		newOperatorListCommand(a),
		newOperatorSetRoleCommand(a),
		newOperatorResetCommand(a),
		newOperatorRemoveCommand(a),
	)
}

// withInstallation runs fn with the data of the whole server.
func (a *app) withInstallation(ctx context.Context, fn func(s *shop.Shop) error) error {
	return a.withTenants(ctx, func(t *tenants.Tenants) error {
		s, err := t.Installation(ctx)
		if fault.HasCode(err, fault.CodeNotFound) {
			return withHint(err, "create one with %s", a.command("operator create NAME --user ADDRESS"))
		}
		if err != nil {
			return err
		}
		return fn(s)
	})
}

func newOperatorCreateCommand(a *app) *cobra.Command {
	var in staff.OperatorInput
	var role, language string
	cmd := &cobra.Command{
		Use:   "create NAME --user ADDRESS",
		Short: "Create an operator of the server, and print the link to set a password",
		Long: `Create an operator, who sees all shops of the server in the console at /admin/#/-/shops, and print a link
with which the operator sets a password and an authenticator app. The link is valid once, for 72 hours; send it
to nobody else. operator reset creates another one. A server has at most 50 operators.

The roles are owner (everything, with other operators), support (creates, suspends and enters shops) and
viewer (reads).`,
		Example: `  storefront operator create "Shaila Karim" --user shaila@agency.example
  storefront operator create Tanvir --user tanvir@agency.example --role support`,
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Name, in.Role = args[0], staff.OperatorRole(role)
			if language != "" {
				in.Language = new(staff.Language(language))
			}
			return a.withNewTenants(cmd.Context(), func(t *tenants.Tenants) error {
				s, err := t.CreateInstallation(cmd.Context())
				if err != nil {
					return err
				}
				m, link, err := s.Staff.InviteOperator(cmd.Context(), a.caller(), in)
				return a.printOperatorLink(m, link, err)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Email, "user", "", "e-mail address to sign in with")
	flags.StringVar(&role, "role", string(staff.OperatorOwner), "role: "+operatorRoleNames())
	flags.StringVar(&language, "language", "", "language of the console: bn or en (default en)")
	cobra.CheckErr(cmd.MarkFlagRequired("user"))
	a.addPublicURL(cmd, "public URL of the server, for the link (default: the running server's)")
	return cmd
}

func operatorRoleNames() string {
	var names []string
	for _, role := range staff.OperatorRoles() {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}

// operatorLink is the JSON form of an operator with a new link.
type operatorLink struct {
	*staff.Operator
	Link staffLink `json:"link"`
}

// printOperatorLink prints an operator's new link.
func (a *app) printOperatorLink(m *staff.Operator, link *staff.Link, err error) error {
	if err != nil {
		return a.withOperatorHint(err)
	}
	url := strings.TrimSuffix(a.dashboardURL(), dashboardPath) + consolePath + "link/" + link.Token
	return a.print(operatorLink{m, staffLink{link, url}}, func(w *table) {
		fmt.Fprintf(w, "%s\n\nSend this link to %s alone: it sets the password of %s. It is shown once, and valid once, until %s.\n",
			url, m.Name, memberUser(&m.Member), w.time(link.ExpiresAt))
	})
}

// consolePath is the path of the operators' console, as [dashboardPath].
const consolePath = "/admin/#/-/"

func (a *app) withOperatorHint(err error) error {
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list the operators with %s", a.command("operator list"))
	}
	return err
}

func newOperatorListCommand(a *app) *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the operators of the server",
		Example: "  storefront operator list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withInstallation(cmd.Context(), func(s *shop.Shop) error {
				list, err := s.Staff.ListOperators(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return printList(a, format, list, list, func(m *staff.Operator) string { return m.ID }, func(w *table) {
					row(w, "ID", "NAME", "USER", "ROLE", "STATUS", "SECOND FACTOR", "LAST SEEN")
					for i := range list {
						m := &list[i]
						row(w, m.ID, m.Name, memberUser(&m.Member), m.Role, m.Status, m.SecondFactor, lastSeen(w, &m.Member))
					}
				})
			})
		},
	}
	a.addFormat(cmd, &format, "operators' IDs")
	return cmd
}

func newOperatorSetRoleCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "set-role USER ROLE",
		Short: "Change the role of an operator, and end the sessions",
		Long: `Change the role of an operator of the server: owner (everything, with other operators), support (creates,
suspends and enters shops) or viewer (reads). The sessions end, also those in shops. The last owner stays one.`,
		Example: "  storefront operator set-role tanvir@agency.example viewer",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withInstallation(cmd.Context(), func(s *shop.Shop) error {
				m, err := s.Staff.UpdateOperator(cmd.Context(), a.caller(), args[0], staff.OperatorRole(args[1]))
				if err != nil {
					return a.withOperatorHint(err)
				}
				return a.print(m, func(w *table) { fmt.Fprintf(w, "%s is now %s.\n", memberUser(&m.Member), m.Role) })
			})
		},
	}
}

func newOperatorResetCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset USER",
		Short: "End an operator's sessions, and print a new link to set a password",
		Long: `End the sessions of an operator, also those in shops, and print a link with which the operator sets a new
password and signs in. It is valid once, for two hours, or for 72 hours if the operator has never signed in.
Earlier links become invalid. A second factor stays set up: an operator who has lost it can remove it after
using the link.`,
		Example: "  storefront operator reset shaila@agency.example",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withInstallation(cmd.Context(), func(s *shop.Shop) error {
				m, link, err := s.Staff.ResetOperator(cmd.Context(), a.caller(), args[0])
				return a.printOperatorLink(m, link, err)
			})
		},
	}
	a.addPublicURL(cmd, "public URL of the server, for the link (default: the running server's)")
	return cmd
}

func newOperatorRemoveCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove USER",
		Short: "Remove an operator, and end the sessions",
		Long: `Remove an operator of the server. The sessions end, also those in shops. The log of the installation and
of the shops retains the name. The last owner cannot be removed.`,
		Example: "  storefront operator remove tanvir@agency.example",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withInstallation(cmd.Context(), func(s *shop.Shop) error {
				if err := s.Staff.RemoveOperator(cmd.Context(), a.caller(), args[0]); err != nil {
					return a.withOperatorHint(err)
				}
				return a.print(map[string]bool{"success": true}, func(w *table) { fmt.Fprintf(w, "Removed the operator %s.\n", args[0]) })
			})
		},
	}
}
