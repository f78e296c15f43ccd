-- The schema of one shop: everything that a tenant owns lives in one file of this shape.
--
-- Units        money is an integer in minor units of the shop's currency (paisa, cents);
--              a column that ends in _at is a time in milliseconds since 1970, UTC.
-- Ids          are opaque text made by the program; flags are 0 or 1; text is UTF-8 in NFC.
-- Sort keys    (…_key) are made by the program, because lower() of the engine knows ASCII only.
-- Changing it  write the change here and as the next of the steps in tenants/schema.go; a test holds
--              the two equal. Steps already released never change.

---------------------------------------------------------------- the shop itself

CREATE TABLE settings (                         -- one row a setting; shop.Settings says what each means
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (                          -- provider credentials and keys, encrypted with the data folder's key
    name       TEXT    NOT NULL PRIMARY KEY,    -- 'signing:<kid>', 'courier_a.webhook_secret', …
    sealed     BLOB    NOT NULL,                -- nonce and ciphertext, bound to tenant and name
    created_at INTEGER NOT NULL,
    retired_at INTEGER                          -- a signing key that only still verifies
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (                         -- numbers that count up, taken inside the transaction that uses them
    name  TEXT    NOT NULL PRIMARY KEY,         -- 'order', 'product'
    value INTEGER NOT NULL CHECK (value >= 0)   -- the last one given out
) STRICT, WITHOUT ROWID;

CREATE TABLE admin_tokens (                     -- let a program administer the shop
    id         TEXT    NOT NULL PRIMARY KEY,
    label      TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,         -- SHA-256 of the token, which is shown once and not kept
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

---------------------------------------------------------------- catalogue

CREATE TABLE products (
    id               TEXT    NOT NULL PRIMARY KEY,
    number           INTEGER NOT NULL UNIQUE,   -- row of product_search
    handle           TEXT    NOT NULL UNIQUE,   -- URL slug
    status           TEXT    NOT NULL CHECK (status IN ('active', 'draft', 'archived')),
    title            TEXT    NOT NULL CHECK (title <> ''),
    title_key        TEXT    NOT NULL,          -- folded title, for sorting
    description_html TEXT    NOT NULL,          -- sanitized when written
    vendor           TEXT    NOT NULL,
    type             TEXT    NOT NULL,
    options          TEXT    NOT NULL CHECK (json_valid(options)),  -- ["Size","Colour"], at most 3
    seo_title        TEXT    NOT NULL,
    seo_description  TEXT    NOT NULL,
    metadata         TEXT    NOT NULL CHECK (json_valid(metadata)), -- an object
    price            INTEGER NOT NULL CHECK (price >= 0),           -- the lowest of its variants
    price_max        INTEGER NOT NULL CHECK (price_max >= price),   -- the highest of its variants
    on_sale          INTEGER NOT NULL CHECK (on_sale IN (0, 1)),    -- some variant is below its compare_at_price
    sold             INTEGER NOT NULL DEFAULT 0,                    -- units ordered less units cancelled
    published_at     INTEGER,                                       -- null: never published
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    revision         INTEGER NOT NULL DEFAULT 0                     -- rises with each change of what buyers see of it, stock and collections too
) STRICT, WITHOUT ROWID;
-- published_at at the end lets a list pass over rows without reading them.
CREATE INDEX products_by_created   ON products (status, created_at, id, published_at);
CREATE INDEX products_by_updated   ON products (status, updated_at, id, published_at);
CREATE INDEX products_by_title     ON products (status, title_key, id, published_at);
CREATE INDEX products_by_price     ON products (status, price, id, published_at);
CREATE INDEX products_by_sold      ON products (status, sold, id, published_at);
CREATE INDEX products_by_number    ON products (number, status, published_at, id);  -- what search finds
CREATE INDEX products_by_published ON products (status, published_at);  -- counts what is on show, finds what comes next

CREATE TABLE images (
    id         TEXT    NOT NULL PRIMARY KEY,
    product_id TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,                -- from 1
    url        TEXT    NOT NULL CHECK (url <> ''),
    alt        TEXT    NOT NULL,
    width      INTEGER CHECK (width > 0),       -- pixels; null: not known
    height     INTEGER CHECK (height > 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX images_by_product ON images (product_id, position);

CREATE TABLE variants (
    id               TEXT    NOT NULL PRIMARY KEY,
    product_id       TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position         INTEGER NOT NULL,          -- from 1
    sku              TEXT    NOT NULL,          -- '' where there is none
    barcode          TEXT    NOT NULL,
    option1          TEXT    NOT NULL,          -- values of the product's options, '' beyond the last
    option2          TEXT    NOT NULL,
    option3          TEXT    NOT NULL,
    price            INTEGER NOT NULL CHECK (price >= 0),
    compare_at_price INTEGER CHECK (compare_at_price >= 0),          -- the price before a sale
    weight_grams     INTEGER NOT NULL CHECK (weight_grams >= 0),
    image_id         TEXT    REFERENCES images (id) ON DELETE SET NULL,
    tracked          INTEGER NOT NULL CHECK (tracked IN (0, 1)),     -- 0: stock is not counted, always available
    backorder        INTEGER NOT NULL CHECK (backorder IN (0, 1)),   -- 1: may be sold below zero
    stock            INTEGER NOT NULL DEFAULT 0,                     -- equals the sum of its movements
    low_stock        INTEGER NOT NULL CHECK (low_stock >= 0),        -- at or below it a variant counts as low
    UNIQUE (product_id, option1, option2, option3),
    CONSTRAINT never_oversold CHECK (stock >= 0 OR tracked = 0 OR backorder = 1)
) STRICT, WITHOUT ROWID;
CREATE INDEX variants_by_product ON variants (product_id, position);
CREATE INDEX variants_by_sku     ON variants (sku) WHERE sku <> '';
CREATE INDEX variants_by_image   ON variants (image_id) WHERE image_id IS NOT NULL;

CREATE TABLE stock_movements (                  -- why a variant's stock is what it is
    variant_id   TEXT    NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
    id           TEXT    NOT NULL,                -- ascends with time
    delta        INTEGER NOT NULL CHECK (delta <> 0),
    reason       TEXT    NOT NULL CHECK (reason = 'import' OR reason = 'adjustment' OR reason = 'order'
                                      OR reason = 'cancel' OR reason = 'expiry' OR reason = 'return'),
    order_number INTEGER REFERENCES orders (number),
    note         TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    PRIMARY KEY (variant_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE product_tags (
    product_id TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    tag_key    TEXT    NOT NULL,                -- folded tag: filters ignore case and accents
    tag        TEXT    NOT NULL,
    position   INTEGER NOT NULL,
    PRIMARY KEY (product_id, tag_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_tags_by_tag ON product_tags (tag_key, product_id);

CREATE TABLE collections (
    id               TEXT    NOT NULL PRIMARY KEY,
    handle           TEXT    NOT NULL UNIQUE,
    title            TEXT    NOT NULL CHECK (title <> ''),
    title_key        TEXT    NOT NULL,
    description_html TEXT    NOT NULL,
    image_url        TEXT    NOT NULL,          -- '' where there is none
    image_alt        TEXT    NOT NULL,
    position         INTEGER NOT NULL,          -- the merchant's order of collections
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX collections_by_position ON collections (position, id);

CREATE TABLE collection_products (
    collection_id TEXT    NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    product_id    TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,             -- the merchant's order inside the collection
    PRIMARY KEY (collection_id, product_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_products_by_position ON collection_products (collection_id, position, product_id);
CREATE INDEX collection_products_by_product  ON collection_products (product_id);

-- The search index: one row a product, its text folded by the program in the transaction that
-- writes the product. Marks (Mn, Mc) are part of words: Bangla vowel signs must not cut them.
CREATE VIRTUAL TABLE product_search USING fts5 (
    title, tags, vendor, type, skus, description,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

---------------------------------------------------------------- customers

CREATE TABLE customers (
    id                TEXT    NOT NULL PRIMARY KEY,
    name              TEXT    NOT NULL,
    email             TEXT    UNIQUE,           -- lower case
    phone             TEXT    UNIQUE,           -- E.164
    email_verified_at INTEGER,
    phone_verified_at INTEGER,                  -- proven by a code sent to it; null: only claimed
    password_hash     TEXT,                     -- argon2id in PHC form; null: signs in by code only
    password_reset    INTEGER NOT NULL DEFAULT 0 CHECK (password_reset IN (0, 1)), -- 1: the password no longer signs in
    token_version     INTEGER NOT NULL DEFAULT 1, -- tokens made for an older one do not pass
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    CHECK (email IS NOT NULL OR phone IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX customers_by_created ON customers (created_at, id);

CREATE TABLE addresses (
    id          TEXT    NOT NULL PRIMARY KEY,
    customer_id TEXT    NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,               -- 1 is the default address
    line1       TEXT    NOT NULL,
    line2       TEXT    NOT NULL,
    area        TEXT    NOT NULL,
    city        TEXT    NOT NULL,
    postcode    TEXT    NOT NULL,
    country     TEXT    NOT NULL                -- ISO 3166, two letters
) STRICT, WITHOUT ROWID;
CREATE INDEX addresses_by_customer ON addresses (customer_id, position);

CREATE TABLE otp_codes (                        -- sign-in codes of the last day; the newest of a phone is its live one
    id          TEXT    NOT NULL PRIMARY KEY,
    phone       TEXT    NOT NULL,               -- E.164
    client      BLOB    NOT NULL,               -- keyed hash of the network address that asked for it
    code_hash   BLOB    NOT NULL,               -- keyed: four digits would be found at once without the key
    state       TEXT    NOT NULL CHECK (state IN ('sending', 'sent', 'unknown')), -- of its message; a refused one has no row
    message_id  TEXT    NOT NULL,               -- the SMS gateway's name for the message, '' where it gave none
    segments    INTEGER NOT NULL CHECK (segments > 0),  -- messages that the networks bill
    wrong_tries INTEGER NOT NULL DEFAULT 0 CHECK (wrong_tries BETWEEN 0 AND 3),
    used_at     INTEGER,                        -- when it proved the phone; null: not yet
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX otp_codes_by_phone       ON otp_codes (phone, created_at, id);
CREATE INDEX otp_codes_by_age         ON otp_codes (created_at);
CREATE INDEX unverified_otp_by_client ON otp_codes (client, created_at) WHERE used_at IS NULL;
CREATE INDEX unverified_otp_by_age    ON otp_codes (created_at, segments) WHERE used_at IS NULL;
CREATE INDEX tried_otp_by_age         ON otp_codes (created_at, wrong_tries) WHERE wrong_tries > 0;

CREATE TABLE failures (                         -- wrong passwords and codes, counted to slow down guessing
    key        BLOB    NOT NULL PRIMARY KEY,    -- keyed hash of what is counted, such as an account and an address
    count      INTEGER NOT NULL CHECK (count > 0),
    first_at   INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL                 -- from then on it is as if there were no row
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_by_expiry ON failures (expires_at);

---------------------------------------------------------------- coupons

CREATE TABLE coupons (
    id             TEXT    NOT NULL PRIMARY KEY,
    code           TEXT    NOT NULL,            -- as the merchant writes it
    code_key       TEXT    NOT NULL UNIQUE,     -- upper case: codes ignore case
    kind           TEXT    NOT NULL CHECK (kind IN ('percentage', 'fixed', 'free_delivery')),
    basis_points   INTEGER CHECK (basis_points BETWEEN 1 AND 10000),  -- percentage: 1000 is 10 %
    amount         INTEGER CHECK (amount > 0),                        -- fixed: minor units
    max_discount   INTEGER CHECK (max_discount > 0),                  -- percentage: its cap
    min_subtotal   INTEGER NOT NULL DEFAULT 0 CHECK (min_subtotal >= 0),
    starts_at      INTEGER,
    ends_at        INTEGER,                     -- the first moment at which it no longer applies
    usage_limit    INTEGER CHECK (usage_limit > 0),                   -- null: unlimited
    customer_limit INTEGER CHECK (customer_limit > 0),
    requires_login INTEGER NOT NULL DEFAULT 0 CHECK (requires_login IN (0, 1)),
    active         INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    scoped         INTEGER NOT NULL DEFAULT 0 CHECK (scoped IN (0, 1)), -- 1: for what coupon_scopes names only, were it nothing any more
    used           INTEGER NOT NULL DEFAULT 0,  -- live orders that use it
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    CHECK ((kind = 'percentage') = (basis_points IS NOT NULL)),
    CHECK ((kind = 'fixed') = (amount IS NOT NULL)),
    CONSTRAINT usage_limit_held CHECK (used >= 0 AND (usage_limit IS NULL OR used <= usage_limit))
) STRICT, WITHOUT ROWID;

CREATE TABLE coupon_scopes (                    -- what a scoped coupon is for
    coupon_id     TEXT NOT NULL REFERENCES coupons (id) ON DELETE CASCADE,
    product_id    TEXT REFERENCES products (id) ON DELETE CASCADE,
    collection_id TEXT REFERENCES collections (id) ON DELETE CASCADE,
    CHECK ((product_id IS NULL) <> (collection_id IS NULL)),
    UNIQUE (coupon_id, product_id, collection_id)
) STRICT;
CREATE INDEX coupon_scopes_by_product    ON coupon_scopes (product_id) WHERE product_id IS NOT NULL;
CREATE INDEX coupon_scopes_by_collection ON coupon_scopes (collection_id) WHERE collection_id IS NOT NULL;

---------------------------------------------------------------- orders

CREATE TABLE orders (
    number             INTEGER NOT NULL PRIMARY KEY,   -- readable, counting up: what comes together lies together
    id                 TEXT    NOT NULL UNIQUE,        -- the invoice UID, random
    status             TEXT    NOT NULL CHECK (status = 'pending' OR status = 'pending_payment'
                                            OR status = 'confirmed' OR status = 'processing' OR status = 'completed'
                                            OR status = 'cancelled' OR status = 'expired' OR status = 'returned'),
    payment_status     TEXT    NOT NULL CHECK (payment_status = 'unpaid' OR payment_status = 'pending'
                                            OR payment_status = 'paid' OR payment_status = 'needs_review'
                                            OR payment_status = 'refund_due' OR payment_status = 'refunded'),
    fulfillment_status TEXT    NOT NULL CHECK (fulfillment_status = 'unfulfilled' OR fulfillment_status = 'in_progress'
                                            OR fulfillment_status = 'partially_delivered' OR fulfillment_status = 'delivered'
                                            OR fulfillment_status = 'returning' OR fulfillment_status = 'returned'),
    payment_method     TEXT    NOT NULL CHECK (payment_method = 'cod' OR payment_method = 'gateway_a' OR payment_method = 'gateway_b'),
    test               INTEGER NOT NULL CHECK (test IN (0, 1)),   -- placed in sandbox mode
    customer_id        TEXT    REFERENCES customers (id) ON DELETE SET NULL,
    customer_name      TEXT    NOT NULL,
    customer_phone     TEXT    NOT NULL,               -- E.164
    customer_email     TEXT,
    line1              TEXT    NOT NULL,               -- the address that it goes to
    line2              TEXT    NOT NULL,
    area               TEXT    NOT NULL,
    city               TEXT    NOT NULL,
    postcode           TEXT    NOT NULL,
    country            TEXT    NOT NULL,
    note               TEXT    NOT NULL,
    delivery_charge_id TEXT    NOT NULL,               -- '' where nothing is charged by option
    delivery_name      TEXT    NOT NULL,
    coupon_id          TEXT    REFERENCES coupons (id),
    coupon_code        TEXT,
    subtotal           INTEGER NOT NULL CHECK (subtotal >= 0),
    discount           INTEGER NOT NULL CHECK (discount BETWEEN 0 AND subtotal),
    delivery_charge    INTEGER NOT NULL CHECK (delivery_charge >= 0),
    rounding           INTEGER NOT NULL CHECK (rounding >= 0),   -- dropped from a cash total, in the buyer's favour
    total              INTEGER NOT NULL CHECK (total >= 0),
    cancel_reason      TEXT    NOT NULL DEFAULT '',
    placed_at          INTEGER NOT NULL,
    expires_at         INTEGER,                        -- an unpaid online order; null: never
    updated_at         INTEGER NOT NULL,
    CONSTRAINT total_is_the_sum         CHECK (total = subtotal - discount + delivery_charge - rounding),
    CONSTRAINT cash_waits_for_no_gateway CHECK (status <> 'pending_payment' OR payment_method <> 'cod'),
    CONSTRAINT only_the_unpaid_expire   CHECK (expires_at IS NULL OR status = 'pending_payment'),
    CONSTRAINT completed_is_delivered   CHECK (status <> 'completed' OR fulfillment_status = 'delivered' AND payment_status NOT IN ('unpaid', 'pending')),
    CONSTRAINT returned_is_back         CHECK (status <> 'returned' OR fulfillment_status = 'returned'),
    CONSTRAINT the_dead_keep_no_money   CHECK (status <> 'cancelled' AND status <> 'expired' AND status <> 'returned' OR payment_status <> 'paid' OR total = 0)
) STRICT;
CREATE INDEX orders_by_customer ON orders (customer_id, placed_at) WHERE customer_id IS NOT NULL;
CREATE INDEX orders_by_phone    ON orders (customer_phone, placed_at);
CREATE INDEX orders_by_placed   ON orders (placed_at);
CREATE INDEX orders_by_status   ON orders (status, placed_at);
CREATE INDEX orders_by_expiry   ON orders (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX orders_by_coupon   ON orders (coupon_id, customer_phone) WHERE coupon_id IS NOT NULL;

CREATE TABLE order_items (                      -- what was bought, as it was then
    order_number  INTEGER NOT NULL REFERENCES orders (number),
    position      INTEGER NOT NULL,             -- from 1
    product_id    TEXT    NOT NULL,             -- may name a product that is gone
    variant_id    TEXT    NOT NULL,
    title         TEXT    NOT NULL,
    variant_title TEXT    NOT NULL,
    sku           TEXT    NOT NULL,
    image_url     TEXT    NOT NULL,
    quantity      INTEGER NOT NULL CHECK (quantity > 0),
    unit_price    INTEGER NOT NULL CHECK (unit_price >= 0),
    discount      INTEGER NOT NULL CHECK (discount >= 0),  -- this line's share of the order's discount
    stock_taken   INTEGER NOT NULL CHECK (stock_taken IN (0, 1)), -- 1: tracked when sold, goes back when cancelled
    PRIMARY KEY (order_number, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE order_events (                     -- the timeline
    order_number INTEGER NOT NULL REFERENCES orders (number),
    at           INTEGER NOT NULL,
    id           TEXT    NOT NULL,                  -- ascends, also within one millisecond
    type         TEXT    NOT NULL CHECK (type <> ''),
    message      TEXT    NOT NULL,                  -- for the buyer: no personal data, no secret
    cause        TEXT    NOT NULL CHECK (cause = 'buyer' OR cause = 'staff' OR cause = 'shop' OR cause = 'gateway_a'
                                      OR cause = 'gateway_b' OR cause = 'courier_a' OR cause = 'courier_b'),
    PRIMARY KEY (order_number, at, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE payment_attempts (                 -- tries to pay an order online
    id             TEXT    NOT NULL PRIMARY KEY,
    order_id       TEXT    NOT NULL REFERENCES orders (id),
    method         TEXT    NOT NULL CHECK (method IN ('gateway_a', 'gateway_b')),
    mode           TEXT    NOT NULL CHECK (mode IN ('live', 'sandbox')),  -- of the shop when it began
    status         TEXT    NOT NULL CHECK (status IN ('initiated', 'pending', 'succeeded', 'failed', 'cancelled', 'expired', 'needs_review', 'refund_due', 'refunded')),
    amount         INTEGER NOT NULL CHECK (amount > 0),
    external_id    TEXT,                        -- the gateway's name for it; null: not told yet
    transaction_id TEXT    NOT NULL,            -- of the money; '' where none came
    redirect_url   TEXT    NOT NULL,            -- where the buyer pays; '' where there is none
    error_code     TEXT    NOT NULL,            -- why the gateway could not be started; '' where it could
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (method, mode, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_attempts_by_order ON payment_attempts (order_id, id);
CREATE INDEX payment_attempts_open     ON payment_attempts (created_at) WHERE status IN ('initiated', 'pending');

CREATE TABLE payment_checks (                   -- what is still to be asked of a gateway about a try to pay
    attempt_id TEXT    NOT NULL PRIMARY KEY REFERENCES payment_attempts (id),
    signature  TEXT    NOT NULL,                -- what the gateway sends with the buyer's return; '' where nothing
    claimed_at INTEGER,                         -- when taking the money was begun; null: it was not
    reason     TEXT    NOT NULL,                -- for staff: why it failed or has to be looked at
    refund_id  TEXT    NOT NULL,                -- the gateway's name for the refund; '' where there is none
    refunding  INTEGER NOT NULL CHECK (refunding IN (0, 1)),  -- the gateway was asked to give the money back
    asked      INTEGER NOT NULL CHECK (asked >= 0),           -- how often the gateway was asked
    due_at     INTEGER                          -- when to ask again; null: there is nothing to ask
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_checks_due ON payment_checks (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE shipments (                        -- parcels of an order
    id             TEXT    NOT NULL PRIMARY KEY,
    order_id       TEXT    NOT NULL REFERENCES orders (id),
    provider       TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b')),
    consignment_id TEXT    CHECK (consignment_id <> ''),  -- the courier's name for it; null: not told yet
    tracking_code  TEXT    NOT NULL,            -- '' where there is none
    status         TEXT    NOT NULL CHECK (status IN ('created', 'pickup_requested', 'picked', 'at_hub', 'in_transit', 'out_for_delivery', 'delivered',
                                           'partially_delivered', 'on_hold', 'delivery_failed', 'returning', 'returned', 'cancelled', 'exchanged')),
    moved_at       INTEGER NOT NULL,            -- when it reached its state, by the courier's clock
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (provider, consignment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX shipments_by_order ON shipments (order_id, id);

CREATE TABLE idempotency_keys (                 -- the first success of a command, kept for 24 hours
    scope       TEXT    NOT NULL,               -- operation and customer, or operation and phone
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,               -- hash of the decoded input
    order_id    TEXT    NOT NULL REFERENCES orders (id),
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

---------------------------------------------------------------- what providers tell

CREATE TABLE provider_calls (                   -- the inbox: every authentic call in, kept for 90 days
    id           TEXT    NOT NULL PRIMARY KEY,
    provider     TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b', 'gateway_a', 'gateway_b')),
    key          BLOB    NOT NULL,              -- hash of the provider's name for the event, or of the body
    content_type TEXT    NOT NULL,
    body         BLOB    NOT NULL,              -- as received, without credentials; a query where there is no body
    event        TEXT    NOT NULL,              -- the provider's word; '' while it is not read
    verdict      TEXT    NOT NULL CHECK (verdict IN ('stored', 'applied', 'ignored', 'unmatched', 'malformed', 'failed')),
    reason       TEXT    NOT NULL,              -- for staff
    order_id     TEXT    REFERENCES orders (id),
    copies       INTEGER NOT NULL CHECK (copies > 0),   -- how often it came
    received_at  INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,              -- when it came last
    UNIQUE (provider, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_calls_by_age     ON provider_calls (received_at);
CREATE INDEX provider_calls_by_verdict ON provider_calls (verdict, id);

CREATE TABLE refused_calls (                    -- a ring for each provider: calls that were not the provider's
    provider TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b', 'gateway_a', 'gateway_b')),
    slot     INTEGER NOT NULL,
    reason   TEXT    NOT NULL,
    calls    INTEGER NOT NULL CHECK (calls > 0),        -- since the note before
    at       INTEGER NOT NULL,
    PRIMARY KEY (provider, slot)
) STRICT, WITHOUT ROWID;

---------------------------------------------------------------- parcels and their cash

CREATE TABLE parcel_bookings (                  -- parcels handed over by the program: written down before the courier is asked
    id          TEXT    NOT NULL PRIMARY KEY,
    order_id    TEXT    NOT NULL REFERENCES orders (id),
    provider    TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b')),
    ref         TEXT    NOT NULL,               -- our own name for the parcel at the courier
    mode        TEXT    NOT NULL CHECK (mode IN ('live', 'sandbox')),
    cash        INTEGER NOT NULL CHECK (cash >= 0),  -- to collect
    shipment_id TEXT    REFERENCES shipments (id),   -- null: the courier's answer is not known
    asked_at    INTEGER NOT NULL,
    UNIQUE (provider, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX parcel_bookings_by_order    ON parcel_bookings (order_id);
CREATE INDEX parcel_bookings_by_shipment ON parcel_bookings (shipment_id) WHERE shipment_id IS NOT NULL;

CREATE TABLE parcel_events (                    -- all that is known of a parcel's way; its state is worked out from them
    id          TEXT    NOT NULL PRIMARY KEY,
    shipment_id TEXT    NOT NULL REFERENCES shipments (id),
    event       TEXT    NOT NULL,               -- the courier's word; 'staff' for a move by hand
    status      TEXT    NOT NULL,               -- what it makes of the parcel; '': nothing
    note        TEXT    NOT NULL,               -- the courier's words, for the shop's staff
    at          INTEGER NOT NULL,               -- by the courier's clock
    received_at INTEGER NOT NULL,
    UNIQUE (shipment_id, at, event, note)
) STRICT, WITHOUT ROWID;

CREATE TABLE waiting_calls (                    -- calls about a consignment that no order has yet
    provider       TEXT NOT NULL CHECK (provider IN ('courier_a', 'courier_b')),
    consignment_id TEXT NOT NULL,
    call_id        TEXT NOT NULL REFERENCES provider_calls (id) ON DELETE CASCADE,
    PRIMARY KEY (provider, consignment_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_calls_by_call ON waiting_calls (call_id);

CREATE TABLE cash_entries (                     -- the ledger of cash on delivery: of each kind the newest entry counts
    id          TEXT    NOT NULL PRIMARY KEY,
    shipment_id TEXT    NOT NULL REFERENCES shipments (id),
    kind        TEXT    NOT NULL CHECK (kind IN ('due', 'collected', 'fee', 'remitted')),
    amount      INTEGER CHECK (amount >= 0),    -- null: paid out, and it was not told how much
    source      TEXT    NOT NULL CHECK (source IN ('order', 'event', 'statement')),
    reference   TEXT    NOT NULL,               -- the event, or the name of the statement
    at          INTEGER NOT NULL,
    UNIQUE (shipment_id, kind, source, reference, at),
    CONSTRAINT only_payouts_may_be_untold CHECK (amount IS NOT NULL OR kind = 'remitted')
) STRICT, WITHOUT ROWID;
CREATE INDEX cash_entries_by_statement ON cash_entries (reference) WHERE source = 'statement';
