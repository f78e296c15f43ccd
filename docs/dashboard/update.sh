#!/bin/sh
# Makes the pictures of docs/dashboard.md again, from the walks of the browser tests. It needs Chromium
# and ImageMagick, which makes them small.
set -eu
cd "$(dirname "$0")"
shots=$(mktemp -d)
walks='TestDashboard$/(a_morning|every_screen|sign-in|keyboard|courier_places|many_orders)'
for walk in 'Cash/(statement|balances)' Products/a_new_one Stock/counts Collections/a_new Settings/every_section_at_360 Team/owner \
	Team/audit SetUp Developers Notifications/choices Coupons/a_new Customers/a_guest Import Analytics; do
	walks="$walks|TestDashboard_$walk"
done
(cd ../.. && STOREFRONT_SCREENSHOTS=$shots go test -count=1 -timeout 30m ./e2e -all -run "$walks")
copy() { convert "$shots/dashboard-$1.png" -strip +dither -colors 200 "PNG8:$2.png"; }
copy 360-set-up-empty set-up
copy sign-in-invite invite
copy sign-in-sign-in sign-in
copy 360-en-home home
copy 360-en-orders-view-toConfirm orders
copy 360-select select
copy 360-en-call call
copy 360-en-order order
copy 360-bn-order order-bn
copy 360-places book
copy 360-bulk-cancel job
copy 360-print print
copy 360-label label
copy 360-new-order new
copy 360-en-edit edit
copy 360-returned returns
copy 360-en-payments payments
copy 360-balances cash
copy 360-statement-previewed statement
copy 360-products products
copy 360-product-filled product
copy 360-stock stock
copy 360-collection-filled collection
copy 360-coupon-filled coupon
copy 360-customer-guest customer
copy 360-import-preview import
copy 360-analytics analytics
copy 360-en-more more
copy 360-en-team team
copy 360-audit audit
copy 360-en-account account
copy 360-developers-webhook-failed webhook
copy 360-notifications notifications
copy 360-en-settings settings
copy 360-en-settings-delivery delivery
copy 1280-pane wide
rm -r "$shots"
