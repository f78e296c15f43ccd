package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"storefront/shop"
	"storefront/shop/plugin"
	"storefront/shop/status"
	"storefront/tenants"
)

// buyerEvents lists what a buyer can do on a gateway's page.
var buyerEvents = []string{"pay", "fail", "cancel"}

func newSimulateCommand(a *app) *cobra.Command {
	var invoice, simulator, collect string
	var lost bool
	cmd := &cobra.Command{
		Use:   "simulate UID PROVIDER EVENT",
		Short: "Simulate a buyer's payment or a courier's webhook",
		Long: `With a gateway, act as the buyer at the simulated gateway of serve --dev: pay, fail or cancel the
newest payment attempt of an order, and return to the shop.

With a courier, send its webhook to the public URL, with the shop's own secret: any of the courier's
events, or journey, which sends all events of a delivery. The simulated courier of serve --dev then
reports the same status to order track and to the server's own checks; with --lost it does so without a
webhook. The event delete deletes the order's shipment there, as a merchant does in the courier's panel.`,
		Example: `  storefront simulate demo gateway_a pay --order 0123456789ABCDEF
  storefront simulate demo courier_a webhook_integration
  storefront simulate demo courier_a order.delivered --order 0123456789ABCDEF
  storefront simulate demo courier_b delivered --order 0123456789ABCDEF --collect 250
  storefront simulate demo courier_b cancelled_return_received --order 0123456789ABCDEF --lost`,
		ValidArgsFunction: a.completeSimulate,
		RunE: func(cmd *cobra.Command, args []string) error {
			if server := a.server(); simulator == "" && server != nil {
				simulator = server.Simulator
			}
			if courier := plugin.Provider(args[1]); courier == plugin.CourierA || courier == plugin.CourierB {
				if args[2] == deleteEvent {
					return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
						return a.deleteShipment(cmd.Context(), s, simulator, courier, invoice)
					})
				}
				in := courierSimulation{simulator, tenants.CourierSimulation{Event: args[2], InvoiceUID: invoice, Lost: lost}}
				return a.simulateCourier(cmd, args[0], courier, in, collect)
			}
			method := status.PaymentMethod(args[1])
			if method != status.PayGatewayA && method != status.PayGatewayB || !slices.Contains(buyerEvents, args[2]) {
				return &usageError{
					err: fmt.Errorf("%s %s cannot be simulated: at gateway_a and gateway_b, EVENT must be one of %s",
						args[1], args[2], strings.Join(buyerEvents, ", ")),
					command: cmd.CommandPath(),
				}
			}
			return a.withShop(cmd.Context(), args[0], func(s *shop.Shop) error {
				attempt, err := a.newestAttempt(cmd.Context(), s, invoice, method)
				if err != nil {
					return err
				}
				target, err := simulateBuyer(cmd.Context(), simulator, attempt, args[2])
				if err != nil {
					return err
				}
				order, err := a.findOrder(cmd.Context(), s, invoice)
				if err != nil {
					return err
				}
				result := map[string]any{"returnedTo": target, "status": order.Status, "paymentStatus": order.PaymentStatus}
				return a.print(result, func(w *table) {
					row(w, "Order", fmt.Sprintf("%s, payment %s", order.Status, order.PaymentStatus))
					row(w, "Sent to", target)
				})
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&invoice, "order", "", "number or invoice UID of the order")
	flags.StringVar(&simulator, "simulator", "", "URL of the simulated providers (default: the URL of the server that runs on the data folder)")
	flags.StringVar(&collect, "collect", "", "cash that the courier collects, as a decimal in the shop's currency (default: the amount due)")
	flags.BoolVar(&lost, "lost", false, "send no webhook, as if it were lost: only the courier's look-up reports the event")
	a.addPublicURL(cmd, "public URL of the server, for courier webhooks")
	return cmd
}

// completeSimulate completes a UID, a provider and an event.
func (a *app) completeSimulate(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 1:
		return providers, cobra.ShellCompDirectiveNoFileComp
	case 2:
		return buyerEvents, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeUID(cmd, args, toComplete)
}

// newestAttempt returns the ID of the order's newest payment attempt at a gateway.
func (a *app) newestAttempt(ctx context.Context, s *shop.Shop, invoice string, method status.PaymentMethod) (string, error) {
	order, err := a.findOrder(ctx, s, invoice)
	if err != nil {
		return "", err
	}
	for _, attempt := range slices.Backward(order.Payment.Attempts) {
		if attempt.Method == method {
			return attempt.ID, nil
		}
	}
	return "", withHint(fmt.Errorf("the order has no payment attempt at %s", method),
		"start one with POST /api/v1/orders/%s/payments", order.InvoiceUID)
}

// simulateBuyer completes a payment attempt at the simulator and follows the return to the shop. It
// returns the URL that the shop redirects the buyer to.
func simulateBuyer(ctx context.Context, simulator, payment, event string) (target string, err error) {
	client := &http.Client{
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if simulator == "" {
		return "", errNoSimulator()
	}
	result := url.Values{"payment": {payment}, "result": {event}}
	response, err := postForm(ctx, client, strings.TrimSuffix(simulator, "/")+"/control/payments", result)
	if err != nil {
		return "", withHint(fmt.Errorf("call the simulator: %w", err), "start storefront serve --dev, or pass the URL that it prints with --simulator")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000)) // best effort
		return "", fmt.Errorf("simulator: %s", strings.TrimSpace(string(text)))
	}
	var back struct {
		Method string
		URL    string
		Form   url.Values
	}
	if err := json.NewDecoder(response.Body).Decode(&back); err != nil {
		return "", fmt.Errorf("read the simulator's response: %w", err)
	}
	home, err := sendForm(ctx, client, back.Method, back.URL, back.Form)
	if err != nil {
		return "", fmt.Errorf("return to the shop: %w", err)
	}
	defer home.Body.Close()
	if home.StatusCode != http.StatusFound {
		return "", fmt.Errorf("the shop responded with %s to the returning buyer", home.Status)
	}
	return home.Header.Get("Location"), nil
}

// errNoSimulator returns the error of a command without the address of simulated providers.
func errNoSimulator() error {
	return withHint(errors.New("no server with simulated providers runs on this data folder"),
		"start storefront serve --dev with the same --data, or pass its simulator's URL with --simulator")
}

// sendForm sends form by POST, or requests address by GET.
func sendForm(ctx context.Context, client *http.Client, method, address string, form url.Values) (*http.Response, error) {
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
