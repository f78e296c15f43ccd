package cmd

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/staff"
)

func newStaffCommand(a *app) *cobra.Command {
	return newGroupCommand("staff", "Invite, list, reset and disable staff members",
		newStaffListCommand(a),
		newStaffInviteCommand(a),
		newStaffDisableCommand(a),
		newStaffResetCommand(a),
	)
}

func newStaffListCommand(a *app) *cobra.Command {
	var format listFormat
	cmd := &cobra.Command{
		Use:               "list UID",
		Short:             "List a shop's staff members",
		Example:           "  storefront staff list acme",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				list, err := s.Staff.ListMembers(cmd.Context(), a.caller())
				if err != nil {
					return err
				}
				return printList(a, format, list, list, func(m *staff.Member) string { return m.ID }, func(w *table) {
					if len(list) == 0 {
						fmt.Fprintf(w, "No staff members. Invite the owner with %s\n",
							a.command("staff invite "+args[0]+" --role owner --name NAME --email ADDRESS"))
						return
					}
					row(w, "ID", "NAME", "USER", "ROLE", "STATUS", "SECOND FACTOR", "LAST SEEN")
					for i := range list {
						m := &list[i]
						row(w, m.ID, m.Name, memberUser(m), m.Role, m.Status, m.SecondFactor, lastSeen(w, m))
					}
				})
			})
		},
	}
	a.addFormat(cmd, &format, "staff members' IDs")
	return cmd
}

// memberUser returns the contact that a staff member signs in with.
func memberUser(m *staff.Member) string {
	return cmp.Or(optional(m.Email), optional(m.PhoneNumber))
}

func lastSeen(w *table, m *staff.Member) string {
	if m.LastSeenAt == nil {
		return "never"
	}
	return w.time(*m.LastSeenAt)
}

func newStaffInviteCommand(a *app) *cobra.Command {
	var in staff.InviteInput
	var email, phone, role, language string
	var grants, denies []string
	cmd := &cobra.Command{
		Use:   "invite UID --name NAME --role ROLE --email ADDRESS | --phone NUMBER",
		Short: "Invite a staff member, and print the link to set a password",
		Long: `Create a staff member and print a link with which the staff member sets a password and signs in. The link
is valid once, for 72 hours; send it to nobody else. staff reset creates another one.

The roles are owner (everything), manager (all but API keys, providers and closing the shop), staff (orders and
stock) and viewer (reads). --grant and --deny add and withhold single permissions.`,
		Example: `  storefront staff invite acme --role owner --name "Rina Akter" --email rina@example.com
  storefront staff invite acme --role staff --name Karim --phone 01711-000000 --deny orders.write`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Email, in.PhoneNumber, in.Role = &email, &phone, staff.Role(role)
			in.Grants, in.Denies = permissions(grants), permissions(denies)
			if language != "" {
				in.Language = new(staff.Language(language))
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				m, link, err := s.Staff.InviteMember(cmd.Context(), a.caller(), in)
				if err != nil {
					return err
				}
				return a.printLink(args[0], m, link)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Name, "name", "", "name of the staff member")
	flags.StringVar(&role, "role", "", "role: "+roleNames())
	flags.StringVar(&email, "email", "", "e-mail address to sign in with")
	flags.StringVar(&phone, "phone", "", "phone number to sign in with, which also receives codes for a new password")
	flags.StringVar(&language, "language", "", "language of the dashboard: bn or en (default en)")
	flags.StringSliceVar(&grants, "grant", nil, "permission to add to the role's; repeatable")
	flags.StringSliceVar(&denies, "deny", nil, "permission of the role to withhold; repeatable")
	cobra.CheckErr(cmd.MarkFlagRequired("name"))
	cobra.CheckErr(cmd.MarkFlagRequired("role"))
	cmd.MarkFlagsOneRequired("email", "phone")
	a.addPublicURL(cmd, "public URL of the server, for the link (default: the running server's)")
	return cmd
}

func roleNames() string {
	var names []string
	for _, role := range staff.Roles() {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}

func permissions(names []string) []access.Permission {
	list := make([]access.Permission, len(names))
	for i, name := range names {
		list[i] = access.Permission(name)
	}
	return list
}

func newStaffDisableCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "disable UID USER",
		Short: "Disable a staff member: end the sessions and refuse sign-ins",
		Long: `End a staff member's sessions and refuse sign-ins. The staff member's changes stay in the audit log. To
enable the staff member again, create a new link with staff reset.`,
		Example:           "  storefront staff disable acme karim@example.com",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				m, err := s.Staff.TurnOffMember(cmd.Context(), a.caller(), args[1])
				return a.printMember(args[0], m, err)
			})
		},
	}
}

func newStaffResetCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset UID USER",
		Short: "Print a new link to set a staff member's password",
		Long: `Print a link with which a staff member sets a new password and signs in. It is valid once, for two hours.
It activates a staff member who is invited or disabled, and is then valid for 72 hours. Earlier links
become invalid. A second factor stays set up: a staff member who has lost it can remove it after using the
link.`,
		Example:           "  storefront staff reset acme rina@example.com",
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				m, link, err := s.Staff.CreateLink(cmd.Context(), a.caller(), args[1])
				if err != nil {
					return a.withMemberHint(err, args[0])
				}
				return a.printLink(args[0], m, link)
			})
		},
	}
	a.addPublicURL(cmd, "public URL of the server, for the link (default: the running server's)")
	return cmd
}

func (a *app) withMemberHint(err error, uid string) error {
	if fault.HasCode(err, fault.CodeNotFound) {
		return withHint(err, "list the staff members with %s", a.command("staff list "+uid))
	}
	return err
}

func (a *app) printMember(uid string, m *staff.Member, err error) error {
	if err != nil {
		return a.withMemberHint(err, uid)
	}
	return a.print(m, func(w *table) {
		row(w, "ID", m.ID)
		row(w, "Name", m.Name)
		row(w, "E-mail", optional(m.Email))
		row(w, "Phone", optional(m.PhoneNumber))
		row(w, "Role", m.Role)
		row(w, "Status", m.Status)
		row(w, "Second factor", m.SecondFactor)
		row(w, "Last seen", lastSeen(w, m))
		var names []string
		for _, p := range m.Permissions {
			names = append(names, string(p))
		}
		row(w, "Permissions", strings.Join(names, " "))
	})
}

// memberLink is the JSON form of a staff member with a new link.
type memberLink struct {
	*staff.Member
	Link staffLink `json:"link"`
}

// staffLink is a link to set a password.
type staffLink struct {
	*staff.Link
	URL string `json:"url"`
}

// printLink prints a staff member's new link.
func (a *app) printLink(uid string, m *staff.Member, link *staff.Link) error {
	result := a.newMemberLink(uid, m, link)
	return a.print(result, func(w *table) {
		fmt.Fprintf(w, "%s\n\nSend this link to %s alone: it sets the password of %s. It is shown once, and valid once, until %s.\n"+
			"Programs use the part after /link/ as the token of useLink, see /admin/docs.\n",
			result.Link.URL, m.Name, memberUser(m), w.time(link.ExpiresAt))
	})
}

func (a *app) newMemberLink(uid string, m *staff.Member, link *staff.Link) memberLink {
	return memberLink{m, staffLink{link, a.dashboardURL() + uid + "/link/" + link.Token}}
}

// dashboardURL returns the address of the dashboard. The path of a page is appended.
func (a *app) dashboardURL() string {
	base := a.publicURL
	if server := a.server(); base == "" && server != nil {
		base = cmp.Or(server.DashboardURL, server.PublicURL, server.URL)
	}
	return strings.TrimSuffix(cmp.Or(base, "https://YOUR-SERVER"), "/") + dashboardPath
}

// dashboardPath is the path of the dashboard. Pages follow a #, and so do tokens: they reach no log
// and no other site.
const dashboardPath = "/admin/#/"

// newOwner returns the invitation of a new shop's owner by an e-mail address or phone number.
func newOwner(user, name string) *staff.InviteInput {
	in := staff.InviteInput{Name: cmp.Or(name, user), Role: staff.RoleOwner}
	if strings.Contains(user, "@") {
		in.Email = &user
	} else {
		in.PhoneNumber = &user
	}
	return &in
}

// printOwner prints a new shop with the link of its owner.
func (a *app) printOwner(uid string, created *shop.CreatedShop) error {
	if !a.json {
		fmt.Fprintf(a.Stdout, "Created the shop %s. Its owner signs in with this link:\n\n", uid)
		return a.printLink(uid, created.Owner, created.Link)
	}
	return a.print(struct {
		shopView
		Owner memberLink `json:"owner"`
	}{newShopView(uid, created.Settings), a.newMemberLink(uid, created.Owner, created.Link)}, nil)
}
