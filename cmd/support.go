package cmd

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"storefront/tenants"
)

func newSupportCommand(a *app) *cobra.Command {
	var out string
	var sources sourceFlags
	cmd := &cobra.Command{
		Use:   "support UID",
		Short: "Write a file about a shop for the support of the program",
		Long: `Write one file (tar.gz) that describes a shop and its server for the support of the program: versions,
settings, the findings of doctor, open work, failed work with its last errors, the size of each table,
providers and webhook endpoints.

The file contains no passwords, keys or secrets, and no payloads. Names, addresses, telephone numbers
and e-mail addresses of buyers that errors quote are replaced by ***. Read it before you send it: it
has the shop's name and settings.

A shop that is suspended or damaged has a file too. The command prints the parts that it could not read.`,
		Example: `  storefront support acme
  storefront support acme --out /tmp/acme.tar.gz`,
		ValidArgsFunction: a.completeUID,
		RunE: func(cmd *cobra.Command, args []string) error {
			now := time.Now()
			name := fmt.Sprintf("%s-support-%s", args[0], now.Format(time.DateOnly))
			if out == "" {
				out = name + ".tar.gz"
			}
			return a.writeSupport(cmd.Context(), sources, args[0], out, name, now)
		},
	}
	sources.add(cmd.Flags())
	cmd.Flags().StringVar(&out, "out", "", "file to create (default UID-support-DATE.tar.gz in the working folder)")
	return cmd
}

// supportBundle describes the files of a bundle.
type supportBundle struct {
	UID       string            `json:"uid"`
	CreatedAt time.Time         `json:"createdAt"`
	Program   buildInfo         `json:"program"`
	Parts     []string          `json:"parts"`
	Unread    map[string]string `json:"unread"` // parts that could not be read, with the reasons
}

// supportFile is one file of a bundle.
type supportFile struct {
	name    string
	content []byte
}

func (a *app) writeSupport(ctx context.Context, f sourceFlags, uid, out, folder string, now time.Time) error {
	if err := a.requireDataDir(); err != nil {
		return err
	}
	if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
		return withHint(fmt.Errorf("the file %s exists", out), "choose another with --out FILE; nothing was written")
	}
	bundle := &supportBundle{UID: uid, CreatedAt: now.UTC().Truncate(time.Second), Program: build(), Unread: map[string]string{}}
	files, err := a.readSupport(ctx, f, bundle)
	if err != nil {
		return err
	}
	err = replaceFile(out, func(w io.Writer) error { return writeArchive(w, folder, files, now) })
	if err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	return a.print(map[string]any{"file": out, "unread": bundle.Unread}, func(w *table) {
		fmt.Fprintf(w, "Wrote %s.\n", out)
		for _, name := range bundle.Parts {
			if reason, unread := bundle.Unread[name]; unread {
				row(w, "Not read", name, colour(reason))
			}
		}
	})
}

// readSupport returns the files of a bundle. The parts that cannot be read are in bundle.Unread.
func (a *app) readSupport(ctx context.Context, f sourceFlags, bundle *supportBundle) (files []supportFile, err error) {
	cfg, err := a.tenantsConfig(tenants.Config{Command: true, Logger: a.quietLogger()})
	if err != nil {
		return nil, err
	}
	t, err := tenants.Inspect(cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeTenants(ctx, t)) }()
	keyErr := t.ReadKey()
	parts, mask, err := t.ReadSupport(ctx, bundle.UID)
	if err != nil {
		return nil, err
	}
	findings, err := a.examine(ctx, f, []string{bundle.UID})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	parts = append(parts, tenants.NewSupportPart("doctor", mask, findings, err))
	if keyErr != nil {
		parts = append(parts, tenants.SupportPart{Name: "key", Error: keyErr})
	}
	if record, _, err := tenants.ReadServerRecord(a.dataDir); record != nil || err != nil {
		var status any
		if record != nil {
			status = map[string]any{"version": record.Version, "startedAt": record.StartedAt, "seenAt": record.SeenAt, "stoppedAt": record.StoppedAt}
		}
		parts = append(parts, tenants.NewSupportPart("server", mask, status, err))
	}
	for _, p := range parts {
		bundle.Parts = append(bundle.Parts, p.Name)
		if p.Error != nil {
			bundle.Unread[p.Name] = mask.Text(p.Error.Error())
			continue
		}
		if files, err = addDocument(files, p.Name, p.Value); err != nil {
			return nil, err
		}
	}
	return addDocument(files, "bundle", bundle)
}

func addDocument(files []supportFile, name string, value any) ([]supportFile, error) {
	var content bytes.Buffer
	if err := encode(&content, value, "  "); err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return append(files, supportFile{name + ".json", content.Bytes()}), nil
}

// writeArchive writes files in a folder as tar.gz.
func writeArchive(w io.Writer, folder string, files []supportFile, now time.Time) error {
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: folder + "/" + f.name, Size: int64(len(f.content)), Mode: 0o600, ModTime: now, Format: tar.FormatPAX,
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zipped.Close())
}
