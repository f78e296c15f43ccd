package shop

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"storefront/db"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/notify"
)

//go:embed buyer_message.html
var messagePageText string

var messagePageTemplate = template.Must(template.New("message").Parse(messagePageText))

// messagePictureBox is the greatest width and height of a picture in an e-mail, in pixels. Its file
// has more, for dense screens.
const messagePictureBox = 64

// messagePage is the HTML part of an e-mail about an order: its text, and the order's lines with
// their pictures. Like the text it has no name, address or phone number. It sets no colours, so
// that it is readable on any background, and its pictures have the same addresses for all buyers.
type messagePage struct {
	Lang          locale.Language
	Subject, Shop string
	Logo          string   // address; "": none
	Parts         []string // of the text, between its links
	Link          string
	Lines         []messageLine
	Sums          []messageSum
	PictureBox    int
}

type messageLine struct {
	Name, Amount string
	Picture      *messagePicture // nil: the line has none
}

// messagePicture is a picture in the size in which it is shown. The name beside it is its text
// alternative.
type messagePicture struct {
	URL           string
	Width, Height int
}

type messageSum struct {
	Name, Amount string
	Last         bool
}

// messageWords are the names of sums in an e-mail.
type messageWords struct{ discount, delivery, rounding, total string }

func messageWordsIn(language locale.Language) messageWords {
	if language == locale.Bangla {
		return messageWords{"ছাড়", "ডেলিভারি", "রাউন্ডিং", "মোট"}
	}
	return messageWords{"Discount", "Delivery", "Rounding", "Total"}
}

// messageHTML returns the HTML part of an e-mail with a text about an order, whose link is link.
func (set *cachedSettings) messageHTML(tx *db.Tx, o *orderRow, text, link string) (string, error) {
	stored := make([]string, len(o.items))
	for i := range o.items {
		stored[i] = o.items[i].imageURL
	}
	pictures, err := catalogue.FindPictures(tx, set.display.media, stored)
	if err != nil {
		return "", err
	}
	language := set.messageLanguage()
	digits := language.Digits
	amount := func(n int64) string { return digits(set.money.Money(n).Formatted) }
	view := messagePage{
		Lang: language, Subject: set.messageSubject(o), Shop: locale.NameIn(language, set.Name), Parts: []string{text}, Link: link,
		PictureBox: messagePictureBox,
	}
	if link != "" {
		view.Parts = strings.Split(text, link)
	}
	if isAbsolute(set.logoURL) {
		view.Logo = set.logoURL
	}
	for _, item := range o.items {
		name := locale.NameIn(language, item.title)
		if item.variantTitle != "" {
			name += " · " + locale.NameIn(language, item.variantTitle)
		}
		line := messageLine{Name: digits(strconv.Itoa(item.quantity)) + " × " + name, Amount: amount(item.unitPrice * int64(item.quantity))}
		if file, ok := pictures[item.imageURL]; ok && isAbsolute(file.URL) {
			line.Picture = newMessagePicture(file.URL, file.Width, file.Height)
		}
		view.Lines = append(view.Lines, line)
	}
	view.Sums = messageSums(o, messageWordsIn(language), amount)
	return view.render()
}

// notificationHTML returns the HTML part of a notification by e-mail; "" for one without a picture.
func notificationHTML(subject string, m *notify.Message) (string, error) {
	if m.Picture == nil {
		return "", nil
	}
	view := messagePage{
		Lang: locale.Of(m.Language), Subject: subject, Shop: m.Shop, Parts: []string{m.Body}, Link: m.URL, PictureBox: messagePictureBox,
		Lines: []messageLine{{Name: m.Title, Picture: newMessagePicture(m.Picture.URL, m.Picture.Width, m.Picture.Height)}},
	}
	if m.URL != "" {
		view.Parts = []string{m.Body + "\n", ""}
	}
	return view.render()
}

func (p *messagePage) render() (string, error) {
	var page bytes.Buffer
	if err := messagePageTemplate.Execute(&page, p); err != nil {
		return "", fmt.Errorf("render e-mail: %w", err)
	}
	return page.String(), nil
}

// messageSums returns what an order's total consists of beside its lines, and the total.
func messageSums(o *orderRow, words messageWords, amount func(int64) string) (sums []messageSum) {
	for _, sum := range []struct {
		name, sign string
		amount     int64
	}{{words.discount, "−", o.discount}, {words.delivery, "", o.deliveryCharge}, {words.rounding, "−", o.rounding}} {
		if sum.amount != 0 {
			sums = append(sums, messageSum{Name: sum.name, Amount: sum.sign + amount(sum.amount)})
		}
	}
	return append(sums, messageSum{Name: words.total, Amount: amount(o.total), Last: true})
}

// newMessagePicture returns a file in the largest size that fits into the box.
func newMessagePicture(url string, width, height int) *messagePicture {
	longest := max(width, height, messagePictureBox)
	fit := func(side int) int { return max(side*messagePictureBox/longest, 1) }
	return &messagePicture{url, fit(width), fit(height)}
}

// isAbsolute reports whether an e-mail can show a picture at an address. A server that does not
// have its own address has relative ones.
func isAbsolute(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}
