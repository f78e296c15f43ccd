package orderpage

import (
	"errors"

	"storefront/shop"
	"storefront/shop/fault"
	"storefront/shop/locale"
	"storefront/shop/money"
	"storefront/shop/order"
)

// viewAdvance is the advance of an order.
type viewAdvance struct {
	Words    *advanceWords
	Title    string
	Why      string
	Rest     string // to be paid on delivery
	Wallets  []viewWallet
	Payments []viewPayment
	Path     string // of the form; "" if nothing is due
	Report   Report
}

// viewWallet is a wallet to which the buyer can send the advance.
type viewWallet struct {
	ID, Name, Number, How, Note string
	Chosen                      bool
}

// viewPayment is a payment that the buyer has reported.
type viewPayment struct{ Text, Kind string }

// Report is a payment to a wallet as the buyer has entered it, with the reason why it was refused.
type Report struct{ Wallet, Sender, Transaction, Problem string }

// addAdvance adds the advance, and the form for reporting its payment if the buyer is proven.
func (v *View) addAdvance(page *shop.OrderPage) {
	advance := page.Order.Advance
	if advance == nil {
		return
	}
	words := advanceWordsOf[v.Lang]
	amount := func(m money.Money) string { return v.Lang.Digits(m.Text()) }
	a := &viewAdvance{Words: words, Title: words.Received + " " + amount(advance.Received)}
	v.Advance = a
	if advance.Due.Amount > 0 {
		a.Title, a.Why = words.Due+" "+amount(advance.Due), words.Why[advance.Reason]
		if rest := page.Order.Due.Amount - advance.Due.Amount; rest > 0 {
			a.Rest = words.Rest + " " + amount(page.Money(rest))
		}
		v.Next = words.Next
	}
	if !page.Proven {
		return
	}
	for i, w := range advance.Wallets {
		a.Wallets = append(a.Wallets, viewWallet{
			ID: w.ID, Name: words.Method[w.Method], Number: w.Number, How: words.how(w), Note: locale.NameIn(v.Lang, w.Note), Chosen: i == 0,
		})
	}
	if len(a.Wallets) > 0 {
		a.Path = order.PagePath + page.Shop.UID + "/" + page.Order.InvoiceUID + "/report?lang=" + string(v.Lang)
	}
	waiting := int64(0)
	for _, p := range advance.Payments {
		if p.Status == order.WalletWaiting {
			waiting += p.Amount.Amount
		}
		shown := viewPayment{Text: words.Method[p.Method] + " " + p.TransactionID + " · " + amount(p.Amount) + ": " + words.Status[p.Status]}
		switch p.Status {
		case order.WalletConfirmed:
			shown.Kind = "good"
		case order.WalletRefused:
			shown.Kind = "bad"
			if p.Refusal != nil {
				shown.Text += " " + *p.Refusal
			}
		}
		a.Payments = append(a.Payments, shown)
	}
	if waiting >= advance.Due.Amount { // so that nobody pays twice
		v.Pay = nil
	}
}

// refill shows the form again as the buyer has sent it.
func (a *viewAdvance) refill(sent Report) {
	a.Report = sent
	for i := range a.Wallets {
		a.Wallets[i].Chosen = a.Wallets[i].ID == sent.Wallet
	}
}

// how returns what a buyer does in the wallet's app.
func (w *advanceWords) how(wallet order.Wallet) string {
	switch {
	case wallet.Method == order.AdvanceBank:
		return w.Transfer
	case wallet.Kind == order.WalletMerchant:
		return w.MakePayment
	}
	return w.SendMoney
}

// ReportProblem returns the reason why a reported payment was refused, in a language; "" if a buyer
// cannot have caused the error.
func ReportProblem(language locale.Language, err error) string {
	words := advanceWordsOf[language]
	found, ok := errors.AsType[*fault.Error](err)
	switch {
	case !ok:
		return ""
	case found.Code == fault.CodeValidationFailed:
		return words.Incomplete
	case found.Code == fault.CodeNotPayable:
		return words.NotDue
	case found.Code == fault.CodeStateConflict && len(found.Fields) > 0:
		return words.Used
	case found.Code == fault.CodeStateConflict:
		return words.TooMany
	case found.Code == fault.CodeRateLimited:
		return words.Wait
	}
	return ""
}

// AdvanceText returns the advance of a quote in one sentence, and why the shop requires it.
func AdvanceText(language locale.Language, amount string, reason order.AdvanceReason) (text, why string) {
	words := advanceWordsOf[language]
	return words.Due + " " + amount, words.Why[reason]
}

// advanceDue returns the advance that is still to be paid, in minor units.
func advanceDue(o *order.Order) int64 {
	if o.Advance == nil {
		return 0
	}
	return o.Advance.Due.Amount
}
