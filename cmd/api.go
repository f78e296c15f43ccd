package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/server"
	"storefront/server/admin"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/tenants"
)

// shopWord is the name of the command that has the operations as subcommands. It replaces the
// shop's UID in their paths: "storefront api UID listOrders".
const shopWord = shopArgument

func newAPICommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "api UID OPERATION",
		Short: "Run any operation of the Admin API",
		Long: `Run an operation of the Admin API on a shop, without a server or an API key. The audit log records changes
as made by the command line. "api list" lists the operations, and --help after one shows its flags: one
for each value of the path, the query and the JSON body. They may be written as in the reference
(--orderId) or as other flags (--order-id).

Other values than text and numbers are JSON. --body FILE sends a whole body instead, such as a CSV file or
an image, and --body - reads it from the standard input. Amounts are in minor units. Pass secrets in
--body, since other users of the machine can read command lines.

A terminal shows the first page of a list; piped output and --json have all pages. The command waits until
an action on many records has ended. With --all, an operation that only reads runs on every shop, and
prints the first page of each. Operations of staff members on themselves, such as signing in, need
their session, so they are not available here.`,
		Example: `  storefront api list
  storefront api acme listOrders --status pending --city Dhaka
  storefront api acme cancelOrder --help
  storefront api --all reportOverview --from 2026-03-01 --to 2026-04-01
  storefront api acme saveCoupon --body coupon.json`,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		ValidArgsFunction: a.completeUID,
	}
	cmd.PersistentFlags().BoolVar(&a.apiAll, "all", false, "run an operation that only reads on all shops; a failure of one does not affect the others")
	cmd.AddCommand(newAPIListCommand(a))
	return cmd
}

// addOperations adds the operations to the commands if the command line is one of api, and returns
// its arguments with [shopWord] in place of the shop's UID, if any. Only the chosen operation has
// flags, since deriving them takes time.
func (a *app) addOperations(root *cobra.Command, args []string) ([]string, error) {
	isCompletion := len(args) > 1 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	complete := args
	if isCompletion {
		complete = args[1 : len(args)-1] // without the word that is being completed
	}
	positions := positions(root, complete, 3)
	if len(positions) < 2 || complete[positions[0]] != "api" || complete[positions[1]] == "list" {
		return args, nil
	}
	operations := admin.Operations()
	find := func(name string) int {
		return slices.IndexFunc(operations, func(o admin.Operation) bool { return o.ID == name })
	}
	words := slices.Clone(complete)
	at, chosen := positions[1], -1
	if len(positions) > 2 {
		chosen = find(words[positions[2]])
	}
	if first := find(words[at]); chosen < 0 && first >= 0 {
		chosen, words = first, slices.Insert(words, at, shopWord)
	} else {
		a.apiShop, words[at] = words[at], shopWord
	}
	group := newGroupCommand(shopWord, "Operations of the Admin API")
	group.Hidden = true
	for i := range operations {
		if !isForOperator(&operations[i]) && i != chosen {
			continue
		}
		operation, err := a.newOperationCommand(&operations[i], i == chosen)
		if err != nil {
			return nil, err
		}
		group.AddCommand(operation)
	}
	api, _, err := root.Find([]string{"api"})
	if err != nil {
		return nil, err
	}
	api.AddCommand(group)
	if isCompletion {
		words = slices.Concat(args[:1], words, args[len(args)-1:])
	}
	return words, nil
}

// positions returns the positions of the first arguments, without the flags of every command and
// their values.
func positions(root *cobra.Command, args []string, most int) (found []int) {
	for i := 0; i < len(args) && len(found) < most; i++ {
		name, isFlag := strings.CutPrefix(args[i], "--")
		flag := root.PersistentFlags().Lookup(name)
		switch {
		case !isFlag:
			found = append(found, i)
		case flag != nil && flag.NoOptDefVal == "":
			i++ // its value
		}
	}
	return found
}

// isForOperator reports whether the command line can run an operation: it has no session.
func isForOperator(o *admin.Operation) bool {
	permission := o.Use.Permission
	return permission != access.Own && permission != access.Anybody
}

func (a *app) newOperationCommand(o *admin.Operation, withFlags bool) (*cobra.Command, error) {
	cmd := &cobra.Command{Use: o.ID, Short: o.Summary, Long: operationText(o)}
	if !withFlags {
		cmd.RunE = func(*cobra.Command, []string) error { return nil } // never called: this command line has another operation
		return cmd, nil
	}
	inputs, err := server.AdminInputs(*o)
	if err != nil {
		return nil, err
	}
	request, err := a.addInputs(cmd, o, inputs)
	if err != nil {
		return nil, err
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf(
				"unexpected argument %q: the values of an operation are flags; see %s --help", args[0],
				cmd.CommandPath(),
			)
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !isForOperator(o) {
			return withHint(
				fmt.Errorf("%s needs the session of a staff member, which the command line does not have", o.ID),
				"use the dashboard, or the Admin API with a session",
			)
		}
		in, err := request.build(cmd)
		if err != nil {
			return &usageError{err: err, command: cmd.CommandPath()}
		}
		if request.body != "" {
			if in.Body, err = a.readBody(request.body); err != nil {
				return err
			}
		}
		if a.apiAll {
			return a.runOperationOnAll(cmd, o, request, in)
		}
		uid, err := a.operationShop(cmd)
		if err != nil {
			return err
		}
		return a.withTenants(cmd.Context(), func(t *tenants.Tenants) error {
			return request.withFlag(a.runOperation(cmd, t, uid, o, in))
		})
	}
	return cmd, nil
}

// operationText returns the text of an operation's help.
func operationText(o *admin.Operation) string {
	text := o.Summary + ".\n"
	for line := range strings.Lines(o.Description) {
		text += "\n" + wrap(line, 105)
	}
	return text
}

// operationShop returns the shop of an operation, which may have been omitted.
func (a *app) operationShop(cmd *cobra.Command) (string, error) {
	if a.apiShop != "" {
		return a.apiShop, nil
	}
	args, err := a.withDefaultShop(cmd, arguments{{name: shopArgument}}, nil)
	if err != nil {
		return "", err
	}
	return args[0], nil
}

// runOperation runs an operation and prints its response.
func (a *app) runOperation(
	cmd *cobra.Command, t *tenants.Tenants, uid string, o *admin.Operation, in server.AdminRequest,
) error {
	result, err := a.callOperation(cmd, t, uid, o, in, a.wantsAllPages(cmd), a.Stdout)
	if err != nil {
		return err
	}
	if result == nil {
		return nil
	}
	return a.printObject(result)
}

// shopResponse is the response of an operation on one of all shops.
type shopResponse struct {
	UID      string      `json:"uid"`
	Response *jsonObject `json:"response"`
}

// runOperationOnAll runs an operation that only reads on all shops.
func (a *app) runOperationOnAll(cmd *cobra.Command, o *admin.Operation, request *operationInputs, in server.AdminRequest) error {
	if a.apiShop != "" {
		return &usageError{err: fmt.Errorf("--all cannot be combined with the UID %q", a.apiShop), command: cmd.CommandPath()}
	}
	if o.OfInstallation {
		return &usageError{err: fmt.Errorf("--all is for operations on shops, and %s is one on the server", o.ID), command: cmd.CommandPath()}
	}
	if o.Method != http.MethodGet {
		return &usageError{err: fmt.Errorf("--all is for operations that only read, and %s changes a shop", o.ID), command: cmd.CommandPath()}
	}
	return a.withShops(cmd, &manyShops{all: true}, nil, func(t *tenants.Tenants, uids []string) error {
		results, err := eachShop(cmd.Context(), a, "reading", uids, func(uid string) (shopResponse, error) {
			response, err := a.callOperation(cmd, t, uid, o, in, false, io.Discard)
			if err == nil && response == nil {
				err = fmt.Errorf("%s returns a file: run it on one shop", o.ID)
			}
			return shopResponse{uid, response}, err
		})
		if err != nil {
			return request.withFlag(err)
		}
		return printShops(a, true, results, "read", func(w *table, of shopResponse) {
			fmt.Fprintln(w, of.UID)
			writeObject(w, of.Response)
			fmt.Fprintln(w)
		})
	})
}

// callOperation runs an operation and returns its response, with all pages of a list if isWhole is
// set. It returns nil for a file, which is written to out.
func (a *app) callOperation(
	cmd *cobra.Command, t *tenants.Tenants, uid string, o *admin.Operation, in server.AdminRequest, isWhole bool, out io.Writer,
) (*jsonObject, error) {
	s, err := findForOperation(cmd.Context(), t, uid, o)
	if err != nil {
		return nil, err
	}
	if a.zone, err = s.TimeZone(cmd.Context()); err != nil {
		return nil, err
	}
	if err := a.nameOrder(cmd.Context(), s, in); err != nil {
		return nil, a.withOrderHint(err, uid)
	}
	command, err := server.NewAdminCommand(*o, a.caller())
	if err != nil {
		return nil, err
	}
	if isWhole {
		in.Query.Set("limit", mostPerPage)
	}
	response, err := command.Run(cmd.Context(), t, uid, in, out)
	if err != nil {
		return nil, err
	}
	if response.JSON == nil {
		return nil, nil
	}
	result, err := parseObject(response.JSON)
	if err != nil {
		return nil, err
	}
	if id, isJob := unfinishedJob(result); isJob {
		if result, err = a.awaitJob(cmd, s, id); err != nil {
			return nil, err
		}
	}
	for number := 2; isWhole && hasNextPage(result); number++ {
		in.Query.Set("page", strconv.Itoa(number))
		response, err := command.Run(cmd.Context(), t, uid, in, out)
		if err != nil {
			return nil, err
		}
		next, err := parseObject(response.JSON)
		if err != nil {
			return nil, err
		}
		result.appendPage(next)
	}
	return result, nil
}

// findForOperation returns the shop of an operation; for one of operators, the installation's data.
func findForOperation(ctx context.Context, t *tenants.Tenants, uid string, o *admin.Operation) (*shop.Shop, error) {
	if o.OfInstallation {
		return t.CreateInstallation(ctx)
	}
	return t.FindIncludingSuspended(ctx, uid)
}

// nameOrder replaces the number of an order in a request by its invoice UID. Codes: not_found.
func (a *app) nameOrder(ctx context.Context, s *shop.Shop, in server.AdminRequest) (err error) {
	const name = "orderId"
	if order, ok := in.Path[name]; ok {
		in.Path[name], err = s.Orders.FindInvoiceUID(ctx, a.caller(), order)
	}
	if order := in.Query.Get(name); order != "" && err == nil {
		order, err = s.Orders.FindInvoiceUID(ctx, a.caller(), order)
		in.Query.Set(name, order)
	}
	return err
}

// mostPerPage is the largest page of a list.
const mostPerPage = "100"

// unfinishedJob returns the ID of a job that continues after the response.
func unfinishedJob(o *jsonObject) (id string, is bool) {
	id, _ = o.values["_id"].(string)
	finished, isJob := o.values["finishedAt"]
	return id, isJob && finished == nil && id != "" && o.values["results"] != nil
}

// awaitJob waits for the end of a job and returns it. If the command is interrupted, a running
// server continues the job.
func (a *app) awaitJob(cmd *cobra.Command, s *shop.Shop, id string) (*jsonObject, error) {
	for {
		j, err := s.Jobs.Wait(cmd.Context(), a.caller(), id, time.Second)
		if err == nil {
			err = cmd.Context().Err()
		}
		if err != nil {
			return nil, err
		}
		if j.FinishedAt != nil {
			return objectOf(j)
		}
	}
}

func newAPIListCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the operations of the Admin API",
		Example: "  storefront api list",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			type operation struct {
				ID         string            `json:"operationId"`
				Tag        string            `json:"tag"`
				Permission access.Permission `json:"permission"`
				Action     string            `json:"action"` // of the audit log, "" if it only reads
				Summary    string            `json:"summary"`
			}
			var list []operation
			for _, o := range admin.Operations() {
				if isForOperator(&o) {
					list = append(list, operation{o.ID, o.Tag, o.Use.Permission, o.Use.Action, o.Summary})
				}
			}
			return a.print(list, func(w *table) {
				heading(w, "OPERATION", "[SUBJECT]", "[ACTION]", "SUMMARY…")
				for _, o := range list {
					row(w, o.ID, o.Tag, cmp.Or(o.Action, "reads"), o.Summary)
				}
			})
		},
	}
}

// readBody returns the content of a file; "-" is the standard input.
func (a *app) readBody(path string) ([]byte, error) {
	if path == "-" {
		body, err := io.ReadAll(a.Stdin)
		if err != nil {
			return nil, fmt.Errorf("read the standard input: %w", err)
		}
		return body, nil
	}
	body, err := os.ReadFile(path)
	if err == nil && len(body) == 0 {
		err = errors.New("the file of --body is empty")
	}
	return body, err
}
