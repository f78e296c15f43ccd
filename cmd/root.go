// Package cmd is the command line: one file a command, with its flags, its environment variables
// and what it prints.
//
// It decides nothing about shops; it calls a use case and shows what came back.
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
	ExitFailed = 1 // the command was understood and failed
	ExitUsage  = 2 // the command was not understood: a wrong flag or argument
)

// Main runs the command line of this process and gives its exit code. The first interrupt or
// termination signal asks for an orderly end; the second ends the process at once.
func Main(schema string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	program := Program{
		Schema: schema, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, LookupEnv: os.LookupEnv,
	}
	return program.Run(ctx, os.Args[1:])
}

// Program is what the commands need of the world around them. All fields must be set.
type Program struct {
	Schema         string // text of schema.sql
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	LookupEnv      func(name string) (value string, ok bool)
}

// Run runs one command line, without the program's name, and gives its exit code.
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
	if !a.understood {
		err = &usageError{err: err, command: command.CommandPath()}
	}
	return a.report(err)
}

// app is one run of the command line.
type app struct {
	Program
	dataDir   string // --data
	publicURL string // of the server, where a command needs it; "": this machine
	// privateProviders lets providers be at private addresses.
	privateProviders bool
	// providerURLs are base addresses of providers; see [app.providers].
	providerURLs []string
	json         bool // --json
	understood   bool // flags and arguments were right: a failure from now on is not one of usage
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "storefront",
		Short: "A headless commerce backend for many shops in one binary",
		Long: `Storefront serves many shops from one binary and one folder of data, by REST and by GraphQL.

Every flag can be set by the environment variable that its help names; the flag wins.
STOREFRONT_KEY holds the key that seals the shops' secrets (32 bytes in base64);
without it the key is the file "key" in the data folder, made on the first use.

Exit codes: 0 done, 1 failed, 2 the command line was not understood.`,
		Example: `  storefront serve --dev                          a demo shop on this machine
  storefront tenant create acme --name "Acme"     a shop of your own
  storefront product import acme products.csv     its catalogue
  storefront serve --public-url https://api.example.com`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.applyEnvironment(cmd); err != nil {
				return err
			}
			// Looked at here, and again by cobra, so that what fails later is known to be no usage error.
			if err := cmd.ValidateRequiredFlags(); err != nil {
				return err
			}
			if err := cmd.ValidateFlagGroups(); err != nil {
				return err
			}
			a.understood = true
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.dataDir, "data", defaultData, "folder that holds the shops")
	flags.BoolVar(&a.json, "json", false, "print JSON, for programs")
	flags.StringSliceVar(&a.providerURLs, "provider-url", nil, "base address instead of a provider's own, such as courier_a:sandbox=https://test.example; may be repeated")
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

// newGroupCommand is a command that only holds others.
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
