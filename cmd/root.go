// Package cmd implements the command line: one file per command, with its flags, environment
// variables and output.
//
// It contains no business rules: a command parses its input, calls a use case and prints the
// result.
package cmd

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"storefront/tenants"
)

// Exit codes of the binary.
const (
	ExitOK     = 0
	ExitFailed = 1 // the command failed
	ExitUsage  = 2 // invalid flag or argument
)

// Main runs the command line of this process and returns its exit code. It sets the program's
// streams and environment. The first interrupt or termination signal starts a graceful shutdown;
// the second ends the process immediately.
func Main(program Program) int {
	ctx, shutDown := context.WithCancel(context.Background())
	defer shutDown()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // before anyone can see the shutdown: a second signal must end the process
		shutDown()
	}()
	program.Stdin, program.Stdout, program.Stderr, program.Environ = os.Stdin, os.Stdout, os.Stderr, os.Environ()
	return program.Run(ctx, os.Args[1:])
}

// Program is the environment of the commands. All fields but Steps and Environ must be set.
type Program struct {
	Schema         string // text of schema.sql
	Steps          fs.FS  // see [tenants.Config]
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // environment variables, each NAME=VALUE
}

// LookupEnv returns the value of an environment variable.
func (p Program) LookupEnv(name string) (value string, ok bool) {
	for _, assignment := range p.Environ {
		if value, ok := strings.CutPrefix(assignment, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// Run runs one command line, without the program's name, and returns its exit code.
func (p Program) Run(ctx context.Context, args []string) int {
	a := &app{Program: p}
	root := newRootCommand(a)
	args, err := a.addOperations(root, args)
	if err != nil {
		return a.report(err)
	}
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
	dataDir          string       // --data
	engine           string       // --engine; see [app.engineAddress]
	connections      int          // --engine-connections
	media            string       // --media-storage; "" means the data folder
	migrateDatabase  bool         // of migrate --all
	publicURL        string       // --public-url; "" means this machine
	privateProviders bool         // --private-providers: allow providers at private addresses
	providerURLs     []string     // --provider-url: base URLs of providers; see [app.providers]
	json             bool         // --json
	structured       *slog.Logger // of serve, if its log has JSON lines; nil otherwise
	findServer       sync.Once
	found            *tenants.ServerRecord // set by findServer; nil if no server runs
	zone             *time.Location        // of the shop of [app.withShop]; nil before
	sharedFlags      *pflag.FlagSet        // of every command
	apiShop          string                // UID in a command line of api; "" if it was left out
	apiAll           bool                  // api runs an operation on all shops
	parsed           bool                  // flags and arguments are valid; later errors are not usage errors
}

func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "storefront",
		Short: "A headless commerce backend for many shops in one binary",
		Long: `Storefront serves many shops from one binary and one data folder, over REST and GraphQL. Each shop has a
UID, which most commands expect as their first argument. It may be omitted in a data folder with one shop,
or if STOREFRONT_TENANT is set. It is required to delete a shop or fill it with demo data.

On a terminal, lists are shortened to its width, and statuses are coloured unless NO_COLOR is set. Piped
output is complete and has no colours.

The flags of serve, and those for the data folder, the database, images and providers, can also be set by
the environment variables in brackets in their help. A flag overrides its variable. STOREFRONT_KEY sets the
key that encrypts the shops' secrets (32 bytes, base64). If it is unset, the key is the file "key" in the
data folder, which is created on first use.

Exit codes: 0 success, 1 failure, 2 invalid command line.`,
		Example: `  # Start a server with a demo shop
  storefront serve --dev

  # Create a shop, import its products and serve it
  storefront tenant create acme --name "Acme"
  storefront product import acme products.csv
  storefront serve --public-url https://api.example.com`,
		Version:      build().Version,
		Args:         checkSubcommand,
		RunE:         func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceUsage: true,

		SuggestionsMinimumDistance: suggestionDistance,
		SilenceErrors:              true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.applyEnvironment(cmd); err != nil {
				return err
			}
			if cmd.Annotations[logsAnnotation] == "" {
				warnUnknown(a.Stderr, unknownVariables(cmd.Root(), a.environmentNames()))
			}
			// cobra validates flags after this hook, too. Doing it here separates usage errors from
			// failures.
			if err := checkFlags(cmd); err != nil {
				return err
			}
			a.parsed = true
			return nil
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.dataDir, "data", defaultData, "data folder that contains the shops")
	flags.StringVar(&a.engine, engineFlag, "", engineUsage)
	flags.IntVar(&a.connections, "engine-connections", 0, "limit of connections to the database (default 12)")
	flags.StringVar(&a.media, "media-storage", "", "storage of uploaded images: s3://BUCKET/PREFIX, with settings as for --replica,"+
		" or a folder that several servers share (default the folder media in the data folder)")
	flags.BoolVar(&a.json, "json", false, "print JSON")
	flags.StringSliceVar(&a.providerURLs, "provider-url", nil,
		"base URL that replaces a provider's own, such as courier_a:sandbox=https://test.example; repeatable")
	flags.BoolVar(&a.privateProviders, "private-providers", false, privateProvidersUsage)
	a.sharedFlags = flags
	bindEnvironment(flags, "data", engineFlag, "engine-connections", "media-storage", "provider-url", "private-providers")
	addGroup(root, "server", "Server:",
		newServeCommand(a), newStatusCommand(a), newHealthCommand(a), newDoctorCommand(a), newSupportCommand(a), newSiteCommand(a), newOperatorCommand(a),
		newPlanCommand(a), newDefaultsCommand(a), newIncidentCommand(a),
	)
	addGroup(root, "shop", "Shops:",
		newTenantCommand(a), newPluginCommand(a), newSMSCommand(a), newMailCommand(a), newKeyCommand(a),
		newStaffCommand(a), newTokenCommand(a), newAuditCommand(a), newEventsCommand(a), newSeedCommand(a),
		newDesignCommand(a), newAPICommand(a), newMCPCommand(a),
	)
	addGroup(root, "catalogue", "Catalogue:",
		newProductCommand(a), newCollectionCommand(a), newMediaCommand(a), newStockCommand(a), newCouponCommand(a),
	)
	addGroup(root, "order", "Orders and customers:",
		newOrderCommand(a), newJobCommand(a), newPaymentCommand(a), newCODCommand(a), newCustomerCommand(a),
		newWebhookCommand(a), newNotifyCommand(a),
	)
	addGroup(root, "data", "Backups and migration:",
		newBackupCommand(a), newRestoreCommand(a), newTrashCommand(a), newMigrateCommand(a),
	)
	addGroup(root, "tool", "Development and tools:",
		newSimulateCommand(a), newOpenAPICommand(a), newGraphQLCommand(a), newEngineCommand(a), newVersionCommand(a),
	)
	root.SetHelpCommandGroupID("tool")
	root.SetCompletionCommandGroupID("tool")
	root.AddCommand(newFlagsTopic(root))
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), inheritedFlags, sharedFlags, 1))
	root.SetVersionTemplate("storefront {{.Version}}\n")
	a.completeCommands(root)
	return root
}

// inheritedFlags is the part of cobra's usage template with the flags that every command has.
const inheritedFlags = `

Global Flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}`

// sharedFlags replaces inheritedFlags: most commands need none of these flags.
const sharedFlags = `

Every command also has the flags of "{{.Root.Name}} help flags", such as --json.`

// newFlagsTopic returns the help topic with the flags of every command.
func newFlagsTopic(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "flags",
		Short: "Flags of every command",
		Long:  "Every command has these flags:\n\n" + strings.TrimRight(root.PersistentFlags().FlagUsages(), "\n"),
	}
}

// addGroup adds commands to root, shown together under a title in its help.
func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = id
	}
	root.AddCommand(commands...)
}

// suggestionDistance is the number of letters in which a mistyped command may differ from a
// suggested one.
const suggestionDistance = 2

// logsAnnotation marks a command that writes its warnings to its log.
const logsAnnotation = "storefront_logs"

// newGroupCommand returns a command that groups others and prints its help when called.
func newGroupCommand(use, short string, commands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  checkSubcommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: suggestionDistance,
	}
	group.AddCommand(commands...)
	return group
}
