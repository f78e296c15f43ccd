package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// testLabels prints the labels of orders in the dialog that is open, and reads the PDF of the same
// page in both languages.
func testLabels(t *testing.T, m *merchant, p *process, ids []string) {
	m.WaitVisible("#print form")
	m.Wait(`/^(A6|এ৬)[,।]? /.test(document.querySelector("#size option").text)`) // the size that the settings name
	m.check("print")
	m.Inject(`if (top !== window) print = () => { top.printed = [...document.images].every((one) => one.complete) }`)
	m.Click("#print form .primary")
	m.Wait(`document.querySelector(".print-frame") && !document.querySelector("#print")`)
	m.Wait(`window.printed`) // with all its pictures
	var page string
	m.Eval(`document.querySelector(".print-frame").src`, &page)
	var numbers []string
	for _, id := range ids {
		order := p.must(request{method: "GET", path: "/api/v1/orders/" + id, tenant: "demo"})
		numbers = append(numbers, fmt.Sprint(order.at("orderNumber")))
	}
	m.show("orders/"+ids[0]+"?view=all", ".money")
	m.Wait(`[...document.querySelectorAll(".order .timeline li")].some((one) => /Printed|প্রিন্ট/.test(one.innerText))`)

	var other string
	m.Eval(fmt.Sprintf(`fetch("/admin/v1/shops/demo/orders?view=all&limit=100").then((response) => response.json()).then((list) =>
		list.nodes.map((row) => row._id).find((id) => !%q.includes(id)))`, strings.Join(ids, " ")), &other)
	m.Go(page + "&lang=en")
	var width, height int
	m.Eval(`innerWidth`, &width)
	m.Eval(`innerHeight`, &height)
	m.Resize(440, 620) // as wide as the paper
	m.Screenshot(m.shots + "label")
	m.Resize(width, height)
	pdf := readPDF(t, m.PDF())
	if pdf.pages != len(ids) || pdf.size != "298.08 x 420 pts" {
		t.Errorf("labels: got %d pages of %s, want %d of A6", pdf.pages, pdf.size, len(ids))
	}
	bangla := hasBangla(t)
	for i, number := range numbers {
		if !strings.Contains(pdf.text[i], "#"+number) || !strings.Contains(pdf.text[i], "Collect cash") ||
			bangla && !strings.Contains(pdf.text[i], "নগদ") {
			t.Errorf("label %d: got\n%s\nwant the cash to collect of order %s in both languages", i, pdf.text[i], number)
		}
		if !slices.ContainsFunc(pdf.codes[i], func(code string) bool { return strings.HasPrefix(code, "CODE-128:") }) ||
			!slices.ContainsFunc(pdf.codes[i], func(code string) bool { return strings.HasPrefix(code, "QR-Code:") }) {
			t.Errorf("label %d: got codes %q, want a bar code and a QR code", i, pdf.codes[i])
		}
		for _, code := range pdf.codes[i] {
			if _, id, _ := strings.Cut(code, ":"); !strings.Contains(pdf.text[i], id) {
				t.Errorf("label %d: got code %q, want the consignment ID of\n%s", i, code, pdf.text[i])
			}
		}
	}
	m.Go(page + "&lang=en&size=a4x4&ids=" + other)
	count := len(ids) + 1
	if sheets := readPDF(t, m.PDF()); sheets.pages != (count+3)/4 || strings.Count(strings.Join(sheets.text, ""), "#") != count {
		t.Errorf("four labels to a sheet: got %d pages\n%s\nwant %d labels", sheets.pages, sheets.text, count)
	}
	m.Go(strings.Replace(page, "print/label", "print/invoice", 1) + "&size=a5&lang=bn")
	pdf = readPDF(t, m.PDF())
	if pdf.pages != len(ids) || pdf.size != "420 x 594.96 pts (A5)" || bangla && !strings.Contains(pdf.text[0], "ইনভয়েস") {
		t.Errorf("invoices: got %d pages of %s, the first\n%s", pdf.pages, pdf.size, pdf.text[0])
	}
	at := slices.IndexFunc(pdf.codes[0], func(code string) bool { return strings.HasPrefix(code, "QR-Code:") })
	if at < 0 {
		t.Fatalf("invoices: got codes %q, want one that leads to the order", pdf.codes[0])
	}
	m.Go(strings.TrimPrefix(pdf.codes[0][at], "QR-Code:"))
	m.Wait(fmt.Sprintf(`document.querySelector("h1")?.innerText.includes(%q)`, numbers[0]))
	m.Go(p.url + "/admin/#/demo/home")
	m.Wait(`document.querySelector(".wide #main h1")`)
}

// hasBangla reports whether the machine has a font for Bangla. Without one, a PDF holds no letters
// that could be read.
func hasBangla(t *testing.T) bool {
	t.Helper()
	fonts, err := exec.Command("fc-list", ":lang=bn").Output()
	if err != nil || len(fonts) == 0 {
		t.Logf("Bangla in printed pages is not read: no font for it (%v)", err)
		return false
	}
	return true
}

// printedPDF is what programs read in a PDF, by page.
type printedPDF struct {
	pages int
	size  string
	text  []string
	codes [][]string // such as "CODE-128:1042"
}

func readPDF(t *testing.T, pdf []byte) (read printedPDF) {
	t.Helper()
	for _, program := range []string{"pdfinfo", "pdftotext", "pdftoppm", "zbarimg"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("this test reads a PDF: %v", err)
		}
	}
	folder := t.TempDir()
	name := filepath.Join(folder, "printed.pdf")
	if err := os.WriteFile(name, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	execute := func(program string, args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), program, args...).Output()
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		return string(out)
	}
	for line := range strings.Lines(execute("pdfinfo", name)) {
		field, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); field {
		case "Pages":
			_, _ = fmt.Sscan(value, &read.pages)
		case "Page size":
			read.size = value
		}
	}
	for i := range read.pages {
		number := fmt.Sprint(i + 1)
		read.text = append(read.text, execute("pdftotext", "-f", number, "-l", number, name, "-"))
		picture := filepath.Join(folder, number)
		execute("pdftoppm", "-f", number, "-l", number, "-r", "120", "-gray", "-singlefile", name, picture)
		out, _ := exec.CommandContext(t.Context(), "zbarimg", "-q", picture+".pgm").Output() // it fails if there is no code
		read.codes = append(read.codes, strings.Fields(string(out)))
	}
	return read
}
