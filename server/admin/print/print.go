package print

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"slices"

	"storefront/shop"
	"storefront/shop/locale"
	"storefront/shop/order"
)

//go:embed style/*.css page.html
var files embed.FS

// NewStyles returns the style sheets by their paths: one for each size of paper, with the parts
// that all sizes share. The paths contain a hash of them all.
func NewStyles() (map[string][]byte, error) {
	base, err := stylesPath()
	if err != nil {
		return nil, err
	}
	shared, err := files.ReadFile("style/base.css")
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, of := range sizes {
		for _, size := range of {
			own, err := files.ReadFile("style/" + string(size) + ".css")
			if err != nil {
				return nil, err
			}
			all[base+string(size)+".css"] = slices.Concat(shared, own)
		}
	}
	return all, nil
}

// stylesPath returns the common prefix of the style sheets' paths.
func stylesPath() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(files, "style", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		content, err := files.ReadFile(name)
		fmt.Fprintf(sum, "%s\x00%d\x00", name, len(content))
		sum.Write(content)
		return err
	})
	return "/admin/assets/print-" + hex.EncodeToString(sum.Sum(nil)[:8]) + "/", err
}

// Renderer renders documents.
type Renderer struct {
	page   *template.Template
	styles string // begins the addresses of the style sheets
}

// NewRenderer returns a renderer of documents.
func NewRenderer() (*Renderer, error) {
	styles, err := stylesPath()
	if err != nil {
		return nil, fmt.Errorf("read print styles: %w", err)
	}
	page, err := template.ParseFS(files, "page.html")
	if err != nil {
		return nil, fmt.Errorf("parse print page: %w", err)
	}
	return &Renderer{page, styles}, nil
}

// Options are the choices of the person who prints.
type Options struct {
	Size     Size            // one that [CheckSize] accepts; "" means the default
	Language locale.Language // "" means [Sheet.LanguageOf]
	// ByConsignment sorts labels and handover sheets by courier and consignment ID. Otherwise they are
	// in the order of the orders.
	ByConsignment bool
}

// Sheet is the content of a document.
type Sheet struct {
	Kind   order.PrintKind
	Orders []order.StaffOrder
	// NoAmounts leaves out all amounts of money.
	NoAmounts bool
	*shop.Letterhead
}

// LanguageOf returns the language of a document of an order: documents for the buyer are in the
// language in which the buyer ordered.
func (s *Sheet) LanguageOf(o *order.StaffOrder) locale.Language {
	if s.Kind == order.PrintInvoice || s.Kind == order.PrintPacking {
		return cmp.Or(o.Language, s.Language)
	}
	return s.Language
}

// Render writes a document of the orders of a sheet.
func (r *Renderer) Render(w io.Writer, sheet *Sheet, o Options) error {
	size := paper(sheet, o.Size)
	d := newDocument(sheet, size, o)
	d.Style = r.styles + string(size) + ".css"
	if err := r.page.Execute(w, d); err != nil {
		return fmt.Errorf("render %s: %w", sheet.Kind, err)
	}
	return nil
}
