package order

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/db"
	"storefront/shop/account"
	"storefront/shop/catalogue"
	"storefront/shop/fault"
	"storefront/shop/money"
	"storefront/shop/status"
)

// shopOf returns the settings that pricing uses.
func shopOf(currency string, charges ...DeliveryOption) *Settings {
	money, ok := money.ParseCurrency(currency)
	if !ok {
		panic(currency)
	}
	return NewSettings(Settings{Display: Display{Currency: money}, Country: "BD", DeliveryCharges: charges})
}

// inCashUnits sets the unit of cash totals.
func inCashUnits(unit int64, set *Settings) *Settings {
	set.CashRounding = unit
	return set
}

func percentOff(basisPoints int64, limit *int64) *couponRow {
	return &couponRow{kind: CouponPercentage, active: true, basisPoints: &basisPoints, maxDiscount: limit}
}

func amountOff(amount int64) *couponRow {
	return &couponRow{kind: CouponFixed, active: true, amount: &amount}
}

// cartOf returns a cart with lines of quantity one, all in the coupon's scope.
func cartOf(coupon *couponRow, prices ...int64) cart {
	c := cart{coupon: coupon, method: status.PayCOD}
	for _, price := range prices {
		c.lines = append(c.lines, cartLine{unitPrice: price, quantity: 1, inScope: true})
	}
	return c
}

type wantFigures struct {
	subtotal, discount, delivery, rounding, total int64
	shares                                        []int64
}

func (f figures) flat() wantFigures {
	w := wantFigures{f.subtotal, f.discount, f.deliveryCharge, f.rounding, f.total, nil}
	for _, line := range f.lines {
		w.shares = append(w.shares, line.discount)
	}
	return w
}

func TestPriceCart(t *testing.T) {
	t.Parallel()
	flat := DeliveryOption{ID: "flat", Name: "Flat", Charge: 6000}
	free := DeliveryOption{ID: "free", Name: "Free over", Charge: 6000, FreeOver: new(int64(100_00))}
	freeShipping := &couponRow{kind: CouponFreeDelivery, active: true}
	partly := cartOf(percentOff(5000, nil), 100_00, 100_00)
	partly.lines[1].inScope = false
	online := cartOf(nil, 10_50)
	online.method = status.PayGatewayA
	goodsOnly := cartOf(percentOff(1000, nil), 99_99)
	goodsOnly.goodsOnly = true
	several := cartOf(nil)
	several.lines = []cartLine{{unitPrice: 12_50, quantity: 3}, {unitPrice: 7_00, quantity: 2}}

	for name, tc := range map[string]struct {
		set  *Settings
		cart cart
		want wantFigures
	}{
		"lines and quantities":   {shopOf("BDT"), several, wantFigures{5150, 0, 0, 50, 5100, []int64{0, 0}}},
		"delivery is added":      {shopOf("BDT", flat), cartOf(nil, 100_00), wantFigures{10000, 0, 6000, 0, 16000, []int64{0}}},
		"percentage rounds down": {shopOf("BDT"), cartOf(percentOff(3333, nil), 10_00), wantFigures{1000, 333, 0, 67, 600, []int64{333}}},
		"three equal lines":      {shopOf("BDT"), cartOf(amountOff(100), 500, 500, 500), wantFigures{1500, 100, 0, 0, 1400, []int64{34, 33, 33}}},
		"the largest rest wins":  {shopOf("BDT"), cartOf(amountOff(100), 100, 200, 400), wantFigures{700, 100, 0, 0, 600, []int64{14, 29, 57}}},
		"percentage with cap": {shopOf("BDT"), cartOf(percentOff(5000, new(int64(1500))), 100_00), wantFigures{10000, 1500, 0, 0, 8500,
			[]int64{1500}}},
		"cap above the discount": {shopOf("BDT"), cartOf(percentOff(1000, new(int64(1500))), 100_00), wantFigures{10000, 1000, 0, 0, 9000,
			[]int64{1000}}},
		"scope only": {shopOf("BDT"), partly, wantFigures{20000, 5000, 0, 0, 15000, []int64{5000, 0}}},
		"fixed is at most the goods": {shopOf("BDT", flat), cartOf(amountOff(999_00), 10_00, 20_00), wantFigures{3000, 3000, 6000, 0, 6000,
			[]int64{1000, 2000}}},
		"everything off":               {shopOf("BDT"), cartOf(percentOff(10000, nil), 12_34), wantFigures{1234, 1234, 0, 0, 0, []int64{1234}}},
		"a gift":                       {shopOf("BDT"), cartOf(amountOff(100), 0), wantFigures{0, 0, 0, 0, 0, []int64{0}}},
		"free from the threshold":      {shopOf("BDT", free), cartOf(nil, 100_00), wantFigures{10000, 0, 0, 0, 10000, []int64{0}}},
		"not free below it":            {shopOf("BDT", free), cartOf(nil, 99_99), wantFigures{9999, 0, 6000, 99, 15900, []int64{0}}},
		"threshold after the discount": {shopOf("BDT", free), cartOf(amountOff(1), 100_00), wantFigures{10000, 1, 6000, 99, 15900, []int64{1}}},
		"free delivery by coupon":      {shopOf("BDT", flat), cartOf(freeShipping, 50_00), wantFigures{5000, 0, 0, 0, 5000, []int64{0}}},
		"online keeps the coins":       {shopOf("BDT", flat), online, wantFigures{1050, 0, 6000, 0, 7050, []int64{0}}},
		"goods only":                   {shopOf("BDT", flat), goodsOnly, wantFigures{9999, 999, 0, 0, 9000, []int64{999}}},
		"no decimals, no rounding":     {shopOf("JPY"), cartOf(percentOff(1000, nil), 999), wantFigures{999, 99, 0, 0, 900, []int64{99}}},
		"three decimals":               {shopOf("KWD"), cartOf(nil, 12_345), wantFigures{12345, 0, 0, 0, 12345, []int64{0}}},
		"cents are cash":               {shopOf("USD"), cartOf(nil, 19_99), wantFigures{1999, 0, 0, 0, 1999, []int64{0}}},
		"whole rupees":                 {shopOf("INR"), cartOf(nil, 19_99), wantFigures{1999, 0, 0, 99, 1900, []int64{0}}},
		"never to zero":                {shopOf("BDT"), cartOf(nil, 99), wantFigures{99, 0, 0, 0, 99, []int64{0}}},
		"to the shop's unit":           {inCashUnits(500, shopOf("BDT")), cartOf(nil, 19_99), wantFigures{1999, 0, 0, 499, 1500, []int64{0}}},
		"below the shop's unit":        {inCashUnits(500, shopOf("BDT")), cartOf(nil, 4_99), wantFigures{499, 0, 0, 0, 499, []int64{0}}},
		"rounding off":                 {inCashUnits(1, shopOf("BDT")), cartOf(nil, 19_99), wantFigures{1999, 0, 0, 0, 1999, []int64{0}}},
		"five cents":                   {inCashUnits(5, shopOf("AUD")), cartOf(nil, 19_99), wantFigures{1999, 0, 0, 4, 1995, []int64{0}}},
		"the largest":                  {shopOf("JPY"), cartOf(nil, money.MaxAmount), wantFigures{money.MaxAmount, 0, 0, 0, money.MaxAmount, []int64{0}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.set.priceCart(tc.cart)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got.flat(), cmp.AllowUnexported(wantFigures{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPriceCart_Overflow(t *testing.T) {
	t.Parallel()
	many := cartOf(nil, math.MaxInt64)
	many.lines[0].quantity = 2
	for name, tc := range map[string]struct {
		set  *Settings
		cart cart
	}{
		"one line overflows":     {shopOf("BDT"), many},
		"the sum overflows":      {shopOf("BDT"), cartOf(nil, math.MaxInt64, math.MaxInt64)},
		"beyond exact JSON":      {shopOf("BDT"), cartOf(nil, money.MaxAmount, 1)},
		"delivery on top of it":  {shopOf("BDT", DeliveryOption{ID: "d", Charge: 1}), cartOf(nil, money.MaxAmount)},
		"delivery that overflow": {shopOf("BDT", DeliveryOption{ID: "d", Charge: math.MaxInt64}), cartOf(nil, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if f, err := tc.set.priceCart(tc.cart); !fault.HasCode(err, fault.CodeValidationFailed) {
				t.Errorf("got %+v, %v; want %s", f, err, fault.CodeValidationFailed)
			}
		})
	}
}

// TestPriceCart_RandomCarts checks the sums of random carts.
func TestPriceCart_RandomCarts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		set := shopOf([]string{"BDT", "JPY", "KWD"}[rnd.IntN(3)], DeliveryOption{ID: "d", Charge: rnd.Int64N(10_000), FreeOver: new(rnd.Int64N(1e6))})
		unit := set.Currency.CashUnit()
		if rnd.IntN(2) == 0 {
			unit = 1 + rnd.Int64N(1000)
			set.CashRounding = unit
		}
		c := cart{method: status.PayCOD, coupon: percentOff(1+rnd.Int64N(10_000), nil)}
		switch rnd.IntN(3) {
		case 0:
			c.coupon = amountOff(1 + rnd.Int64N(1e6))
		case 1:
			c.coupon = percentOff(1+rnd.Int64N(10_000), new(1+rnd.Int64N(1e5)))
		}
		for range 1 + rnd.IntN(12) {
			c.lines = append(c.lines, cartLine{
				productID: string(rune('a' + rnd.IntN(3))), unitPrice: rnd.Int64N(1 << rnd.IntN(30)), quantity: 1 + rnd.IntN(9),
				inScope: rnd.IntN(4) > 0, quantityPrices: randomQuantityPrices(rnd).Text(),
			})
		}
		f, err := set.priceCart(c)
		if err != nil {
			t.Fatal(err)
		}
		var gross, discount, byQuantity int64
		for i, line := range f.lines {
			gross += line.gross
			discount += line.discount
			byQuantity += line.quantityDiscount
			byCoupon := line.discount - line.quantityDiscount
			if line.quantityDiscount < 0 || byCoupon < 0 || line.discount > line.gross || byCoupon > 0 && !c.lines[i].inScope {
				t.Fatalf("line %d of %+v: got %+v", i, c, line)
			}
		}
		exact := f.subtotal - f.discount + f.deliveryCharge
		if gross != f.subtotal || discount != f.discount || byQuantity != f.quantityDiscount || f.total != exact-f.rounding ||
			f.rounding < 0 || f.rounding >= max(unit, 1) ||
			(f.total == 0) != (exact == 0) || exact >= unit && f.total%unit != 0 {
			t.Fatalf("cart %+v: got figures %+v", c, f)
		}
	}
}

func randomQuantityPrices(rnd *rand.Rand) (prices catalogue.QuantityPrices) {
	for quantity := 1; rnd.IntN(3) > 0; {
		quantity += 1 + rnd.IntN(3)
		prices = append(prices, catalogue.QuantityPriceInput{Quantity: quantity, Price: 1 + rnd.Int64N(1<<(1+rnd.IntN(30)))})
	}
	return prices
}

func TestSplitAmount(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		amount  int64
		weights []int64
		want    []int64
	}{
		{0, []int64{5, 5}, []int64{0, 0}},
		{7, nil, nil},
		{2, []int64{1, 1, 1}, []int64{1, 1, 0}},
		{money.MaxAmount, []int64{money.MaxAmount - 1, 1}, []int64{money.MaxAmount - 1, 1}},
		{money.MaxAmount - 1, []int64{money.MaxAmount / 2, money.MaxAmount/2 + 1}, []int64{money.MaxAmount / 2, money.MaxAmount / 2}},
		{1, []int64{0, 0, 3}, []int64{0, 0, 1}},
	} {
		got := splitAmount(tc.amount, tc.weights)
		if len(tc.weights) == 0 {
			if len(got) != 0 {
				t.Errorf("split %d over no weights: got %v", tc.amount, got)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("split %d over %v (-want +got):\n%s", tc.amount, tc.weights, diff)
		}
	}
}

func TestChooseDelivery(t *testing.T) {
	t.Parallel()
	inside := DeliveryOption{ID: "inside", Name: "Inside", Charge: 70_00, Areas: []string{"Dhaka", "ঢাকা"}}
	express := DeliveryOption{ID: "express", Name: "Express", Charge: 150_00, Areas: []string{"dhaka"}}
	outside := DeliveryOption{ID: "outside", Name: "Outside", Charge: 130_00}
	sylhet := DeliveryOption{ID: "sylhet", Name: "Sylhet", Charge: 90_00, Areas: []string{"Sylhet"}}
	ctg := DeliveryOption{ID: "ctg", Name: "Chattogram", Charge: 80_00, Areas: []string{"Chattogram"}}
	mirpur := DeliveryOption{ID: "mirpur", Name: "Mirpur", Charge: 40_00, Areas: []string{"Mirpur"}}
	india := DeliveryOption{ID: "india", Name: "India", Charge: 900_00, Countries: []string{"IN"}}
	abroad := func(city, country string) *account.Address { return &account.Address{City: city, Country: &country} }
	in := func(city, area string) *account.Address { return &account.Address{City: city, Area: db.NullText(area)} }

	for name, tc := range map[string]struct {
		charges []DeliveryOption
		to      *account.Address
		id      string
		want    string   // "": delivery_charge_required
		options []string // that are available
	}{
		"the one for the city":         {[]DeliveryOption{outside, inside}, in("Dhaka", ""), "", "inside", []string{"inside", "outside"}},
		"ignoring case and spaces":     {[]DeliveryOption{outside, inside}, in(" DHAKA ", ""), "", "inside", []string{"inside", "outside"}},
		"in Bangla":                    {[]DeliveryOption{outside, inside}, in("ঢাকা", ""), "", "inside", []string{"inside", "outside"}},
		"by area":                      {[]DeliveryOption{sylhet, outside}, in("Somewhere", "Sylhet"), "", "sylhet", []string{"sylhet", "outside"}},
		"elsewhere":                    {[]DeliveryOption{outside, inside}, in("Bogura", ""), "", "outside", []string{"outside"}},
		"chosen against the area":      {[]DeliveryOption{outside, inside}, in("Dhaka", ""), "outside", "outside", []string{"inside", "outside"}},
		"cheap one of another area":    {[]DeliveryOption{outside, inside}, in("Bogura", ""), "inside", "", []string{"outside", "inside"}},
		"typed with a postcode":        {[]DeliveryOption{outside, inside}, in("Dhaka-1207", ""), "", "inside", []string{"inside", "outside"}},
		"an earlier name":              {[]DeliveryOption{inside, sylhet, ctg}, in("Chittagong", ""), "", "ctg", []string{"ctg"}},
		"a name in Bangla":             {[]DeliveryOption{inside, sylhet, ctg}, in("চট্টগ্রাম", ""), "", "ctg", []string{"ctg"}},
		"an unknown place":             {[]DeliveryOption{inside, sylhet}, in("Savar", ""), "", "", []string{"inside", "sylhet"}},
		"an unknown place, one chosen": {[]DeliveryOption{inside, sylhet}, in("Savar", ""), "inside", "inside", []string{"inside", "sylhet"}},
		"a place with a district":      {[]DeliveryOption{inside, sylhet}, in("Savar, Dhaka", ""), "", "inside", []string{"inside"}},
		"unknown, with one anywhere":   {[]DeliveryOption{inside, outside}, in("Savar", ""), "", "outside", []string{"outside", "inside"}},
		"another district as the area": {[]DeliveryOption{inside, outside}, in("Bogura", "Dhaka"), "", "outside", []string{"outside"}},
		"areas below districts":        {[]DeliveryOption{mirpur, outside}, in("Dhaka", "Mirpur-10"), "mirpur", "mirpur", []string{"outside", "mirpur"}},
		"the same area":                {[]DeliveryOption{mirpur, outside}, in("Mirpur, Dhaka", ""), "", "mirpur", []string{"mirpur", "outside"}},
		"abroad":                       {[]DeliveryOption{inside, outside, india}, abroad("Kolkata", "IN"), "", "india", []string{"india"}},
		"abroad, a charge for home": {[]DeliveryOption{inside, outside, india}, abroad("Dhaka", "IN"), "inside", "",
			[]string{"inside", "outside", "india"}},
		"abroad by an area": {[]DeliveryOption{inside, {ID: "post", Areas: []string{"NP"}}},
			abroad("Kathmandu", "NP"), "", "post", []string{"post"}},
		"two for the city":             {[]DeliveryOption{inside, express}, in("Dhaka", ""), "", "", []string{"inside", "express"}},
		"two for the city, one chosen": {[]DeliveryOption{inside, express}, in("Dhaka", ""), "express", "express", []string{"inside", "express"}},
		"two for anywhere":             {[]DeliveryOption{outside, {ID: "slow"}}, in("Dhaka", ""), "", "", []string{"outside", "slow"}},
		"the only one":                 {[]DeliveryOption{inside}, in("Bogura", ""), "", "inside", []string{"inside"}},
		"the only one, by id":          {[]DeliveryOption{inside}, in("Bogura", ""), "inside", "inside", []string{"inside"}},
		"nobody goes there":            {[]DeliveryOption{inside, sylhet}, in("Bogura", ""), "", "", []string{"inside", "sylhet"}},
		"unknown id":                   {[]DeliveryOption{inside, outside}, in("Dhaka", ""), "drone", "", []string{"inside", "outside"}},
		"the only one, no address":     {[]DeliveryOption{inside}, nil, "", "inside", []string{"inside"}},
		"no address, no choice":        {[]DeliveryOption{inside, outside}, nil, "", "", []string{"inside", "outside"}},
		"no charges, an id":            {nil, in("Dhaka", ""), "inside", "", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := cartOf(nil, 10_00)
			c.address, c.deliveryChargeID = tc.to, tc.id
			f, err := shopOf("BDT", tc.charges...).priceCart(c)
			if tc.want == "" {
				if !fault.HasCode(err, fault.CodeDeliveryRequired) {
					t.Fatalf("got %+v, %v; want %s", f.delivery, err, fault.CodeDeliveryRequired)
				}
				ids := []string{}
				refusal, _ := errors.AsType[*fault.Error](err)
				for _, charge := range refusal.Details["deliveryCharges"].([]DeliveryCharge) {
					ids = append(ids, charge.ID)
				}
				if diff := cmp.Diff(tc.options, ids); diff != "" {
					t.Error(diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			ids := []string{}
			for _, option := range f.deliveryOptions {
				ids = append(ids, option.ID)
			}
			if diff := cmp.Diff(tc.options, ids); diff != "" || f.delivery.ID != tc.want || f.deliveryCharge != f.delivery.Charge {
				t.Errorf("got delivery %+v for %d of %v", f.delivery, f.deliveryCharge, ids)
			}
		})
	}
}

func TestCouponRefusal(t *testing.T) {
	t.Parallel()
	money := shopOf("BDT").Currency
	now := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	with := func(change func(*couponRow)) couponRow {
		c := couponRow{kind: CouponFreeDelivery, active: true}
		change(&c)
		return c
	}
	for name, tc := range map[string]struct {
		coupon     couponRow
		use        earlierUses
		subtotal   int64
		elsewhere  bool       // applies to no line
		want       fault.Code // "": applies
		wantText   string
		wantDetail any
	}{
		"applies": {coupon: with(func(*couponRow) {})},
		"inactive": {coupon: with(func(c *couponRow) { c.active = false }),
			want: fault.CodeCouponInactive, wantText: "This coupon is not active."},
		"not started": {coupon: with(func(c *couponRow) { c.startsAt = new(now.Add(time.Millisecond)) }),
			want: fault.CodeCouponNotStarted, wantText: "This coupon is not valid yet."},
		"starts now":      {coupon: with(func(c *couponRow) { c.startsAt = &now })},
		"ends now":        {coupon: with(func(c *couponRow) { c.endsAt = &now }), want: fault.CodeCouponExpired, wantText: "This coupon has expired."},
		"its last moment": {coupon: with(func(c *couponRow) { c.endsAt = new(now.Add(time.Millisecond)) })},
		"guest": {coupon: with(func(c *couponRow) { c.requiresLogin = true }),
			want: fault.CodeCouponRequiresLogin, wantText: "Sign in to use this coupon."},
		"signed in": {coupon: with(func(c *couponRow) { c.requiresLogin = true }), use: earlierUses{signedIn: true}},
		"used up": {coupon: with(func(c *couponRow) { c.usageLimit, c.used = new(int64(3)), 3 }),
			want: fault.CodeCouponUsageLimit, wantText: "This coupon has been used up."},
		"one left":        {coupon: with(func(c *couponRow) { c.usageLimit, c.used = new(int64(3)), 2 })},
		"customer's last": {coupon: with(func(c *couponRow) { c.customerLimit = new(int64(2)) }), use: earlierUses{times: 1}},
		"customer too often": {coupon: with(func(c *couponRow) { c.customerLimit = new(int64(2)) }), use: earlierUses{times: 2},
			want: fault.CodeCouponCustomerLimit, wantText: "You have already used this coupon as often as allowed."},
		"other products": {coupon: with(func(*couponRow) {}), elsewhere: true,
			want: fault.CodeCouponNotApplicable, wantText: "This coupon does not apply to these products."},
		"at the minimum": {coupon: with(func(c *couponRow) { c.minSubtotal = 500_00 }), subtotal: 500_00},
		"below the minimum": {coupon: with(func(c *couponRow) { c.minSubtotal = 500_00 }), subtotal: 250_00,
			want: fault.CodeCouponMinSubtotal, wantText: "Add ৳250 to use this coupon.", wantDetail: money.Money(250_00)},
		"minimum of 0.01": {coupon: with(func(c *couponRow) { c.minSubtotal = 1 }),
			want: fault.CodeCouponMinSubtotal, wantText: "Add ৳0.01 to use this coupon.", wantDetail: money.Money(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := tc.coupon.refusal(tc.use, now, tc.subtotal, !tc.elsewhere, money)
			if tc.want == "" {
				if e != nil {
					t.Errorf("got %v, want no error", e)
				}
				return
			}
			if e == nil || e.Code != tc.want || e.Message != tc.wantText || e.Details["missing"] != tc.wantDetail {
				t.Errorf("got %#v", e)
			}
		})
	}
}

func TestPriceCart_Country(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		charges []DeliveryOption
		country string
		ok      bool
	}{
		"home":                   {[]DeliveryOption{{ID: "a"}}, "BD", true},
		"elsewhere":              {[]DeliveryOption{{ID: "a"}}, "IN", false},
		"elsewhere, free":        {nil, "IN", false},
		"named":                  {[]DeliveryOption{{ID: "a", Countries: []string{"BD", "IN"}}}, "IN", true},
		"named by another":       {[]DeliveryOption{{ID: "a"}, {ID: "b", Countries: []string{"IN"}}}, "IN", true},
		"home, only one abroad":  {[]DeliveryOption{{ID: "b", Countries: []string{"IN"}}}, "BD", false},
		"the code among areas":   {[]DeliveryOption{{ID: "a", Areas: []string{"Dhaka", "IN"}}}, "IN", true},
		"a third, between named": {[]DeliveryOption{{ID: "b", Countries: []string{"IN"}}}, "NP", false},
	} {
		c := cartOf(nil, 10_00)
		c.address = &account.Address{City: "Dhaka", Country: &tc.country}
		f, err := shopOf("BDT", tc.charges...).priceCart(c)
		if (err == nil) != tc.ok {
			t.Errorf("%s: got %+v, %v", name, f.delivery, err)
		}
	}
}
