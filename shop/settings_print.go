package shop

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"storefront/shop/access"
	"storefront/shop/fault"
	"storefront/shop/input"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/translation"
)

// Brand is the appearance of the shop.
type Brand struct {
	LogoID string `json:"logoId" doc:"The _id of an uploaded image for the logo, instead of logoUrl"`
	Colour string `json:"colour" doc:"Colour as #rrggbb, or empty"`
}

// Invoice are the shop's texts on invoices, beside the order.
type Invoice struct {
	LegalName string `json:"legalName" doc:"Defaults to the shop's name"`
	TaxID     string `json:"taxId" doc:"Tax number such as a BIN, or empty"`

	// Registration is what the law requires a seller to show to buyers.
	Registration string `json:"registration" doc:"Trade licence or registration with its number, for the site and invoices, or empty"`

	Footer string `json:"footer" doc:"At most 1000 characters, or empty"`
	Prefix string `json:"prefix" doc:"Prefix of the order number in the invoice number, or empty"`
}

// PrintOptions are the options for printing labels, receipts and other documents.
type PrintOptions struct {
	LabelSize   LabelSize       `json:"labelSize"`
	ReceiptSize ReceiptSize     `json:"receiptSize"`
	Language    locale.Language `json:"language" doc:"Defaults to the language of locale"`
}

// LabelSize is the size of a shipment's label.
//
//api:enum LabelSize
type LabelSize string

// The sizes of labels, the default first.
const (
	labelA6     LabelSize = "a6"      // a sheet of A6
	label100150 LabelSize = "100x150" // a label of 100 by 150 mm
	label80     LabelSize = "80mm"    // a roll of 80 mm
	label58     LabelSize = "58mm"    // a roll of 58 mm
	labelA4Of4  LabelSize = "a4x4"    // four to a sheet of A4
)

// LabelSizes returns the sizes of labels, the default first.
func LabelSizes() []LabelSize {
	return []LabelSize{labelA6, label100150, label80, label58, labelA4Of4}
}

// ReceiptSize is the width of a receipt.
//
//api:enum ReceiptSize
type ReceiptSize string

// The widths of receipts, the default first.
const (
	receipt80 ReceiptSize = "80mm" // a roll of 80 mm
	receipt58 ReceiptSize = "58mm" // a roll of 58 mm
)

// ReceiptSizes returns the sizes of receipts, the default first.
func ReceiptSizes() []ReceiptSize { return []ReceiptSize{receipt80, receipt58} }

var colourPattern = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// normalizePrint converts the settings of this file to the form that is saved.
func (set *Settings) normalizePrint() {
	set.MediaURL = strings.TrimRight(strings.TrimSpace(set.MediaURL), "/")
	set.Brand.LogoID = strings.TrimSpace(set.Brand.LogoID)
	set.Brand.Colour = strings.ToLower(strings.TrimSpace(set.Brand.Colour))
	for _, line := range []*string{&set.Invoice.LegalName, &set.Invoice.TaxID, &set.Invoice.Registration, &set.Invoice.Prefix} {
		cleanLine(line)
	}
	set.Invoice.Footer = strings.TrimSpace(input.UnixNewlines(input.Clean(set.Invoice.Footer)))
}

func (set *Settings) checkPrint(bad *fault.Invalid) {
	if set.Brand.Colour != "" && !colourPattern.MatchString(set.Brand.Colour) {
		bad.Add("brand.colour", fault.CodeInvalidValue, "Must be a colour such as #1a7f37.")
	}
	for _, text := range []struct {
		name, value string
		limit       int
	}{
		{"legalName", set.Invoice.LegalName, 200}, {"taxId", set.Invoice.TaxID, 60},
		{"registration", set.Invoice.Registration, 100},
		{"footer", set.Invoice.Footer, 1000}, {"prefix", set.Invoice.Prefix, 20},
	} {
		if utf8.RuneCountInString(text.value) > text.limit {
			bad.Add("invoice."+text.name, fault.CodeInvalidValue, "Must be at most %d characters.", text.limit)
		}
	}
	if size := set.Print.LabelSize; size != "" && !slices.Contains(LabelSizes(), size) {
		bad.Add("print.labelSize", fault.CodeInvalidValue, "Must be a6, 100x150, 80mm, 58mm or a4x4.")
	}
	if size := set.Print.ReceiptSize; size != "" && !slices.Contains(ReceiptSizes(), size) {
		bad.Add("print.receiptSize", fault.CodeInvalidValue, "Must be 80mm or 58mm.")
	}
	if l := set.Print.Language; l != "" && l != locale.English && l != locale.Bangla {
		bad.Add("print.language", fault.CodeInvalidValue, "Must be en or bn.")
	}
}

// Letterhead are the shop's texts and options for its documents, beside its orders.
type Letterhead struct {
	Name     string
	LogoURL  string // "" means none
	Contact  SupportContact
	Invoice  Invoice
	Options  PrintOptions
	Currency money.Currency
	Language locale.Language // as the shop prints
	Zone     *time.Location
	At       time.Time // of printing
	// OrderLink returns the address of the page where a buyer can follow an order.
	OrderLink func(invoiceUID string) string

	textsIn func(language locale.Language) translation.Texts
}

// In returns the letterhead with the shop's texts in a language.
func (l *Letterhead) In(language locale.Language) *Letterhead {
	shown, texts := *l, l.textsIn(language)
	shown.Language, shown.Contact = language, l.Contact.in(texts)
	shown.Invoice.LegalName = texts.Or("legalName", l.Invoice.LegalName)
	shown.Invoice.Registration = texts.Or("registration", l.Invoice.Registration)
	shown.Invoice.Footer = texts.Or(translation.Footer, l.Invoice.Footer)
	return &shown
}

// FindLetterhead returns the shop's letterhead, now. Codes: unauthenticated, forbidden.
func (s *Shop) FindLetterhead(ctx context.Context, caller access.Caller) (*Letterhead, error) {
	if err := access.Permit(ctx, s.data, caller, access.ToPrintOrders); err != nil {
		return nil, err
	}
	set, err := s.loadSettings(ctx)
	if err != nil {
		return nil, err
	}
	return &Letterhead{
		Name: set.Name, LogoURL: set.logo.URL, Contact: set.SupportContact, Invoice: set.Invoice,
		Options: set.Print, Currency: set.money, Zone: set.zone, At: s.now(),
		Language: cmp.Or(set.Print.Language, set.language()), OrderLink: set.orderLink, textsIn: set.textsIn,
	}, nil
}
