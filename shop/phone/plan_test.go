package phone

import (
	goflag "flag"
	"fmt"
	"maps"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nyaruka/phonenumbers"
)

var updatePhonePlan = goflag.Bool("update-phone-plan", false, "write plan.txt anew from the metadata of the phonenumbers module")

const phonePlanHead = `# Numbering plans by calling code: trunk prefix ("-": none), countries, then for each length of a
# national number the first two digits with which mobile and fixed numbers begin.
# go test ./shop -run TestPhonePlanIsCurrent -update-phone-plan writes this file.
`

// The table is right as long as it equals what a well-kept library knows.
func TestPhonePlanIsCurrent(t *testing.T) {
	t.Parallel()
	want := phonePlanHead + makePhonePlan(t)
	if *updatePhonePlan {
		if err := os.WriteFile("plan.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, phonePlanText); diff != "" {
		t.Errorf("run this test with -update-phone-plan (-want +got):\n%s", diff)
	}
}

// Every kind of number of every country is read as the library reads it, however it is written.
func TestParse_LikeLibrary(t *testing.T) {
	t.Parallel()
	types := []phonenumbers.PhoneNumberType{phonenumbers.MOBILE, phonenumbers.FIXED_LINE, phonenumbers.VOIP}
	checked := 0
	for country := range phonenumbers.GetSupportedRegions() {
		for _, kind := range types {
			number := phonenumbers.GetExampleNumberForType(country, kind)
			if number == nil {
				continue
			}
			want := phonenumbers.Format(number, phonenumbers.E164)
			if len(want) > 1+maxPhoneDigits {
				continue
			}
			checked++
			written := []string{
				want,
				phonenumbers.Format(number, phonenumbers.INTERNATIONAL),
				loadPhonePlans().byCountry[country].trunk + phonenumbers.GetNationalSignificantNumber(number),
			}
			for _, text := range written {
				if got, ok := Parse(text, country); !ok || got != want {
					t.Errorf("%s: parsePhone(%q) = %q, %t; want %s", country, text, got, ok, want)
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d examples checked", checked)
	}
}

// collectedPlan is a plan while it is collected from a library's patterns.
type collectedPlan struct {
	countries []string
	trunk     string
	begin     map[int]*[100]bool
}

func makePhonePlan(t *testing.T) string {
	t.Helper()
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		t.Fatal(err)
	}
	plans := map[int]*collectedPlan{}
	for _, meta := range all.GetMetadata() {
		code := int(meta.GetCountryCode())
		if meta.GetId() == "001" { // belongs to no country
			continue
		}
		if plans[code] == nil {
			plans[code] = &collectedPlan{trunk: "-", begin: map[int]*[100]bool{}}
		}
		plans[code].collect(t, meta)
	}
	var b strings.Builder
	for _, code := range slices.Sorted(maps.Keys(plans)) {
		fmt.Fprintf(&b, "%d %s\n", code, plans[code])
	}
	return b.String()
}

func (p *collectedPlan) collect(t *testing.T, meta *phonenumbers.PhoneMetadata) {
	t.Helper()
	p.countries = append(p.countries, meta.GetId())
	if meta.GetNationalPrefix() != "" {
		p.trunk = meta.GetNationalPrefix()
	}
	for _, kind := range []*phonenumbers.PhoneNumberDesc{meta.GetMobile(), meta.GetFixedLine(), meta.GetVoip(), meta.GetPersonalNumber()} {
		if kind.GetNationalNumberPattern() == "" {
			continue
		}
		pattern, err := syntax.Parse(kind.GetNationalNumberPattern(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := syntax.Compile(pattern.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		lengths := kind.GetPossibleLength()
		if len(lengths) == 0 {
			lengths = meta.GetGeneralDesc().GetPossibleLength()
		}
		for _, length := range lengths {
			if length < 4 {
				continue
			}
			for first := range 100 {
				if beginsNumber(prog, fmt.Sprintf("%02d", first), int(length)) {
					if p.begin[int(length)] == nil {
						p.begin[int(length)] = new([100]bool)
					}
					p.begin[int(length)][first] = true
				}
			}
		}
	}
}

// String returns the plan as its line in plan.txt, after the calling code.
func (p *collectedPlan) String() string {
	slices.Sort(p.countries)
	fields := []string{p.trunk, strings.Join(p.countries, ",")}
	for _, length := range slices.Sorted(maps.Keys(p.begin)) {
		var ranges []string
		for from := 0; from < 100; from++ {
			if !p.begin[length][from] {
				continue
			}
			to := from
			for to < 99 && p.begin[length][to+1] {
				to++
			}
			if to == from {
				ranges = append(ranges, fmt.Sprintf("%02d", from))
			} else {
				ranges = append(ranges, fmt.Sprintf("%02d-%02d", from, to))
			}
			from = to
		}
		fields = append(fields, fmt.Sprintf("%d:%s", length, strings.Join(ranges, ",")))
	}
	return strings.Join(fields, " ")
}

// beginsNumber reports whether prog matches some digits of the given length that begin with prefix.
func beginsNumber(prog *syntax.Prog, prefix string, length int) bool {
	states := map[uint32]bool{}
	follow(prog, states, uint32(prog.Start))
	for i := range length {
		digits := "0123456789"
		if i < len(prefix) {
			digits = prefix[i : i+1]
		}
		next := map[uint32]bool{}
		for pc := range states {
			if inst := &prog.Inst[pc]; matchesAny(inst, digits) {
				follow(prog, next, inst.Out)
			}
		}
		states = next
	}
	for pc := range states {
		if prog.Inst[pc].Op == syntax.InstMatch {
			return true
		}
	}
	return false
}

func matchesAny(inst *syntax.Inst, digits string) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return strings.ContainsFunc(digits, inst.MatchRune)
	}
	return false
}

// follow adds pc and all that it leads to without reading a rune.
func follow(prog *syntax.Prog, states map[uint32]bool, pc uint32) {
	if states[pc] {
		return
	}
	states[pc] = true
	switch inst := prog.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		follow(prog, states, inst.Out)
		follow(prog, states, inst.Arg)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		follow(prog, states, inst.Out)
	}
}
