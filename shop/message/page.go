package message

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"storefront/db"
	"storefront/shop/locale"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pictureBox is the greatest width and height of a picture in an e-mail, in pixels. Its file is
// larger, for dense screens.
const pictureBox = 64

// Page is the HTML part of an e-mail: its text, and the lines of an order with their pictures. Like
// the text it has no name, address or phone number of a buyer. It sets no colours, so that it is
// readable on any background, and its pictures have the same addresses for all recipients.
type Page struct {
	Language      locale.Language
	Subject, Shop string
	Logo          string   // address; "" if there is none
	Parts         []string // of the text, between its links
	Link          string
	Lines         []PageLine
	Sums          []PageSum
}

// PageLine is a line of a [Page].
type PageLine struct {
	Name, Amount string
	Picture      *Picture // nil means none
}

// PageSum is a sum below the lines of a [Page].
type PageSum struct {
	Name, Amount string
	Last         bool
}

// Picture is the file of an image. The name beside it is its text alternative.
type Picture struct {
	URL           string
	Width, Height int // in pixels
}

// HTML returns the page.
func (p *Page) HTML() (string, error) {
	var page bytes.Buffer
	if err := pageTemplate.Execute(&page, p); err != nil {
		return "", fmt.Errorf("render e-mail: %w", err)
	}
	return page.String(), nil
}

// PictureBox returns the width of the column of pictures, for the template.
func (*Page) PictureBox() int { return pictureBox }

// Fit returns the picture in the largest size that fits into its box, for the template.
func (p *Picture) Fit() Picture {
	longest := max(p.Width, p.Height, pictureBox)
	fit := func(side int) int { return max(side*pictureBox/longest, 1) }
	return Picture{p.URL, fit(p.Width), fit(p.Height)}
}

// IsAbsolute reports whether a URL is absolute, so that an e-mail can show its picture. URLs are
// relative if the server has no public URL.
func IsAbsolute(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// html returns the HTML part of an e-mail about an order, with its text and the link in it.
func (s *Shop) html(tx *db.Tx, o *Order, text, link string) (string, error) {
	stored := make([]string, len(o.Lines))
	for i, line := range o.Lines {
		stored[i] = line.ImageURL
	}
	pictures, err := s.FindPictures(tx, stored)
	if err != nil {
		return "", err
	}
	page := Page{
		Language: s.Language, Subject: s.subject(o), Shop: locale.NameIn(s.Language, s.Name),
		Parts: []string{text}, Link: link, Sums: s.sums(o),
	}
	if link != "" {
		page.Parts = strings.Split(text, link)
	}
	if IsAbsolute(s.Logo) {
		page.Logo = s.Logo
	}
	for _, line := range o.Lines {
		name := locale.NameIn(s.Language, line.Title)
		if line.Variant != "" {
			name += " · " + locale.NameIn(s.Language, line.Variant)
		}
		quantity := s.Language.Digits(strconv.Itoa(line.Quantity))
		shown := PageLine{Name: quantity + " × " + name, Amount: s.amount(line.Amount)}
		if file, ok := pictures[line.ImageURL]; ok && IsAbsolute(file.URL) {
			shown.Picture = &file
		}
		page.Lines = append(page.Lines, shown)
	}
	return page.HTML()
}

// sumNames are the names of sums in an e-mail.
type sumNames struct{ discount, delivery, rounding, credited, total string }

func sumNamesIn(language locale.Language) sumNames {
	if language == locale.Bangla {
		return sumNames{"ছাড়", "ডেলিভারি", "রাউন্ডিং", "ফেরত", "মোট"}
	}
	return sumNames{"Discount", "Delivery", "Rounding", "Returned", "Total"}
}

// sums returns the parts of an order's total beside its lines, and the total.
func (s *Shop) sums(o *Order) (sums []PageSum) {
	names := sumNamesIn(s.Language)
	rest := o.Discount
	for _, d := range o.Discounts {
		sums = append(sums, PageSum{Name: locale.NameIn(s.Language, d.Title), Amount: "−" + s.amount(d.Amount)})
		rest -= d.Amount
	}
	for _, sum := range []struct {
		name, sign string
		amount     int64
	}{
		{names.discount, "−", rest}, {names.delivery, "", o.DeliveryCharge}, {names.rounding, "−", o.Rounding},
		{names.credited, "−", o.Credited},
	} {
		if sum.amount != 0 {
			sums = append(sums, PageSum{Name: sum.name, Amount: sum.sign + s.amount(sum.amount)})
		}
	}
	return append(sums, PageSum{Name: names.total, Amount: s.amount(o.Total), Last: true})
}
