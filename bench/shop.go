package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	uid          = "bench"
	productCount = 1000
)

// product is a product of the catalogue.
type product struct {
	handle, title, description, vendor, kind, tags string
	price                                          int // minor units
}

var (
	things  = []string{"Lamp", "Panjabi", "Saree", "Kettle", "Shawl", "Basket", "Notebook", "Honey", "Speaker", "Sandal"}
	colours = []string{"Red", "Blue", "Green", "White", "Black", "Yellow"}
	makers  = []string{"Nakshi", "Aarong Road", "Meghna", "Padma", "Jamuna"}
)

func newProduct(i int) product {
	thing, colour := things[i%len(things)], colours[i%len(colours)]
	return product{
		handle: fmt.Sprintf("%s-%04d", strings.ToLower(thing), i),
		title:  fmt.Sprintf("%s %s No. %d", colour, thing, i),
		description: fmt.Sprintf("<p>A %s %s made by hand in Bangladesh, number %d of its kind. "+
			"It is packed with care and leaves the shop within a day.</p>", strings.ToLower(colour), strings.ToLower(thing), i),
		vendor: makers[i%len(makers)], kind: thing, tags: fmt.Sprintf("%s, %s, handmade", strings.ToLower(thing), strings.ToLower(colour)),
		price: 50_000 + i*100,
	}
}

// writeCatalogue writes that many products as Shopify CSV, with more stock than any run sells.
func writeCatalogue(file string, products int) error {
	var rows strings.Builder
	table := csv.NewWriter(&rows)
	lines := [][]string{{"Handle", "Title", "Body (HTML)", "Vendor", "Type", "Tags", "Published", "Variant SKU", "Variant Inventory Tracker",
		"Variant Inventory Qty", "Variant Inventory Policy", "Variant Price", "Image Src", "Image Alt Text", "Status"}}
	for i := range products {
		p := newProduct(i)
		lines = append(lines, []string{p.handle, p.title, p.description, p.vendor, p.kind, p.tags, "true", p.handle, "shopify",
			"1000000", "deny", fmt.Sprintf("%d.%02d", p.price/100, p.price%100), "https://pictures.example/" + p.handle + ".jpg", p.title, "active"})
	}
	if err := table.WriteAll(lines); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(rows.String()), 0o600)
}

// copyCatalogue writes the products of a shop as JSON lines, so that the peer serves the same data
// in as many bytes.
func copyCatalogue(address, file string) error {
	var list struct {
		Nodes []map[string]json.RawMessage `json:"nodes"`
	}
	if err := call(address, http.MethodGet, "/api/v1/products?limit=-1", "", &list); err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, node := range list.Nodes {
		node["description"] = node["descriptionHtml"]
		for _, name := range []string{"_id", "descriptionHtml", "createdAt"} { // created by the peer, or renamed
			delete(node, name)
		}
		line, err := json.Marshal(node)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	return os.WriteFile(file, lines.Bytes(), 0o600)
}

// newShop creates a shop with a catalogue of its own in a data folder of that name, and returns the
// folder.
func (b *bench) newShop(name string, products int) (data string, err error) {
	csvFile, data := filepath.Join(b.folder, name+".csv"), filepath.Join(b.folder, "data-"+name)
	if err := writeCatalogue(csvFile, products); err != nil {
		return "", err
	}
	return data, createShop(b.binary, data, csvFile)
}

// guestOrder returns the body of an order of one unit by the i-th buyer.
func guestOrder(product string, i int) (string, error) {
	body, err := json.Marshal(map[string]any{
		"items":    []map[string]any{{"productId": product, "quantity": 1}},
		"customer": map[string]string{"name": "Rahima Khatun", "phoneNumber": fmt.Sprintf("01711-%06d", i)},
		"shippingAddress": map[string]string{
			"line1": "House 12, Road 5", "area": "Dhanmondi", "city": "Dhaka",
		},
	})
	return string(body), err
}

// createShop creates a data folder with one shop through the command line.
func createShop(binary, data, csvFile string) error {
	return createShopIn(binary, data, csvFile, nil, nil)
}

// createShopIn is createShop with further flags and environment variables of the commands.
func createShopIn(binary, data, csvFile string, flags, env []string) error {
	for _, args := range [][]string{
		{"tenant", "create", uid, "--name", "Bench", "--currency", "BDT", "--country", "BD"},
		{"tenant", "set", uid, `deliveryCharges=[{"name": "Everywhere", "charge": 8000}]`,
			// Every buyer comes from this machine, and the orders stay unconfirmed.
			"openOrdersPerPhone=1000000", "openOrdersPerClient=1000000", "codExpiryHours=8760"},
		{"product", "import", uid, csvFile},
	} {
		cmd := exec.Command(binary, slices.Concat(args, []string{"--data", data}, flags)...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// createKey creates an API key of the shop in a data folder.
func createKey(ctx context.Context, binary, data string) (string, error) {
	out, err := exec.CommandContext(ctx, binary, "token", "create", uid, "--name", "bench", "--json", "--data", data).Output()
	var key struct{ Token string }
	if err = errors.Join(err, json.Unmarshal(out, &key)); err != nil {
		return "", fmt.Errorf("create key: %w", err)
	}
	return key.Token, nil
}

// call sends one request to the shop and decodes the response.
func call(address, method, path, body string, into any) error {
	r, err := http.NewRequest(method, "http://"+address+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("x-tenant", uid)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, data)
	}
	return json.Unmarshal(data, into)
}

// etagOf returns the ETag of a response.
func etagOf(address, path string) (string, error) {
	r, err := http.NewRequest(http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return "", err
	}
	r.Header.Set("x-tenant", uid)
	r.Header.Set("Accept-Encoding", "identity") // as in the load
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if etag := response.Header.Get("ETag"); etag != "" {
		return etag, nil
	}
	return "", fmt.Errorf("no ETag at %s: %s", path, response.Status)
}
