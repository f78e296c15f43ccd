package print

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"storefront/server/admin/barcode"
	"storefront/shop"
	"storefront/shop/locale"
	"storefront/shop/order"
	"storefront/shop/plugin"
	"storefront/shop/status"
)

// document is the data of the template.
type document struct {
	Lang, Other locale.Language
	Kind        order.PrintKind
	Size        Size
	IsRoll      bool
	Style       string
	Title       string
	Shop        sender
	Sheets      [][]slip   // labels, invoices and packing slips, by page
	Lines       []pickLine // of a pick list
	Handovers   []handover // by courier
	Summary     string     // number of orders or shipments
	// HasPictures reports whether a packing slip or pick list has a column of pictures, for finding
	// the items: on sheets, not on rolls.
	HasPictures bool
	NoAmounts   bool
	Date        string
	format      format
	orderLink   func(invoiceUID string) string
}

// sender is the shop in documents.
type sender struct {
	Name, LogoURL, Phone, Address, Email   string
	LegalName, TaxID, Registration, Prefix string // of invoices
	Footer                                 text
}

// slip is a document of one order, or a label of one shipment.
type slip struct {
	In                *document // in the language of the slip
	Number            string    // of the order
	Date              string
	Test              bool
	Closed            bool   // it must not be delivered
	Cash              string // to collect; "" if nothing
	Name, Phone       text
	Lines, Town, Note text
	Long              bool // the address needs smaller letters
	Courier, Delivery string
	Pieces            string
	Code              string // the consignment ID, or the order's number
	Bars, QR          template.HTML
	Items             []line
	Sums              []sum
	Due               sum
	Payment           string
	Follow            template.HTML // a QR code that leads to the order
}

// text is text written by people, with its language.
type text struct {
	Text string
	Lang locale.Language
}

func written(s string) text { return text{s, langOf(s)} }

type line struct {
	Title                  text
	Picture                string // its address; "" if there is none
	Variant, SKU           string
	Quantity, Price, Total string
}

type sum struct {
	Word, Amount string
	Strong       bool
}

// pickLine is a variant with its quantity in all orders.
type pickLine struct {
	line
	Orders string // their numbers
	units  int
	key    string
}

type handover struct {
	Courier string
	Rows    []handoverRow
	Count   string
	Cash    string
}

type handoverRow struct {
	Position, Number, Consignment string
	Name, Place                   text
	Phone, Cash                   string
	amount                        int64
}

func newDocument(sheet *Sheet, size Size, o Options) *document {
	d := &document{Kind: sheet.Kind, Size: size, orderLink: sheet.OrderLink, NoAmounts: sheet.NoAmounts, IsRoll: size == Roll80 || size == Roll58}
	d.HasPictures = !d.IsRoll && (sheet.Kind == order.PrintPacking || sheet.Kind == order.PrintPickList) && hasPictures(sheet.Orders)
	d = d.in(sheet.In(cmp.Or(o.Language, sheet.Language)))
	d.Summary = fmt.Sprintf("%s %s", d.Word("orders"), d.format.number(len(sheet.Orders)))
	switch sheet.Kind {
	case order.PrintPickList:
		d.Lines = pickLines(sheet.Orders, d.format)
	case order.PrintHandover:
		d.Handovers = d.handovers(sheet.Orders, o.ByConsignment)
	default:
		d.Sheets = d.sheets(sheet, o)
	}
	return d
}

// in returns the document with the words and the letterhead of a language.
func (d *document) in(head *shop.Letterhead) *document {
	f := format{head.Language, head.Zone, head.Currency}
	shown := *d
	shown.Lang, shown.Other, shown.format, shown.Date = f.language, other(f.language), f, f.date(head.At)
	shown.Title = shown.Word(string(d.Kind))
	if d.Kind == order.PrintInvoice && d.IsRoll {
		shown.Title = shown.Word("receipt")
	}
	contact, invoice := head.Contact, head.Invoice
	shown.Shop = sender{
		Name: f.name(head.Name), LogoURL: head.LogoURL, Phone: f.phone(textOf(contact.Phone)),
		Address: f.name(textOf(contact.Address)), Email: textOf(contact.Email),
		LegalName: f.name(invoice.LegalName), TaxID: invoice.TaxID, Registration: f.name(invoice.Registration), Prefix: invoice.Prefix,
		Footer: written(f.name(invoice.Footer)),
	}
	return &shown
}

// sheets returns the documents of the orders, by page.
func (d *document) sheets(sheet *Sheet, o Options) [][]slip {
	byLanguage := map[locale.Language]*document{}
	var slips []slip
	for i := range sheet.Orders {
		language := cmp.Or(o.Language, sheet.LanguageOf(&sheet.Orders[i]))
		if byLanguage[language] == nil {
			byLanguage[language] = d.in(sheet.In(language))
		}
		slips = append(slips, byLanguage[language].slips(&sheet.Orders[i])...)
	}
	if o.ByConsignment && sheet.Kind == order.PrintLabel {
		slices.SortStableFunc(slips, func(a, b slip) int {
			return cmp.Or(strings.Compare(a.Courier, b.Courier), compareIDs(a.Code, b.Code))
		})
	}
	each := 1
	if d.Size == A4Of4 {
		each = 4
	}
	return slices.Collect(slices.Chunk(slips, each))
}

// hasPictures reports whether an item of the orders has a picture.
func hasPictures(orders []order.StaffOrder) bool {
	return slices.ContainsFunc(orders, func(o order.StaffOrder) bool {
		return slices.ContainsFunc(o.Items, func(item order.Item) bool { return textOf(item.ImageURL) != "" })
	})
}

// Word returns a word in the document's language.
func (d *document) Word(key string) string { return word(d.format.language, key) }

// OtherWord returns a word in the other language.
func (d *document) OtherWord(key string) string { return word(other(d.format.language), key) }

// slips returns the documents of an order: one, or a label for each shipment under way.
func (d *document) slips(o *order.StaffOrder) []slip {
	f := d.format
	one := d.slip(o)
	if d.Kind != order.PrintLabel {
		return []slip{one}
	}
	var labels []slip
	for i := range o.Shipments {
		s := &o.Shipments[i]
		if s.ConsignmentID == nil || !isUnderWay(s.Status) {
			continue
		}
		label := one
		label.Courier, label.Code = plugin.ProviderName(s.Provider, d.format.language), *s.ConsignmentID
		label.Cash = ""
		if s.AmountToCollect.Amount > 0 {
			label.Cash = f.money(s.AmountToCollect.Amount)
		}
		labels = append(labels, label)
	}
	if len(labels) == 0 { // the shop delivers it itself, or no courier has it yet
		labels = []slip{one}
	}
	for i := range labels {
		labels[i].Bars, labels[i].QR = svg(barcode.Code128(labels[i].Code)), svg(barcode.QR(labels[i].Code))
	}
	return labels
}

func isUnderWay(st status.Shipment) bool {
	switch st {
	case status.ShipmentDelivered, status.ShipmentReturned, status.ShipmentCancelled, status.ShipmentExchanged:
		return false
	}
	return true
}

// svg returns an image that this program has drawn; none if the text cannot be drawn.
func svg(image string, err error) template.HTML {
	if err != nil {
		return ""
	}
	return template.HTML(image) //nolint:gosec // drawn by package barcode, of digits
}

// slip returns the common part of an order's documents.
func (d *document) slip(o *order.StaffOrder) slip {
	f, at := d.format, &o.ShippingAddress
	lines := join(", ", textOf(at.Line1), textOf(at.Line2))
	s := slip{
		In: d, Number: f.digits(strconv.FormatInt(o.OrderNumber, 10)), Date: f.date(o.PlacedAt), Test: o.Test, Closed: mustStay(o),
		Name: written(o.Customer.Name), Phone: text{f.phone(o.Customer.PhoneNumber), f.language},
		Lines: written(lines), Town: written(join(" ", join(", ", textOf(at.Area), at.City), textOf(at.Postcode))), Note: written(textOf(o.Note)),
		Long: len([]rune(lines)) > 70 || len([]rune(o.Customer.Name)) > 24, Code: strconv.FormatInt(o.OrderNumber, 10),
		Payment: d.Word(string(o.Payment.Method)),
	}
	if o.Delivery != nil {
		s.Delivery = f.name(o.Delivery.Name)
	}
	if o.CashToCollect.Amount > 0 {
		s.Cash = f.money(o.CashToCollect.Amount)
	}
	pieces := 0
	for i := range o.Items {
		item := &o.Items[i]
		pieces += item.Quantity
		s.Items = append(s.Items, line{
			Title: written(f.name(item.Title)), Picture: textOf(item.ImageURL), Variant: textOf(item.VariantTitle), SKU: textOf(item.SKU),
			Quantity: f.number(item.Quantity), Price: f.money(item.UnitPrice.Amount), Total: f.money(item.UnitPrice.Amount * int64(item.Quantity)),
		})
	}
	if s.Pieces = d.Word("piece"); pieces != 1 {
		s.Pieces = fmt.Sprintf(d.Word("pieces"), f.number(pieces))
	}
	if d.Kind == order.PrintInvoice {
		d.addSums(&s, o)
	}
	if link := d.orderLink(o.InvoiceUID); link != "" && d.Kind != order.PrintLabel {
		s.Follow = svg(barcode.QR(link))
	}
	return s
}

// mustStay reports whether the order must not be delivered.
func mustStay(o *order.StaffOrder) bool {
	switch o.Status {
	case status.OrderCancelled, status.OrderExpired, status.OrderReturned, status.OrderPendingPayment:
		return true
	}
	return false
}

// addSums adds the amounts of an invoice.
func (d *document) addSums(s *slip, o *order.StaffOrder) {
	f := d.format
	add := func(word string, amount int64) {
		if amount != 0 {
			s.Sums = append(s.Sums, sum{Word: word, Amount: f.money(amount)})
		}
	}
	add(d.Word("subtotal"), o.Subtotal.Amount)
	add(d.Word("quantities"), -o.QuantityDiscount.Amount)
	discounts, rest := o.GoodsDiscounts()
	for _, applied := range discounts {
		add(f.name(applied.Title), -applied.Amount.Amount)
	}
	discount := d.Word("discount")
	if o.Coupon != nil {
		discount += " " + o.Coupon.Code
	}
	add(discount, o.QuantityDiscount.Amount-rest.Amount)
	delivery := cmp.Or(s.Delivery, d.Word("delivery"))
	if title := o.FreeDelivery(); title != "" {
		delivery += " (" + f.name(title) + ")"
	}
	s.Sums = append(s.Sums, sum{Word: delivery, Amount: f.money(o.DeliveryCharge.Amount)})
	add(d.Word("rounding"), -o.Rounding.Amount)
	s.Sums = append(s.Sums, sum{d.Word("total"), f.money(o.Total.Amount), true})
	if !o.Status.IsClosed() {
		for _, credit := range o.Credits {
			what := d.Word("returned")
			if credit.Title != nil && credit.Quantity > 0 {
				what += ": " + f.number(credit.Quantity) + " × " + f.name(*credit.Title)
			}
			add(what, -credit.Amount.Amount)
		}
	}
	for _, a := range o.Advances {
		add(d.Word("advance")+", "+d.Word(advanceWord(a.Method)), -a.Amount.Amount)
	}
	switch {
	case s.Cash != "":
		s.Due = sum{d.Word("due"), s.Cash, true}
	case o.Paid.Amount > 0:
		add(d.Word("refunded"), -o.Refunded.Amount)
		s.Due = sum{d.Word("received"), f.money(o.Paid.Amount - o.Refunded.Amount), true}
	}
}

// pickLines returns the items of the orders added up, by title.
func pickLines(orders []order.StaffOrder, f format) []pickLine {
	byVariant := map[string]*pickLine{}
	for i := range orders {
		for j := range orders[i].Items {
			item := &orders[i].Items[j]
			l := byVariant[item.VariantID]
			if l == nil {
				title := f.name(item.Title)
				l = &pickLine{key: title + "\x00" + textOf(item.VariantTitle)}
				l.line = line{Title: written(title), Picture: textOf(item.ImageURL), Variant: textOf(item.VariantTitle), SKU: textOf(item.SKU)}
				byVariant[item.VariantID] = l
			}
			l.units += item.Quantity
			number := "#" + strconv.FormatInt(orders[i].OrderNumber, 10)
			if item.Quantity > 1 {
				number += " ×" + strconv.Itoa(item.Quantity)
			}
			l.Orders = join(", ", l.Orders, f.digits(number))
		}
	}
	lines := make([]pickLine, 0, len(byVariant))
	for _, l := range byVariant {
		l.Quantity = f.number(l.units)
		lines = append(lines, *l)
	}
	slices.SortFunc(lines, func(a, b pickLine) int { return strings.Compare(a.key, b.key) })
	return lines
}

// handovers returns the shipments under way, by courier.
func (d *document) handovers(orders []order.StaffOrder, byConsignment bool) []handover {
	f := d.format
	rows := map[plugin.Provider][]handoverRow{}
	for i := range orders {
		o := &orders[i]
		for j := range o.Shipments {
			s := &o.Shipments[j]
			if !isUnderWay(s.Status) {
				continue
			}
			at := &o.ShippingAddress
			row := handoverRow{
				Number:      f.digits(strconv.FormatInt(o.OrderNumber, 10)),
				Consignment: textOf(s.ConsignmentID), Name: written(o.Customer.Name), Phone: f.phone(o.Customer.PhoneNumber),
				Place: written(join(", ", textOf(at.Area), at.City)), amount: s.AmountToCollect.Amount,
			}
			if row.Cash = "–"; row.amount > 0 {
				row.Cash = f.money(row.amount)
			}
			rows[s.Provider] = append(rows[s.Provider], row)
		}
	}
	var all []handover
	for _, courier := range []plugin.Provider{plugin.CourierA, plugin.CourierB} {
		if len(rows[courier]) == 0 {
			continue
		}
		h := handover{Courier: plugin.ProviderName(courier, d.format.language), Rows: rows[courier], Count: d.Word("shipment")}
		if byConsignment {
			slices.SortStableFunc(h.Rows, func(a, b handoverRow) int {
				return compareIDs(a.Consignment, b.Consignment)
			})
		}
		var cash int64
		for i := range h.Rows {
			h.Rows[i].Position = f.number(i + 1)
			cash += h.Rows[i].amount
		}
		h.Cash = f.money(cash)
		if len(h.Rows) != 1 {
			h.Count = fmt.Sprintf(d.Word("shipments"), f.number(len(h.Rows)))
		}
		all = append(all, h)
	}
	return all
}

// compareIDs compares consignment IDs: a longer one follows, as it does for numbers.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// join joins the texts that are not empty.
func join(separator string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), separator)
}

func textOf(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}
