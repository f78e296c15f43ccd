package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"storefront/db/dbtest"
	"storefront/shop/catalogue"
	"storefront/shop/shoptest"
)

// wordsOfShops are what titles and questions are made of: with accents, digits in both scripts,
// conjuncts, vowel signs and letters of two code points, numbers of parts, and English endings.
var wordsOfShops = strings.Fields(`
	cotton Cotton cottons panjabi Panjabis sharee saree sari mug mugs Café naïve Müller tea-set T-shirt BLB-12W/E27 100% A4 500ml iPhone15
	red green blue black silver home kitchen glass classes dress dresses child's men's women kids size XL 3XL 42 2000000010014
	পাঞ্জাবি পাঞ্জাবী শাড়ি শাড়ী সুতি সুতা কাঁথা কাথা নকশি জবা ঈদ ঈদের জন্য লাল নীল সবুজ ৫০০ ১২ হাতে সেলাই রান্না ঘর ক্লাসিক
	বাংলা পণ্য শিশু ছেলে মেয়ে কামিজ থ্রি-পিস জুতা চশমা আয়না`)

// Both engines find the same products for the same question; only the order of equally relevant
// ones may differ.
func TestCatalogue_Search_EnginesAgree(t *testing.T) {
	t.Parallel()
	dbtest.NeedPostgres(t)
	random := rand.New(rand.NewPCG(1, 2))
	clock := shoptest.NewClock()
	shops := []catalogueShop{
		newCatalogueShopIn(t, shoptest.NewFiles(t, clock).Store, clock),
		newCatalogueShopIn(t, shoptest.NewStore(t, clock), clock),
	}
	phrase := func(most int) string {
		words := make([]string, 1+random.IntN(most))
		for i := range words {
			words[i] = wordsOfShops[random.IntN(len(wordsOfShops))]
		}
		return strings.Join(words, " ")
	}
	for n := range 300 {
		in := plainProduct(fmt.Sprintf("product-%d", n), 100)
		in.Title, in.DescriptionHTML = phrase(4), "<p>"+phrase(12)+"</p>"
		in.Tags, in.Vendor, in.Type = strings.Fields(phrase(2)), phrase(1), phrase(1)
		in.Variants[0].SKU = fmt.Sprintf("SKU-%d", n)
		for _, s := range shops {
			mustSaveProduct(t, s, in)
		}
	}
	found := 0
	for range 600 {
		question := phrase(3)
		if random.IntN(3) == 0 { // typed so far, perhaps with a letter's sign still missing
			letters := []rune(question)
			question = string(letters[:1+random.IntN(len(letters))])
		}
		if random.IntN(5) == 0 { // a letter too many
			at := random.IntN(utf8.RuneCountInString(question) + 1)
			question = string(slices.Insert([]rune(question), at, 'x'))
		}
		var answers [2][]string
		for i, s := range shops {
			answers[i] = mustFindHandles(t, s, catalogue.ProductFilter{Search: question})
			slices.Sort(answers[i])
		}
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("search %q (-files +PostgreSQL):\n%s", question, diff)
		}
		if len(answers[0]) > 0 {
			found++
		}
	}
	if found < 300 {
		t.Errorf("got products for %d of 600 questions, want most", found)
	}
	t.Logf("%d of 600 questions found products", found)
}
