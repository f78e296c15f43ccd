package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// appendFunc begins the function that stores the events of a transaction.
const appendFunc = "func Append(tx *db.Tx, events ...Event) error {\n"

// buildWithoutEvents builds the program with an outbox that stores nothing.
func (b *bench) buildWithoutEvents(ctx context.Context) (binary string, err error) {
	original, err := filepath.Abs(filepath.Join("..", "shop", "outbox", "outbox.go"))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	changed := strings.Replace(string(text), appendFunc, appendFunc+"\treturn nil\n", 1)
	if changed == string(text) {
		return "", fmt.Errorf("%s has no %s", original, strings.TrimSpace(appendFunc))
	}
	replacement, overlay := filepath.Join(b.folder, "outbox.go.txt"), filepath.Join(b.folder, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replacement}})
	if err != nil {
		return "", err
	}
	for path, content := range map[string][]byte{replacement: []byte(changed), overlay: list} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return "", err
		}
	}
	binary = filepath.Join(b.folder, "storefront-without-events")
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return binary, nil
}

// measureOutbox compares placing orders with the same program whose outbox stores nothing.
func (b *bench) measureOutbox(ctx context.Context) error {
	without, err := b.buildWithoutEvents(ctx)
	if err != nil {
		return err
	}
	csvFile := filepath.Join(b.folder, "outbox.csv")
	if err := writeCatalogue(csvFile, productCount); err != nil {
		return err
	}
	const withEvents, withoutEvents = "storefront", "storefront without events"
	const what, buyers = "order with its events, 16 buyers", 16
	compared := []contestant{}
	for _, server := range []struct{ name, data, binary string }{
		{withEvents, "data-events", b.binary}, {withoutEvents, "data-no-events", without},
	} {
		if err := createShop(server.binary, filepath.Join(b.folder, server.data), csvFile); err != nil {
			return err
		}
		p, err := b.startBinary(ctx, server.binary, server.data, server.data, nil, nil, "--rate", "0")
		if err != nil {
			return err
		}
		orders, err := b.orders(p)
		if err != nil {
			return err
		}
		compared = append(compared, contestant{
			name: server.name, process: p, requests: orders, want: http.StatusCreated, connections: buyers,
		})
	}
	got, err := b.compare(ctx, what, compared...)
	if err != nil {
		return err
	}
	b.report.gate(what, withoutEvents, got.ratio(withEvents, withoutEvents), 0.95, 0.97)
	for _, c := range compared {
		if err := b.stop(c.process); err != nil {
			return err
		}
	}
	return nil
}
