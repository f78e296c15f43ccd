package order

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"storefront/shop/status"
)

// automatic returns an active discount that applies to all lines, and gets units of all.
func automatic(id string, lines int, row couponRow) automaticDiscount {
	row.id, row.title, row.active = id, "Discount "+id, true
	return newAutomaticDiscount(row, lines)
}

// onLines limits a discount to lines, by index.
func (d automaticDiscount) onLines(buy []int, get []int) automaticDiscount {
	mark := func(of []bool, lines []int) {
		clear(of)
		for _, i := range lines {
			of[i] = true
		}
	}
	mark(d.buy, buy)
	mark(d.get, get)
	return d
}

func percentRow(basisPoints int64) couponRow {
	return couponRow{kind: CouponPercentage, basisPoints: &basisPoints}
}

func buyGetRow(buy, get, basisPoints int64) couponRow {
	return couponRow{kind: CouponBuyGet, buyQuantity: &buy, getQuantity: &get, basisPoints: &basisPoints}
}

// applied are the discounts of a cart by ID.
func (f *figures) applied() map[string]int64 {
	amounts := map[string]int64{}
	for _, d := range f.discounts {
		amounts[d.id] = d.amount
	}
	return amounts
}

func TestPriceCart_AutomaticDiscounts(t *testing.T) {
	t.Parallel()
	flat := DeliveryOption{ID: "flat", Name: "Flat", Charge: 60_00}
	freeOver := DeliveryOption{ID: "free", Name: "Free over", Charge: 60_00, FreeOver: new(int64(100_00))}
	shipping := func(min int64) couponRow { return couponRow{kind: CouponFreeDelivery, minSubtotal: min} }
	now := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	line := func(price int64, quantity int) cartLine {
		return cartLine{productID: "p", unitPrice: price, quantity: quantity, inScope: true}
	}
	for name, tc := range map[string]struct {
		lines     []cartLine
		discounts func(lines int) []automaticDiscount
		coupon    *couponRow
		staff     int64
		charge    *DeliveryOption
		want      map[string]int64 // by ID
		shares    []int64
		total     int64
	}{
		"percentage": {
			[]cartLine{line(100_00, 1), line(50_00, 2)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(1000))}
			}, nil, 0, nil, map[string]int64{"a": 20_00}, []int64{10_00, 10_00}, 180_00,
		},
		"of one line": {
			[]cartLine{line(100_00, 1), line(50_00, 2)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(1000)).onLines([]int{1}, nil)}
			}, nil, 0, nil, map[string]int64{"a": 10_00}, []int64{0, 10_00}, 190_00,
		},
		"three for two": {
			[]cartLine{line(100_00, 3)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, buyGetRow(2, 1, 10_000))}
			}, nil, 0, nil, map[string]int64{"a": 100_00}, []int64{100_00}, 200_00,
		},
		"two units are no set": {
			[]cartLine{line(100_00, 2)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, buyGetRow(2, 1, 10_000))}
			}, nil, 0, nil, map[string]int64{}, []int64{0}, 200_00,
		},
		"the cheapest are free": {
			[]cartLine{line(30_00, 1), line(100_00, 3), line(20_00, 2)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, buyGetRow(2, 1, 10_000))}
			}, nil, 0, nil, map[string]int64{"a": 40_00}, []int64{0, 0, 40_00}, 330_00,
		},
		"another list at half": {
			[]cartLine{line(100_00, 2), line(40_00, 3)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, buyGetRow(1, 1, 5000)).onLines([]int{0}, []int{1})}
			}, nil, 0, nil, map[string]int64{"a": 40_00}, []int64{0, 40_00}, 280_00,
		},
		"bought units are not got": {
			[]cartLine{line(10_00, 1), line(100_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, buyGetRow(1, 1, 10_000)).onLines([]int{0}, []int{0, 1})}
			}, nil, 0, nil, map[string]int64{"a": 100_00}, []int64{0, 100_00}, 10_00,
		},
		"the larger one of two": {
			[]cartLine{line(100_00, 3)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(1000)), automatic("b", n, buyGetRow(2, 1, 10_000))}
			}, nil, 0, nil, map[string]int64{"b": 100_00}, []int64{100_00}, 200_00,
		},
		"the older one of equals": {
			[]cartLine{line(100_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(1000)), automatic("b", n, percentRow(1000))}
			}, nil, 0, nil, map[string]int64{"a": 10_00}, []int64{10_00}, 90_00,
		},
		"the rest gets the other": {
			[]cartLine{line(100_00, 4)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(1000)), automatic("b", n, buyGetRow(2, 1, 10_000))}
			}, nil, 0, nil, map[string]int64{"a": 10_00, "b": 100_00}, []int64{110_00}, 290_00,
		},
		"after quantity prices": {
			[]cartLine{{productID: "p", unitPrice: 100_00, quantity: 2, quantityPrices: `[{"quantity":2,"price":15000}]`}},
			func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(1000))}
			}, nil, 0, nil, map[string]int64{"a": 15_00}, []int64{65_00}, 135_00,
		},
		"before the coupon and staff": {
			[]cartLine{line(100_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(1000))}
			}, percentOff(1000, nil), 1_00, nil, map[string]int64{"a": 10_00}, []int64{20_00}, 80_00,
		},
		"the coupon's minimum is before discounts": {
			[]cartLine{line(100_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, percentRow(5000))}
			}, &couponRow{kind: CouponFixed, active: true, amount: new(int64(10_00)), minSubtotal: 100_00}, 0, nil,
			map[string]int64{"a": 50_00}, []int64{60_00}, 40_00,
		},
		"free delivery": {
			[]cartLine{line(100_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, shipping(100_00))}
			}, nil, 0, &flat, map[string]int64{"a": 60_00}, []int64{0}, 100_00,
		},
		"free delivery below its minimum": {
			[]cartLine{line(99_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, shipping(100_00))}
			}, nil, 0, &flat, map[string]int64{}, []int64{0}, 159_00,
		},
		"free delivery once": {
			[]cartLine{line(100_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, shipping(0)), automatic("b", n, shipping(0))}
			}, &couponRow{kind: CouponFreeDelivery, active: true}, 0, &flat, map[string]int64{"a": 60_00}, []int64{0}, 100_00,
		},
		"delivery that is free already": {
			[]cartLine{line(100_00, 1)}, func(n int) []automaticDiscount {
				return []automaticDiscount{automatic("a", n, shipping(0))}
			}, nil, 0, &freeOver, map[string]int64{}, []int64{0}, 100_00,
		},
		"ended, not begun, used up": {
			[]cartLine{line(100_00, 1)}, func(n int) []automaticDiscount {
				ended, later, usedUp := percentRow(1000), percentRow(1000), percentRow(1000)
				ended.endsAt, later.startsAt, usedUp.usageLimit, usedUp.used = &now, new(now.Add(1)), new(int64(1)), 1
				return []automaticDiscount{automatic("a", n, ended), automatic("b", n, later), automatic("c", n, usedUp)}
			}, nil, 0, nil, map[string]int64{}, []int64{0}, 100_00,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := cart{
				lines: tc.lines, discounts: tc.discounts(len(tc.lines)), coupon: tc.coupon, staffDiscount: tc.staff, method: status.PayGatewayA, now: now,
			}
			set := shopOf("BDT")
			if tc.charge != nil {
				set = shopOf("BDT", *tc.charge)
			}
			f, err := set.priceCart(c)
			if err != nil || f.refused != nil {
				t.Fatal(err, f.refused)
			}
			if diff := cmp.Diff(tc.want, f.applied()); diff != "" {
				t.Errorf("discounts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.shares, f.flat().shares); diff != "" || f.total != tc.total {
				t.Errorf("got a total of %d, want %d; shares (-want +got):\n%s", f.total, tc.total, diff)
			}
		})
	}
}

// No combination of discounts sells below zero, discounts a unit twice, or leaves an amount
// unexplained.
func TestPriceCart_DiscountsProperty(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 7))
	for range 20_000 {
		checkDiscounted(t, rnd)
		if t.Failed() {
			return
		}
	}
}

// FuzzPriceCart_Discounts is the same of combinations that the fuzzer chooses.
func FuzzPriceCart_Discounts(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkDiscounted(t, rand.New(rand.NewPCG(a, b))) })
}

// checkDiscounted prices a random cart with random discounts of all kinds.
func checkDiscounted(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	now := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	c := cart{method: status.PayCOD, now: now}
	if rnd.IntN(3) == 0 {
		c.method = status.PayGatewayA
	}
	prices := make([]int64, 1+rnd.IntN(6))
	for i := range prices {
		prices[i] = rnd.Int64N(1 << (1 + rnd.IntN(30)))
		text := ""
		if rnd.IntN(3) == 0 {
			text = randomQuantityPrices(rnd).Text()
		}
		c.lines = append(c.lines, cartLine{
			productID: string(rune('a' + rnd.IntN(3))), unitPrice: prices[i], quantityPrices: text, quantity: 1 + rnd.IntN(12), inScope: rnd.IntN(2) == 0,
		})
	}
	for i := range rnd.IntN(6) {
		c.discounts = append(c.discounts, randomDiscount(rnd, string(rune('a'+i)), len(c.lines), now))
	}
	if rnd.IntN(2) == 0 {
		c.coupon = []*couponRow{
			percentOff(1+rnd.Int64N(wholeBasisPoints), nil), amountOff(1 + rnd.Int64N(1<<20)), {kind: CouponFreeDelivery, active: true},
		}[rnd.IntN(3)]
	}
	charge := DeliveryOption{ID: "flat", Name: "Flat", Charge: rnd.Int64N(200_00)}
	if rnd.IntN(3) == 0 {
		charge.FreeOver = new(rnd.Int64N(1 << 24))
	}
	set := shopOf("BDT", charge)
	first, err := set.priceCart(c)
	if err != nil {
		t.Fatal(err)
	}
	if rest := first.subtotal - first.discount; rest > 0 && rnd.IntN(2) == 0 {
		c.staffDiscount = 1 + rnd.Int64N(rest)
	}
	f, err := set.priceCart(c)
	if err != nil {
		t.Fatal(err)
	}
	checkFigures(t, c, charge, f)
	again, err := set.priceCart(c)
	if err != nil || again.total != f.total || !cmp.Equal(again.applied(), f.applied()) {
		t.Fatalf("the same cart costs %d, and then %d, %v", f.total, again.total, err)
	}
}

func randomDiscount(rnd *rand.Rand, id string, lines int, now time.Time) automaticDiscount {
	row := []couponRow{
		percentRow(1 + rnd.Int64N(wholeBasisPoints)), {kind: CouponFixed, amount: new(1 + rnd.Int64N(1<<20))}, {kind: CouponFreeDelivery},
		buyGetRow(1+rnd.Int64N(3), 1+rnd.Int64N(3), 1+rnd.Int64N(wholeBasisPoints)), buyGetRow(1+rnd.Int64N(3), 1+rnd.Int64N(2), wholeBasisPoints),
	}[rnd.IntN(5)]
	if row.kind == CouponPercentage && rnd.IntN(3) == 0 {
		row.maxDiscount = new(1 + rnd.Int64N(1<<16))
	}
	row.minSubtotal = max(0, rnd.Int64N(1<<20)-1<<19)
	if rnd.IntN(8) == 0 {
		row.endsAt = &now
	}
	if rnd.IntN(8) == 0 {
		row.usageLimit, row.used = new(int64(3)), 3
	}
	d := automatic(id, lines, row)
	for i := range lines {
		d.buy[i], d.get[i] = rnd.IntN(3) > 0, rnd.IntN(3) > 0
	}
	return d
}

// checkFigures checks that the amounts of a cart are not negative, that their sums are right, and
// that each discount is explained and permitted.
func checkFigures(t *testing.T, c cart, charge DeliveryOption, f figures) {
	t.Helper()
	fail := func(what string) {
		t.Helper()
		cart, _ := json.Marshal([]any{f.applied(), f.flat().shares, f.subtotal, f.discount, f.deliveryCharge, f.rounding, f.total})
		t.Errorf("%s: %s", what, cart)
	}
	var gross, discount, quantity, auto int64
	units := make([]int, len(c.lines))
	byLine := make([]int64, len(c.lines))
	for _, line := range f.lines {
		gross, discount, quantity, auto = gross+line.gross, discount+line.discount, quantity+line.quantityDiscount, auto+line.automaticDiscount
		if line.discount < 0 || line.discount > line.gross || line.quantityDiscount+line.automaticDiscount > line.discount {
			fail("a line costs less than nothing")
		}
	}
	var goods int64
	waived := 0
	once := map[string]bool{}
	for _, d := range f.discounts {
		if once[d.id] || d.amount <= 0 {
			fail("a discount applies twice, or to nothing")
		}
		once[d.id] = true
		if d.endsAt != nil || d.usageLimit != nil || f.subtotal-f.quantityDiscount < d.minSubtotal {
			fail("a discount applies against its rules")
		}
		if d.kind == CouponFreeDelivery {
			if waived++; d.amount != charge.Charge || f.deliveryCharge != 0 {
				fail("the delivery that is free is not the charge")
			}
			continue
		}
		goods += d.amount
		for i, n := range d.units {
			units[i] += n
			byLine[i] += d.parts[i]
			if d.parts[i] < 0 || d.parts[i] > 0 && n == 0 {
				fail("a discount on units that do not count for it")
			}
		}
	}
	for i, n := range units {
		if n > c.lines[i].quantity || byLine[i] != f.lines[i].automaticDiscount {
			fail("a unit counts twice")
		}
	}
	coupon := f.couponDiscount()
	switch {
	case waived > 1:
		fail("delivery is free twice")
	case goods != f.automaticDiscount || auto != f.automaticDiscount || quantity != f.quantityDiscount:
		fail("parts differ from their sums")
	case coupon < 0 || coupon > 0 && (c.coupon == nil || f.refused != nil || c.coupon.kind == CouponFreeDelivery):
		fail("a discount without a reason")
	case f.quantityDiscount+goods+coupon+c.staffDiscount != f.discount || discount != f.discount || gross != f.subtotal:
		fail("the discount is not the sum of its parts")
	case f.total < 0 || f.deliveryCharge < 0 || f.rounding < 0 || f.total != f.subtotal-f.discount+f.deliveryCharge-f.rounding:
		fail("the total is not the sum")
	case c.method != status.PayCOD && f.rounding != 0:
		fail("an online total is rounded")
	}
}

// A buyer never pays more with automatic discounts than without.
func TestPriceCart_DiscountsNeverDearer(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 3))
	now := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	for range 5_000 {
		c := cart{method: status.PayGatewayA, now: now, goodsOnly: true}
		for range 1 + rnd.IntN(6) {
			c.lines = append(c.lines, cartLine{productID: "p", unitPrice: rnd.Int64N(1 << 20), quantity: 1 + rnd.IntN(9)})
		}
		without, err := shopOf("BDT").priceCart(c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1 + rnd.IntN(5) {
			c.discounts = append(c.discounts, randomDiscount(rnd, string(rune('a'+i)), len(c.lines), now))
		}
		with, err := shopOf("BDT").priceCart(c)
		if err != nil || with.total > without.total {
			t.Fatalf("got %d with discounts, %d without, %v", with.total, without.total, err)
		}
	}
}

// The largest cart with as many discounts as a shop can have is priced within a few milliseconds.
func TestPriceCart_DiscountsBounded(t *testing.T) {
	t.Parallel()
	c := cart{method: status.PayCOD, goodsOnly: true}
	for i := range MaxLines {
		c.lines = append(c.lines, cartLine{productID: "p", unitPrice: int64(1000 + i), quantity: 1000})
	}
	for i := range maxActiveDiscounts {
		c.discounts = append(c.discounts, automatic(string(rune('A'+i)), MaxLines, buyGetRow(100, 1, 1+int64(i))))
	}
	began := time.Now()
	f, err := shopOf("BDT").priceCart(c)
	if err != nil || len(f.discounts) == 0 {
		t.Fatal(f.discounts, err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("took %v", took)
	}
}
