package browsertest

import (
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Keys for [Page.Press] that write no character.
const (
	Enter, Tab, Escape                        = kb.Enter, kb.Tab, kb.Escape
	ArrowUp, ArrowDown, ArrowLeft, ArrowRight = kb.ArrowUp, kb.ArrowDown, kb.ArrowLeft, kb.ArrowRight
)

// aim is a function that returns the point at which the element of a selector can be clicked, as
// soon as it is visible, at rest and not covered; until then it returns null. After that,
// window.hit reports whether a click has reached such an element.
const aim = `(async (selector) => {
	const find = () => [...document.querySelectorAll(selector)].find((el) => el.getClientRects().length > 0)
	const labels = (one) => [...(one.labels ?? [])].some((label) => label.matches(selector)) // a field may lie over its label
	const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 100) })
	const centre = (el) => {
		const {left, top, width, height} = el.getClientRects()[0]
		return {x: left + width / 2, y: top + height / 2}
	}
	const el = find()
	if (!el) return null
	el.scrollIntoViewIfNeeded()
	const before = centre(el)
	await frame()
	await frame()
	if (find() !== el) return null
	const now = centre(el), top = document.elementFromPoint(now.x, now.y)
	if (now.x !== before.x || now.y !== before.y) return null
	if (!top || !(el.contains(top) || top.contains(el) || top.closest("label")?.control === el || labels(top))) {
		el.scrollIntoView({block: "center", behavior: "instant"}) // from under a bar
		return null
	}
	window.hit = false
	window.aimed?.abort()
	window.aimed = new AbortController()
	window.addEventListener("click", (event) => {
		if (event.composedPath().some((one) => one.matches?.(selector) || labels(one))) window.hit = true
		else if (!window.hit && event.isTrusted && event.target.closest?.("label")?.control !== el) {
			event.preventDefault() // another element came here in the meantime
			event.stopImmediatePropagation()
		}
	}, {capture: true, signal: window.aimed.signal})
	return now
})(%q)`

// Click clicks the selected element, the first that is visible, once it is at rest and nothing
// covers it. An element that moves away before the click is clicked again, and a click on the one
// that took its place has no effect.
func (p *Page) Click(selector string) {
	p.tb.Helper()
	for deadline := p.lastMoment(); time.Now().Before(deadline); {
		point, err := run(p, chromedp.Evaluate[*input.DispatchMouseEventParams](fmt.Sprintf(aim, selector), chromedp.EvalAwaitPromise))
		if err != nil || point == nil { // an error: the page is navigating to another one
			time.Sleep(50 * time.Millisecond)
			continue
		}
		point.Button, point.ClickCount = input.MouseButtonLeft, 1
		for _, kind := range []input.DispatchMouseEventType{chromedp.MousePressed, chromedp.MouseReleased} {
			point.Type = kind
			command(p, input.DispatchMouseEvent, *point)
		}
		// A page after a navigation has no such variable.
		if hit, err := run(p, chromedp.Evaluate[bool]("window.hit !== false")); hit || err != nil {
			return
		}
	}
	p.fail("browser: nothing that can be clicked is %s", selector)
}

// Drag drags the element of a selector with the mouse to the place of another, both at rest, as
// [Page.Click] finds them.
func (p *Page) Drag(from, to string) {
	p.tb.Helper()
	var points [2]*input.DispatchMouseEventParams
	for i, selector := range []string{from, to} {
		for deadline := p.lastMoment(); points[i] == nil && time.Now().Before(deadline); {
			points[i], _ = run(p, chromedp.Evaluate[*input.DispatchMouseEventParams](fmt.Sprintf(aim, selector), chromedp.EvalAwaitPromise))
		}
		if points[i] == nil {
			p.fail("browser: nothing that can be dragged is %s", selector)
		}
	}
	for _, step := range []struct {
		kind input.DispatchMouseEventType
		part float64 // of the way
	}{{chromedp.MousePressed, 0}, {chromedp.MouseMoved, 0.5}, {chromedp.MouseMoved, 1}, {chromedp.MouseReleased, 1}} {
		event := *points[0]
		event.Type, event.Button, event.Buttons, event.ClickCount = step.kind, input.MouseButtonLeft, 1, 1
		event.X += (points[1].X - event.X) * step.part
		event.Y += (points[1].Y - event.Y) * step.part
		command(p, input.DispatchMouseEvent, event)
	}
}

// Fill replaces the text of a field, as a person who types does.
func (p *Page) Fill(selector, text string) {
	p.tb.Helper()
	p.WaitVisible(selector)
	p.Wait(fmt.Sprintf(`(() => {
		const el = document.querySelector(%q)
		el?.focus()
		if (!el || document.activeElement !== el) return false
		if (el.select) el.select()
		else getSelection().selectAllChildren(el)
		return true
	})()`, selector))
	command(p, input.InsertText, input.InsertTextParams{Text: text})
}

// Press sends keys to the focused element: characters, [Enter], [Tab] and the like.
func (p *Page) Press(keys string) {
	p.tb.Helper()
	for _, key := range keys {
		for _, event := range kb.Encode(key) {
			if event.Type == kb.KeyDown { // as of a keyboard: a page that handles it suppresses the character
				event.Type = input.DispatchKeyEventTypeRawKeyDown
			}
			command(p, input.DispatchKeyEvent, *event)
		}
	}
}
