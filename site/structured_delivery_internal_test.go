package site

import "testing"

func TestDaysIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]int{
		"1–2 days — ১–২ দিন": {1, 2, 1}, "৩ থেকে ৫ দিন": {3, 5, 1}, "3 to 5 working days": {3, 5, 1}, "1 day": {1, 1, 1}, "Same day": {},
		"24 hours": {}, "": {}, "5-2 days": {5, 2, 0}, "99999999999999999999 days": {},
	} {
		from, to, ok := daysIn(text)
		if ok != (want[2] == 1) || ok && (from != want[0] || to != want[1]) {
			t.Errorf("%q: got %d, %d, %v, want %v", text, from, to, ok, want)
		}
	}
}

func TestReturnDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Return unused goods within 7 days.": 7, "৭ দিনের মধ্যে ফেরত দিন।": 7, "Within 7 days, or ৭ দিনের মধ্যে.": 7,
		"Within 7 days; electronics within 3 days.": 0, "No returns.": 0, "Delivery takes 3 days.": 0,
	} {
		if got := returnDays(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
