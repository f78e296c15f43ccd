// Package cmd implements the command line: one file per command, with its flags, environment
// variables and output.
//
// It contains no business rules: a command parses its input, calls a use case and prints the result.
package cmd

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes of the binary.
const (
	ExitOK     = 0
	ExitFailed = 1 // the command failed
	ExitUsage  = 2 // invalid flag or argument
)

// Main runs the command line of this process and returns its exit code. The first interrupt or
// termination signal starts a graceful shutdown; the second ends the process at once.
func Main(schema string) int {
	ctx, shutDown := context.WithCancel(context.Background())
	defer shutDown()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // before anyone can see the shutdown: a second signal must end the process
		shutDown()
	}()
	program := Program{
		Schema: schema, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv,
	}
	return program.Run(ctx, os.Args[1:])
}

// Program holds the environment that the commands run in. All fields must be set.
type Program struct {
	Schema         string // text of schema.sql
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	LookupEnv      func(name string) (value string, ok bool)
}

// Run runs one command line, without the program's name, and returns its exit code.
func (p Program) Run(ctx context.Context, args []string) int {
	a := &app{Program: p}
	root := newRootCommand(a)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	if !a.parsed {
		err = &usageError{err: err, command: command.CommandPath()}
	}
	return a.report(err)
}

// app is one run of the command line, with the flags that several commands share.
type app struct {
	Program
	dataDir          string   // --data
	publicURL        string   // --public-url; "" means this machine
	privateProviders bool     // --private-providers: allow providers at private addresses
	providerURLs     []string // --provider-url: base URLs of providers; see [app.providers]
	json             bool     // --json
	parsed           bool     // flags and arguments are valid; later errors are not usage errors
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "storefront",
		Short: "A headless commerce backend for many shops in one binary",
		Long: `Storefront serves many shops from one binary and one data folder, over REST and GraphQL.
Each shop has a UID, which most commands expect as their first argument.

Every flag can also be set by the environment variable named in its help. A flag overrides its
variable. STOREFRONT_KEY sets the key that encrypts the shops' secrets (32 bytes, base64). If it is
unset, the key is the file "key" in the data folder, which is created on first use.

Exit codes: 0 success, 1 failure, 2 invalid command line.`,
		Example: `  # Start a server with a demo shop
  storefront serve --dev

  # Create a shop, import its products and serve it
  storefront tenant create acme --name "Acme"
  storefront product import acme products.csv
  storefront serve --public-url https://api.example.com`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.applyEnvironment(cmd); err != nil {
				return err
			}
			// cobra validates flags after this hook, too. Doing it here separates usage errors from failures.
			if err := cmd.ValidateRequiredFlags(); err != nil {
				return err
			}
			if err := cmd.ValidateFlagGroups(); err != nil {
				return err
			}
			a.parsed = true
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.dataDir, "data", defaultData, "data folder that contains the shops")
	flags.BoolVar(&a.json, "json", false, "print JSON")
	flags.StringSliceVar(&a.providerURLs, "provider-url", nil,
		"base URL that replaces a provider's own, such as courier_a:sandbox=https://test.example; repeatable")
	flags.BoolVar(&a.privateProviders, "private-providers", false, privateProvidersUsage)
	root.AddCommand(
		newServeCommand(a),
		newTenantCommand(a),
		newSeedCommand(a),
		newProductCommand(a),
		newCollectionCommand(a),
		newCouponCommand(a),
		newStockCommand(a),
		newOrderCommand(a),
		newCODCommand(a),
		newBackupCommand(a),
		newRestoreCommand(a),
		newMigrateCommand(a),
		newDoctorCommand(a),
		newGraphQLCommand(a),
		newOpenAPICommand(a),
		newCustomerCommand(a),
		newSMSCommand(a),
		newKeyCommand(a),
		newPaymentCommand(a),
		newPluginCommand(a),
		newSimulateCommand(a),
		newTokenCommand(a),
		newWebhookCommand(a),
		newVersionCommand(a),
	)
	describeEnvironment(root)
	return root
}

// newGroupCommand returns a command that groups others and prints its help when called.
func newGroupCommand(use, short string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(commands...)
	return group
}
