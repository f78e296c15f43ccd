package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
)

// buyerEvents are what a buyer can do on a gateway's page.
var buyerEvents = []string{"pay", "fail", "cancel"}

func newSimulateCommand(a *app) *cobra.Command {
	var invoice, simulator string
	cmd := &cobra.Command{
		Use:   "simulate UID PROVIDER EVENT",
		Short: "Do what a provider, or a buyer at one, would do",
		Long: `Do at the simulated providers of serve --dev what a buyer would do: pay, fail or cancel the newest payment
of an order at a gateway, and come back to the shop.

With a courier, make its call at the public address, with the shop's own secret: any of the courier's
events, or journey, a parcel's whole way.`,
		Example: `  storefront simulate demo gateway_a pay --order 0123456789ABCDEF
  storefront simulate demo courier_a webhook_integration
  storefront simulate demo courier_a order.delivered --order 0123456789ABCDEF`,
		Args:              cobra.ExactArgs(3),
		ValidArgsFunction: a.completeSimulate,
		RunE: func(cmd *cobra.Command, args []string) error {
			if courier := shop.Provider(args[1]); courier == shop.CourierA || courier == shop.CourierB {
				return a.simulateCourier(cmd.Context(), args[0], courier, args[2], invoice)
			}
			method := shop.PaymentMethod(args[1])
			if method != shop.PayGatewayA && method != shop.PayGatewayB || !slices.Contains(buyerEvents, args[2]) {
				return &usageError{
					err:     fmt.Errorf("%s %s can not be simulated: a buyer can %s at gateway_a and gateway_b", args[1], args[2], strings.Join(buyerEvents, ", ")),
					command: cmd.CommandPath(),
				}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				attempt, err := newestAttempt(cmd.Context(), s, invoice, method)
				if err != nil {
					return err
				}
				target, err := simulateBuyer(cmd.Context(), simulator, attempt, args[2])
				if err != nil {
					return err
				}
				order, err := s.FindOrderAsStaff(cmd.Context(), invoice)
				if err != nil {
					return err
				}
				result := map[string]any{"returnedTo": target, "status": order.Status, "paymentStatus": order.PaymentStatus}
				return a.print(result, func(w io.Writer) {
					row(w, "Order", fmt.Sprintf("%s, payment %s", order.Status, order.PaymentStatus))
					row(w, "Sent to", target)
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&invoice, "order", "", "the order's invoice UID")
	flags.StringVar(&simulator, "simulator", "http://"+simulatorListen, "where the simulated providers answer, as serve --dev prints it")
	flags.StringVar(&a.publicURL, "public-url", "", "address of the server, for couriers' calls")
	return cmd
}

// completeSimulate completes a UID, a gateway and what happens there.
func (a *app) completeSimulate(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 1:
		return providers, cobra.ShellCompDirectiveNoFileComp
	case 2:
		return buyerEvents, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeUID(cmd, args, toComplete)
}

// newestAttempt gives the order's newest payment at a gateway.
func newestAttempt(ctx context.Context, s *shop.Shop, invoice string, method shop.PaymentMethod) (string, error) {
	order, err := s.FindOrderAsStaff(ctx, invoice)
	if err != nil {
		return "", err
	}
	for _, attempt := range slices.Backward(order.Payment.Attempts) {
		if attempt.Method == method {
			return attempt.ID, nil
		}
	}
	return "", withHint(fmt.Errorf("the order has no payment at %s", method), "POST /api/v1/orders/%s/payments begins one", order.InvoiceUID)
}

// simulateBuyer finishes a payment at the simulator and brings the browser back to the shop. It gives
// where the shop sends it on.
func simulateBuyer(ctx context.Context, simulator, payment, result string) (target string, err error) {
	client := &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := postForm(ctx, client, strings.TrimSuffix(simulator, "/")+"/control/payments", url.Values{"payment": {payment}, "result": {result}})
	if err != nil {
		return "", withHint(fmt.Errorf("ask the simulator: %w", err), "storefront serve --dev, or --simulator with the address that it prints")
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000)) // what can be had of it
		return "", fmt.Errorf("the simulator refuses: %s", strings.TrimSpace(string(text)))
	}
	var back struct {
		Method string
		URL    string
		Form   url.Values
	}
	if err := json.NewDecoder(answer.Body).Decode(&back); err != nil {
		return "", fmt.Errorf("read the simulator's answer: %w", err)
	}
	home, err := visit(ctx, client, back.Method, back.URL, back.Form)
	if err != nil {
		return "", fmt.Errorf("go back to the shop: %w", err)
	}
	defer home.Body.Close()
	if home.StatusCode != http.StatusFound {
		return "", fmt.Errorf("the shop answers %s to the buyer who comes back", home.Status)
	}
	return home.Header.Get("Location"), nil
}

func visit(ctx context.Context, client *http.Client, method, address string, form url.Values) (*http.Response, error) {
	if method == http.MethodPost {
		return postForm(ctx, client, address, form)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}

func postForm(ctx context.Context, client *http.Client, address string, form url.Values) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return client.Do(req)
}
