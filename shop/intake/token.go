package intake

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word or number of a message.
type token struct {
	start, end int
	word       string // folded
	key        string // of the word, see wordKey
	number     int    // -1: not a number
	before     string // the text between the previous token and this one
	gap        gap
	colon      bool // a colon follows, or a sign that people write for one
	asked      bool // it is part of a question
	role       role
}

// gap is what separates a token from the previous one.
type gap int

const (
	joined gap = iota // nothing
	soft              // a sign within a word, as in "C/O"
	space
	dash // or a bracket
	comma
	stop // the end of a sentence
	line // the end of a line
)

// role is what a token was recognized as.
type role int

const (
	noRole       role = iota
	headerRole        // of a messaging program
	labelRole         // a label
	phoneRole         // a telephone number
	nameRole          // of a labelled name
	addressRole       // of a labelled address
	thanaRole         // of a labelled police station or upazila
	cityRole          // of a labelled district
	productRole       // of a labelled product
	countRole         // of a labelled quantity
	otherRole         // of another labelled value
	goodsRole         // a product
	quantityRole      // a quantity
	priceRole         // a price
	quoteRole         // of a quoted message, which has goods alone
)

// wordPattern matches a run of letters and marks, or of digits. A mark begins a word only if it is
// of Bangla: others belong to an emoji.
var wordPattern = regexp.MustCompile(
	`[\p{L}\x{0980}-\x{09E5}\x{200C}\x{200D}][\p{L}\p{M}\x{200C}\x{200D}]*|\p{Nd}+`,
)

// timesSigns replaces signs that people write for ×.
var timesSigns = strings.NewReplacer(
	"\ufe0f", "", "✖", "×", "✕", "×", "✗", "×", "✘", "×", "❌", "×", "⨯", "×", "⨉", "×", "╳", "×", "＊", "×",
)

// Lines and beginnings of lines that messaging programs add to a copied message.
var (
	headerPattern = regexp.MustCompile(
		`(?i)^[\s\x{200e}]*(?:\[?\p{Nd}{1,4}[/.-]\p{Nd}{1,2}[/.-]\p{Nd}{1,4},?\s+` +
			`\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2})?(?:\s?[ap]\.?m\.?)?\]?(?:\s+[-–])?\s*(?:[^:\n]{1,40}:)?|` +
			`\[[^\]\n]*\p{Nd}:\p{Nd}[^\]\n]*\]\s*(?:[^:\n]{1,40}:)?|(?:buyer|client)\s*:)`,
	)
	noisePattern = regexp.MustCompile(
		`(?i)^\W*(?:you sent|you forwarded.*|forwarded(?: message| many times)?|` +
			`seen(?: by .*| at .*)?|sent from my .*|.* sent an? \w+(?: message)?|(?:today|yesterday)?(?:,? at)? ?\d{1,2}:\d{2}(?: ?[ap]m)?|` +
			`you replied to .*|.* replied to .*|.* unsent a message|enter|active .*|delivered|original message:?|` +
			`missed (?:voice|video) call.*|আপনি পাঠিয়েছেন|ফরোয়ার্ড করা|(?:seller|admin|page|me)\s*:.*)\W*$`,
	)
	senderPattern = regexp.MustCompile(`(?i)^\W*(\S.{0,60}) (?:sent an? \w+|replied to|unsent a)`)
)

// linkPattern matches addresses of pages.
var linkPattern = regexp.MustCompile(
	`(?i)\b(?:https?://|www\.)\S+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|shop|me|com\.bd)\b(?:/\S*)?`,
)

// blank returns spaces of the length of a text.
func blank(text string) string { return strings.Repeat(" ", len(text)) }

// withoutHeaders returns a text in which lines and beginnings of lines of messaging programs are
// blank, so that positions stay.
func withoutHeaders(text string) string {
	var b strings.Builder
	senders := map[string]bool{}
	for one := range strings.Lines(text) {
		if m := senderPattern.FindStringSubmatch(one); m != nil {
			senders[strings.ToLower(strings.TrimSpace(m[1]))] = true
		}
	}
	text = linkPattern.ReplaceAllStringFunc(text, blank)
	for one := range strings.Lines(text) {
		end := len(strings.TrimRight(one, "\n"))
		hidden := 0
		switch {
		case noisePattern.MatchString(one[:end]),
			senders[strings.ToLower(strings.TrimSpace(one[:end]))]:
			hidden = end
		default:
			if at := headerPattern.FindStringIndex(one); at != nil {
				hidden = at[1]
			}
		}
		b.WriteString(strings.Repeat(" ", hidden))
		b.WriteString(one[hidden:])
	}
	return b.String()
}

// scan returns the tokens of a text.
func scan(text string) []token {
	var tokens []token
	end := 0
	for _, at := range wordPattern.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		if strings.Trim(word, visarga) == "" { // alone, it is a colon
			continue
		}
		t := token{
			start:  at[0],
			end:    at[1],
			word:   foldWord(word),
			before: timesSigns.Replace(text[end:at[0]]),
		}
		t.key = wordKey(t.word)
		t.number = parseCount(t.key)
		if n := len(tokens); n == 0 {
			t.gap = line
		} else {
			previous := &tokens[n-1]
			t.gap = gapOf(t.before, previous)
			previous.colon = strings.ContainsAny(t.before, colonSigns) ||
				strings.HasSuffix(text[previous.start:previous.end], visarga)
			if strings.Contains(t.before, "?") {
				markQuestion(tokens)
			}
		}
		tokens = append(tokens, t)
		end = at[1]
	}
	if len(tokens) > 0 {
		tail := text[end:]
		last := &tokens[len(tokens)-1]
		last.colon = strings.ContainsAny(tail, colonSigns)
		if strings.Contains(tail, "?") {
			markQuestion(tokens)
		}
	}
	return tokens
}

// markQuestion marks the tokens of the last clause as a question.
func markQuestion(tokens []token) {
	for i := len(tokens) - 1; i >= 0; i-- {
		tokens[i].asked = true
		if tokens[i].gap >= comma {
			return
		}
	}
}

// gapOf returns the gap that a text between two tokens is.
func gapOf(between string, previous *token) gap {
	switch {
	case between == "":
		return joined
	case strings.Contains(between, "\n"):
		return line
	case strings.ContainsAny(between, "।!?"):
		return stop
	case isComma(between, previous):
		return comma
	case strings.Contains(between, ".") && len(between) > 1:
		if endsAbbreviation(previous) {
			return space
		}
		return stop
	case strings.ContainsAny(between, "()[]{}—–") || len(between) > 1 && strings.Contains(between, "-"):
		return dash
	case utf8.RuneCountInString(between) == 1 && !strings.ContainsAny(between, " \t*_~:"):
		return soft
	}
	return space
}

// colonSigns are a colon and the signs that people write for one.
const colonSigns = ":：=→➡⇒👉" + visarga

// isComma reports whether a text between two tokens separates as a comma does. A slash does if a
// space is beside it, except in "12/ A".
func isComma(between string, previous *token) bool {
	isSlash := strings.Trim(between, " ") == "/" && len(between) > 1
	return strings.ContainsAny(between, ",;|•→") || strings.ContainsFunc(between, isSymbol) ||
		strings.Contains(between, " / ") || strings.Contains(between, " + ") ||
		isSlash && previous.number < 0 && len(previous.key) > 1
}

// isSymbol reports whether a rune is an emoji, a part of one or the like.
func isSymbol(r rune) bool {
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r > unicode.MaxASCII ||
		'\ufe00' <= r && r <= '\ufe0f' || r == '\u20e3'
}

// endsAbbreviation reports whether a full stop behind a token ends no sentence.
func endsAbbreviation(t *token) bool {
	v := loadVocabulary()
	n := utf8.RuneCountInString(t.key)
	return v.is("title", t.key) || v.is("abbreviation", t.key) || n == 1 && t.number < 0
}
