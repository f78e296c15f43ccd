#!/bin/sh
# Makes the pictures of docs/dashboard.md again, from the walk of the browser tests. It needs Chromium.
set -eu
cd "$(dirname "$0")"
shots=$(mktemp -d)
(cd ../.. && STOREFRONT_SCREENSHOTS=$shots go test -count=1 ./e2e -run 'TestDashboard$' -all)
copy() { cp "$shots/dashboard-$1.png" "$2.png"; }
copy 360-en-home home
copy 360-en-orders-view-toConfirm orders
copy 360-select select
copy 360-en-call call
copy 360-book book
copy 360-bn-order order-bn
copy 360-parcel parcel
copy 360-new-order new
copy 1280-pane wide
rm -r "$shots"
