package message_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"storefront/db"
	"storefront/shop"
	"storefront/shop/access"
	"storefront/shop/catalogue"
	"storefront/shop/locale"
	"storefront/shop/message"
	"storefront/shop/order"
	"storefront/shop/shoptest"
)

// illustrated is a shop that sends an e-mail about each order, with images.
type illustrated struct {
	*shop.Shop
	mail  *shoptest.Mail
	store *db.Store
	send  func()
}

func newIllustrated(t *testing.T, publicURL string, messages map[string]any) *illustrated {
	t.Helper()
	clock, mail := shoptest.NewClock(), shoptest.NewMail()
	messages["email"] = []string{"placed"}
	store := shoptest.NewStore(t, clock)
	s := shoptest.New(t, &shoptest.Options{
		Mail: mail, Clock: clock, Media: &shoptest.Media{}, PublicURL: publicURL, Store: store,
		Settings: map[string]any{"name": "Acme", "buyerMessages": messages},
	})
	return &illustrated{s, mail, store, func() {
		if _, err := s.Messages.SendDue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}}
}

// upload stores an image and returns its ID.
func (s *illustrated) upload(t *testing.T, width, height int) string {
	t.Helper()
	m, _, err := s.Catalogue.UploadMedia(t.Context(), access.Operator(), catalogue.MediaUpload{
		ContentType: "image/png", Body: shoptest.PNG(t, width, height, width), Alt: "Alt",
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.ID
}

// product creates a product with an image and returns its ID.
func (s *illustrated) product(t *testing.T, title string, image *catalogue.ImageInput) string {
	t.Helper()
	in := catalogue.ProductInput{Title: title, Variants: []catalogue.VariantInput{{Price: 150_000}}}
	if image != nil {
		in.Images = []catalogue.ImageInput{*image}
	}
	p, err := s.Catalogue.CreateProduct(t.Context(), access.Operator(), in)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// place places an order of two of each product, with an e-mail address.
func (s *illustrated) place(t *testing.T, products ...string) *order.Placed {
	t.Helper()
	in := shoptest.GuestOrder(products[0], 2)
	for _, id := range products[1:] {
		in.Items = append(in.Items, order.ItemInput{ProductID: id, Quantity: 2})
	}
	in.Customer.Email = new("buyer@example.com")
	placed, err := s.Orders.PlaceOrder(t.Context(), access.Caller{}, in, "")
	if err != nil {
		t.Fatal(err)
	}
	return placed
}

// elements returns what matters of a page: its pictures with their size and text alternative, the
// targets of its links, the elements that load something else or run, and its text.
func elements(t *testing.T, page string) (images, links, scripts []string, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		switch {
		case n.Type == html.TextNode:
			text += n.Data + "\n"
		case n.Data == "img":
			alt, ok := attr["alt"]
			images = append(
				images,
				fmt.Sprint(attr["src"], " ", attr["width"], "×", attr["height"], " ", alt, ok),
			)
		case n.Data == "a":
			links = append(links, attr["href"])
		case n.Data == "script" || n.Data == "link" || attr["onerror"] != "" || attr["background"] != "":
			scripts = append(scripts, n.Data)
		}
	}
	return images, links, scripts, strings.Join(strings.Fields(text), " ")
}

// An e-mail about an order shows its lines with the uploaded pictures, in their proportions and no
// larger than the box. What another host has is left out: it would learn who reads the e-mail.
func TestMessages_Pictures(t *testing.T) {
	t.Parallel()
	s := newIllustrated(t, "https://shop.example", map[string]any{})
	wide, tall, tiny := s.upload(t, 640, 320), s.upload(t, 400, 1600), s.upload(t, 40, 20)
	placed := s.place(t,
		s.product(t, `<script>alert(1)</script> "Tea" & more`, &catalogue.ImageInput{Media: wide}),
		s.product(t, "Saree — শাড়ি", &catalogue.ImageInput{Media: tall}),
		s.product(t, "Ring", &catalogue.ImageInput{Media: tiny}),
		s.product(t, "Elsewhere", &catalogue.ImageInput{URL: "https://cdn.example/a.jpg"}),
		s.product(t, "Plain", nil),
	)
	s.send()
	mail := s.mail.Next(t, "buyer@example.com")
	images, links, scripts, text := elements(t, mail.HTML)
	at := "https://shop.example/media/test/"
	want := []string{
		at + wide + "/160.png 64×32 true", at + tall + "/160.png 16×64 true", at + tiny + "/40.png 40×20 true",
	}
	if fmt.Sprint(images) != fmt.Sprint(want) {
		t.Errorf("got pictures\n%s\nwant\n%s", strings.Join(images, "\n"), strings.Join(want, "\n"))
	}
	link := "https://shop.example/t/test/" + placed.InvoiceUID
	if len(links) != 1 || links[0] != link || len(scripts) != 0 {
		t.Errorf("got links %q and elements %q, want the order's page alone", links, scripts)
	}
	for _, want := range []string{
		strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(mail.Text), link)), `2 × <script>alert(1)</script> "Tea" & more ৳3,000`,
		"2 × Saree ৳3,000", "2 × Plain ৳3,000", "Delivery ৳70", "Total ৳15,070",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got text\n%s\nwithout %q", text, want)
		}
	}
	for _, personal := range []string{"Rahim", "01711", "House", "Dhanmondi", "color:", "bgcolor"} {
		if strings.Contains(strings.ReplaceAll(mail.HTML, "color-scheme", ""), personal) {
			t.Errorf("got an e-mail with %q:\n%s", personal, mail.HTML)
		}
	}
}

// In Bangla, the words, digits and names are.
func TestMessages_PicturesBangla(t *testing.T) {
	t.Parallel()
	s := newIllustrated(t, "https://shop.example", map[string]any{"language": "bn"})
	s.place(t, s.product(t, "Saree — শাড়ি", nil))
	s.send()
	mail := s.mail.Next(t, "buyer@example.com")
	_, _, _, text := elements(t, mail.HTML)
	if !strings.Contains(mail.HTML, `<html lang="bn">`) ||
		!strings.Contains(text, "২ × শাড়ি ৳৩,০০০ ডেলিভারি ৳৭০ মোট ৳৩,০৭০") {
		t.Errorf("got %s", text)
	}
}

// A picture whose files are gone, and one of a server without an address of its own, is no broken
// picture: the line has none.
func TestMessages_NoPicture(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		publicURL string
		purge     bool
	}{{"", false}, {"https://shop.example", true}} {
		s := newIllustrated(t, test.publicURL, map[string]any{})
		image := s.upload(t, 640, 640)
		product := s.product(t, "Tea", &catalogue.ImageInput{Media: image})
		s.place(t, product)
		if test.purge {
			_, err := s.Catalogue.UpdateProduct(
				t.Context(),
				access.Operator(),
				product,
				catalogue.ProductChange{Images: []catalogue.ImageInput{}},
			)
			if err != nil {
				t.Fatal(err)
			}
			shoptest.Exec(
				t,
				s.store,
				"test",
				"DELETE FROM media WHERE id = ?",
				image,
			) // as of a shop that came without its pictures
		}
		s.send()
		images, _, _, text := elements(t, s.mail.Next(t, "buyer@example.com").HTML)
		if len(images) != 0 || !strings.Contains(text, "2 × Tea") {
			t.Errorf("%+v: got pictures %q and %s, want the line alone", test, images, text)
		}
	}
}

// A test e-mail is as buyers get it.
func TestSendTestMessage_HTML(t *testing.T) {
	t.Parallel()
	s := newIllustrated(t, "https://shop.example", map[string]any{"language": locale.Bangla})
	if _, _, err := s.Messages.SendTestMessage(t.Context(), access.Operator(), message.Placed, "me@example.com"); err != nil {
		t.Fatal(err)
	}
	_, links, _, text := elements(t, s.mail.Next(t, "me@example.com").HTML)
	if len(links) != 1 || !strings.Contains(text, "১ × নীল পাঞ্জাবি · M ৳১,২৫০") {
		t.Errorf("got links %q in %s", links, text)
	}
}
