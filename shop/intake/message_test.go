package intake

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/input"
	"storefront/shop/phone"
)

func parser(country string) Parser {
	return Parser{Country: country, MaxQuantities: 100, MaxQuantity: 100_000, MaxText: 200}
}

func quantityOf(n int, text string) Quantity { return Quantity{Quantity: n, Text: text} }

func TestParser_Parse(t *testing.T) {
	t.Parallel()
	order := func(name, number, line, city string, quantities ...Quantity) Order {
		return Order{Name: name, Phone: number, Address: line, City: city, Quantities: quantities}
	}
	inPostcode := func(postcode string, order Order) Order {
		order.Postcode = postcode
		return order
	}
	for _, tc := range []struct {
		name, text string
		want       Order
	}{
		{"lines", "Rahima Khatun\n01711-223344\nHouse 12, Road 5, Mirpur, Dhaka\n2 pcs Mug",
			order("Rahima Khatun", "+8801711223344", "House 12, Road 5, Mirpur", "Dhaka", quantityOf(2, "Mug"))},
		{"labels in Bangla", "নাম: রহিমা খাতুন\nমোবাইল: ০১৭১১২২৩৩৪৪\nঠিকানা: বাড়ি ১২, মিরপুর, ঢাকা\nমগ ২টি",
			order("রহিমা খাতুন", "+8801711223344", "বাড়ি 12, মিরপুর", "Dhaka", quantityOf(2, "মগ"))},
		{"a chat in Bangla", "আপু আমি নাসরিন জাহান\n০১৭১২-৩৪৫৬৭৮\nবাসা ১২, মিরপুর, ঢাকা\n২টা খাঁটি ঘি দিবেন প্লিজ",
			order("নাসরিন জাহান", "+8801712345678", "বাসা 12, মিরপুর", "Dhaka", quantityOf(2, "খাঁটি ঘি"))},
		{"a greeting before the product, a label without a colon",
			"আপু, লাল জামদানি শাড়ি ২টা লাগবে\nনাম: তানভীর আহমেদ\nফোন ০১৮১৯৩৩৬২০৪\nঠিকানা: বাসা ১২, মিরপুর ১০, ঢাকা",
			order("তানভীর আহমেদ", "+8801819336204", "বাসা 12, মিরপুর 10", "Dhaka", quantityOf(2, "লাল জামদানি শাড়ি"))},
		{"one line with a label of the number", "Karim Sheikh, House 3, Mobile No. 01811000000, Sylhet, 2 pcs mug",
			order("Karim Sheikh", "+8801811000000", "House 3", "Sylhet", quantityOf(2, "mug"))},
		{"a greeting alone", "আসসালামু আলাইকুম\nRahim\nHouse 5", order("Rahim", "", "House 5", "")},
		{"a name that begins like a greeting", "Himu Ahmed\nHouse 5", order("Himu Ahmed", "", "House 5", "")},
		{"one line", "Karim, +880 1811 000000, House 3, Cox's Bazar",
			order("Karim", "+8801811000000", "House 3", "Cox's Bazar")},
		{"one line without commas", "Rahima Khatun 01711-223344 House 12 Road 5 Mirpur Dhaka 2 pcs mango pickle",
			order("Rahima Khatun", "+8801711223344", "House 12 Road 5 Mirpur", "Dhaka", quantityOf(2, "mango pickle"))},
		{"one line in Bangla", "আপু আমি রহিমা খাতুন ০১৭১১২২৩৩৪৪ বাড়ি ১২ রোড ৫ মিরপুর ঢাকা ২টা খাঁটি ঘি দিবেন",
			order("রহিমা খাতুন", "+8801711223344", "বাড়ি 12 রোড 5 মিরপুর", "Dhaka", quantityOf(2, "খাঁটি ঘি"))},
		{"one line, the phone number first", "01711223344 Md. Karim Sheikh, vill. Char Para, Bogura, 3 pcs mug, x2 saree",
			order("Md. Karim Sheikh", "+8801711223344", "vill. Char Para", "Bogura", quantityOf(3, "mug"), quantityOf(2, "saree"))},
		{"one line, the phone number last", "রহিমা খাতুন, বাড়ি ১২, মিরপুর, ঢাকা, মগ ২টি, ০১৭১১২২৩৩৪৪",
			order("রহিমা খাতুন", "+8801711223344", "বাড়ি 12, মিরপুর", "Dhaka", quantityOf(2, "মগ"))},
		{"one line, no word of addresses", "Rahima Khatun Dhanmondi Dhaka 01711223344",
			order("Rahima Khatun", "+8801711223344", "Dhanmondi", "Dhaka")},
		{"one line after a greeting", "আসসালামু আলাইকুম\nNasrin 01711223344 Sadar Road, Cox's Bazar",
			order("Nasrin", "+8801711223344", "Sadar Road", "Cox's Bazar")},
		{"one line, the product before its quantity", "Nasrin 01711223344 House 4 Sylhet Mango Pickle 2 pcs please",
			order("Nasrin", "+8801711223344", "House 4", "Sylhet", quantityOf(2, "Mango Pickle"))},
		{"one line of sentences, with a question",
			"Assalamu alaikum apu, nakshi katha ta nite chai 2 ta. Nusrat Jahan, 01819336204. House 12, Road 5, Dhanmondi, Dhaka. delivery kobe pabo?",
			order("Nusrat Jahan", "+8801819336204", "House 12, Road 5, Dhanmondi", "Dhaka", quantityOf(2, "nakshi katha"))},
		{"one line, a full stop within the address", "Nasrin 01711223344 House 12. Dhanmondi. Dhaka",
			order("Nasrin", "+8801711223344", "House 12. Dhanmondi", "Dhaka")},
		{"goods in one line", "Salma Khatun\n01712-334455\nHouse 12, Road 5, Mirpur 10, Dhaka\n1 mango pickle, 2 honey + ১ লুঙ্গি",
			order("Salma Khatun", "+8801712334455", "House 12, Road 5, Mirpur 10", "Dhaka",
				quantityOf(1, "mango pickle"), quantityOf(2, "honey"), quantityOf(1, "লুঙ্গি"))},
		{"numbers of places in one line", "Salma\n01712334455\n12 Green Road, 5 Mirpur\nDhaka",
			order("Salma", "+8801712334455", "12 Green Road, 5 Mirpur", "Dhaka")},
		{"labels in one line", "নাম: রহিমা খাতুন মোবাইল: ০১৭১১২২৩৩৪৪ ঠিকানা: বাড়ি ১২, মিরপুর, ঢাকা",
			order("রহিমা খাতুন", "+8801711223344", "বাড়ি 12, মিরপুর", "Dhaka")},
		{"a postcode after the district", "Nasrin\n01711223344\nHouse 4, Mirpur, Dhaka-1216",
			inPostcode("1216", order("Nasrin", "+8801711223344", "House 4, Mirpur", "Dhaka"))},
		{"a part of a district", "Nasrin\n01711223344\nHouse 4, Feni Sadar", order("Nasrin", "+8801711223344", "House 4, Feni Sadar", "Feni")},
		{"a label before the district", "Nasrin\n01711223344\nHouse 4, Post: Char, Zila: Bhola",
			order("Nasrin", "+8801711223344", "House 4, Post: Char", "Bhola")},
		{"nothing but the district", "Nasrin\n01711223344\nDhaka", order("Nasrin", "+8801711223344", "", "Dhaka")},
		{"a quantity alone", "Nasrin\n01711223344\nHouse 5, Dhaka\n2 pcs",
			order("Nasrin", "+8801711223344", "House 5", "Dhaka", quantityOf(2, ""))},
		{"no phone number", "Rahim\nHouse 5", order("Rahim", "", "House 5", "")},
		{"labelled quantity", "Name: Rahim\nQty: 3", order("Rahim", "", "", "", quantityOf(3, ""))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := parser("BD").Parse(tc.text)
			got.Area, got.Sources, got.Unsure = "", nil, nil
			for i := range got.Quantities {
				got.Quantities[i].Sure = false
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("parsed message (-want +got):\n%s", diff)
			}
		})
	}
}

// Labels are recognized in all the ways in which people write them.
func TestParser_Labels(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/labels.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text, Name, PhoneNumber, Line1, City string
		Line1Lacks                           []string
		Quantities                           []int
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tc := range cases {
		got := parser("BD").Parse(tc.Text)
		var quantities []int
		for _, q := range got.Quantities {
			quantities = append(quantities, q.Quantity)
		}
		for _, word := range tc.Line1Lacks {
			if strings.Contains(got.Address, word) {
				t.Errorf("%s: got the address %q, want no %q", tc.Text, got.Address, word)
			}
		}
		if tc.Line1 == "" {
			got.Address = ""
		}
		want := []any{tc.Name, tc.PhoneNumber, tc.Line1, tc.City, tc.Quantities}
		if diff := cmp.Diff(want, []any{got.Name, got.Phone, got.Address, got.City, quantities}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.Text, diff)
		}
	}
}

// Whatever a message contains, the result is valid as a form's input.
func FuzzParse(f *testing.F) {
	f.Add("Rahima Khatun\n01711-223344\nHouse 12, Road 5, Mirpur, Dhaka\n2 pcs Mug", "BD")
	f.Add("নাম: রহিমা\nমোবাইল: ০১৭১১২২৩৩৪৪\nমগ ২টি x 3", "BD")
	f.Add("Rahima Khatun 01711223344 House 12 Mirpur Dhaka 2 pcs mug", "BD")
	f.Add("[12/05/24, 10:22] Rafi: নামঃ রহিম, থানা সদর, জেলা যশোর\nblue mug 40 2 ta ar 2-3 y 1 ta M-1?", "BD")
	f.Add("+1 202 555 0143 x9999 (2x)", "US")
	f.Add(":=-–\n,,,\n+\n0", "BD")
	f.Fuzz(func(t *testing.T, text, country string) {
		p := withProducts(country)
		order := p.Parse(input.Cut(text, 5000))
		if order.Phone != "" {
			if again, ok := phone.Parse(order.Phone, country); !ok || again != order.Phone {
				t.Errorf("got phone number %q, want one in E.164", order.Phone)
			}
		}
		if n := utf8.RuneCountInString(order.Address); n > p.MaxText {
			t.Errorf("got an address of %d characters, want at most %d", n, p.MaxText)
		}
		if n := utf8.RuneCountInString(order.Name); n > input.MaxName {
			t.Errorf("got a name of %d characters, want at most %d", n, input.MaxName)
		}
		if len(order.Quantities) > p.MaxQuantities {
			t.Errorf("got %d quantities, want at most %d", len(order.Quantities), p.MaxQuantities)
		}
		for _, q := range order.Quantities {
			if q.Quantity < 1 || q.Quantity > p.MaxQuantity {
				t.Errorf("got quantity %d, want 1 to %d", q.Quantity, p.MaxQuantity)
			}
		}
	})
}
