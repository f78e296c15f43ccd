CREATE TABLE settings (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL CHECK (json_valid(value))
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
    name       TEXT    NOT NULL PRIMARY KEY,
    sealed     BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    retired_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE counters (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL CHECK (value >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE admin_tokens (
    id         TEXT    NOT NULL PRIMARY KEY,
    label      TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE products (
    id               TEXT    NOT NULL PRIMARY KEY,
    number           INTEGER NOT NULL UNIQUE,
    handle           TEXT    NOT NULL UNIQUE,
    status           TEXT    NOT NULL CHECK (status IN ('active', 'draft', 'archived')),
    title            TEXT    NOT NULL CHECK (title <> ''),
    title_key        TEXT    NOT NULL,
    description_html TEXT    NOT NULL,
    vendor           TEXT    NOT NULL,
    type             TEXT    NOT NULL,
    options          TEXT    NOT NULL CHECK (json_valid(options)),
    seo_title        TEXT    NOT NULL,
    seo_description  TEXT    NOT NULL,
    metadata         TEXT    NOT NULL CHECK (json_valid(metadata)),
    price            INTEGER NOT NULL CHECK (price >= 0),
    price_max        INTEGER NOT NULL CHECK (price_max >= price),
    on_sale          INTEGER NOT NULL CHECK (on_sale IN (0, 1)),
    sold             INTEGER NOT NULL DEFAULT 0,
    published_at     INTEGER,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX products_by_created   ON products (status, created_at, id, published_at);
CREATE INDEX products_by_updated   ON products (status, updated_at, id, published_at);
CREATE INDEX products_by_title     ON products (status, title_key, id, published_at);
CREATE INDEX products_by_price     ON products (status, price, id, published_at);
CREATE INDEX products_by_sold      ON products (status, sold, id, published_at);
CREATE INDEX products_by_published ON products (status, published_at);

CREATE TABLE images (
    id         TEXT    NOT NULL PRIMARY KEY,
    product_id TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    url        TEXT    NOT NULL CHECK (url <> ''),
    alt        TEXT    NOT NULL,
    width      INTEGER CHECK (width > 0),
    height     INTEGER CHECK (height > 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX images_by_product ON images (product_id, position);

CREATE TABLE variants (
    id               TEXT    NOT NULL PRIMARY KEY,
    product_id       TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position         INTEGER NOT NULL,
    sku              TEXT    NOT NULL,
    barcode          TEXT    NOT NULL,
    option1          TEXT    NOT NULL,
    option2          TEXT    NOT NULL,
    option3          TEXT    NOT NULL,
    price            INTEGER NOT NULL CHECK (price >= 0),
    compare_at_price INTEGER CHECK (compare_at_price >= 0),
    weight_grams     INTEGER NOT NULL CHECK (weight_grams >= 0),
    image_id         TEXT    REFERENCES images (id) ON DELETE SET NULL,
    tracked          INTEGER NOT NULL CHECK (tracked IN (0, 1)),
    backorder        INTEGER NOT NULL CHECK (backorder IN (0, 1)),
    stock            INTEGER NOT NULL DEFAULT 0,
    low_stock        INTEGER NOT NULL CHECK (low_stock >= 0),
    UNIQUE (product_id, option1, option2, option3),
    CONSTRAINT never_oversold CHECK (stock >= 0 OR tracked = 0 OR backorder = 1)
) STRICT, WITHOUT ROWID;
CREATE INDEX variants_by_product ON variants (product_id, position);
CREATE INDEX variants_by_sku     ON variants (sku) WHERE sku <> '';
CREATE INDEX variants_by_image   ON variants (image_id) WHERE image_id IS NOT NULL;

CREATE TABLE stock_movements (
    id         TEXT    NOT NULL PRIMARY KEY,
    variant_id TEXT    NOT NULL REFERENCES variants (id) ON DELETE CASCADE,
    delta      INTEGER NOT NULL CHECK (delta <> 0),
    reason     TEXT    NOT NULL CHECK (reason IN ('import', 'adjustment', 'order', 'cancel', 'expiry', 'return')),
    order_id   TEXT    REFERENCES orders (id),
    note       TEXT    NOT NULL,
    at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stock_movements_by_variant ON stock_movements (variant_id, id);
CREATE INDEX stock_movements_by_order   ON stock_movements (order_id) WHERE order_id IS NOT NULL;

CREATE TABLE product_tags (
    product_id TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    tag_key    TEXT    NOT NULL,
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
    image_url        TEXT    NOT NULL,
    image_alt        TEXT    NOT NULL,
    position         INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX collections_by_position ON collections (position, id);

CREATE TABLE collection_products (
    collection_id TEXT    NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    product_id    TEXT    NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    PRIMARY KEY (collection_id, product_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_products_by_position ON collection_products (collection_id, position, product_id);
CREATE INDEX collection_products_by_product  ON collection_products (product_id);

CREATE VIRTUAL TABLE product_search USING fts5 (
    title, tags, vendor, type, skus, description,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

CREATE TABLE customers (
    id                TEXT    NOT NULL PRIMARY KEY,
    name              TEXT    NOT NULL,
    email             TEXT    UNIQUE,
    phone             TEXT    UNIQUE,
    email_verified_at INTEGER,
    phone_verified_at INTEGER,
    password_hash     TEXT,
    password_reset    INTEGER NOT NULL DEFAULT 0 CHECK (password_reset IN (0, 1)),
    token_version     INTEGER NOT NULL DEFAULT 1,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    CHECK (email IS NOT NULL OR phone IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX customers_by_created ON customers (created_at, id);

CREATE TABLE addresses (
    id          TEXT    NOT NULL PRIMARY KEY,
    customer_id TEXT    NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    line1       TEXT    NOT NULL,
    line2       TEXT    NOT NULL,
    area        TEXT    NOT NULL,
    city        TEXT    NOT NULL,
    postcode    TEXT    NOT NULL,
    country     TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX addresses_by_customer ON addresses (customer_id, position);

CREATE TABLE otp_codes (
    id          TEXT    NOT NULL PRIMARY KEY,
    phone       TEXT    NOT NULL,
    client      BLOB    NOT NULL,
    code_hash   BLOB    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('sending', 'sent', 'unknown')),
    message_id  TEXT    NOT NULL,
    segments    INTEGER NOT NULL CHECK (segments > 0),
    wrong_tries INTEGER NOT NULL DEFAULT 0 CHECK (wrong_tries BETWEEN 0 AND 3),
    used_at     INTEGER,
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX otp_codes_by_phone       ON otp_codes (phone, created_at, id);
CREATE INDEX otp_codes_by_age         ON otp_codes (created_at);
CREATE INDEX unverified_otp_by_client ON otp_codes (client, created_at) WHERE used_at IS NULL;
CREATE INDEX unverified_otp_by_age    ON otp_codes (created_at, segments) WHERE used_at IS NULL;
CREATE INDEX tried_otp_by_age         ON otp_codes (created_at, wrong_tries) WHERE wrong_tries > 0;

CREATE TABLE failures (
    key        BLOB    NOT NULL PRIMARY KEY,
    count      INTEGER NOT NULL CHECK (count > 0),
    first_at   INTEGER NOT NULL,
    last_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_by_expiry ON failures (expires_at);

CREATE TABLE coupons (
    id             TEXT    NOT NULL PRIMARY KEY,
    code           TEXT    NOT NULL,
    code_key       TEXT    NOT NULL UNIQUE,
    kind           TEXT    NOT NULL CHECK (kind IN ('percentage', 'fixed', 'free_delivery')),
    basis_points   INTEGER CHECK (basis_points BETWEEN 1 AND 10000),
    amount         INTEGER CHECK (amount > 0),
    max_discount   INTEGER CHECK (max_discount > 0),
    min_subtotal   INTEGER NOT NULL DEFAULT 0 CHECK (min_subtotal >= 0),
    starts_at      INTEGER,
    ends_at        INTEGER,
    usage_limit    INTEGER CHECK (usage_limit > 0),
    customer_limit INTEGER CHECK (customer_limit > 0),
    requires_login INTEGER NOT NULL DEFAULT 0 CHECK (requires_login IN (0, 1)),
    active         INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    scoped         INTEGER NOT NULL DEFAULT 0 CHECK (scoped IN (0, 1)),
    used           INTEGER NOT NULL DEFAULT 0,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    CHECK ((kind = 'percentage') = (basis_points IS NOT NULL)),
    CHECK ((kind = 'fixed') = (amount IS NOT NULL)),
    CONSTRAINT usage_limit_held CHECK (used >= 0 AND (usage_limit IS NULL OR used <= usage_limit))
) STRICT, WITHOUT ROWID;

CREATE TABLE coupon_scopes (
    coupon_id     TEXT NOT NULL REFERENCES coupons (id) ON DELETE CASCADE,
    product_id    TEXT REFERENCES products (id) ON DELETE CASCADE,
    collection_id TEXT REFERENCES collections (id) ON DELETE CASCADE,
    CHECK ((product_id IS NULL) <> (collection_id IS NULL)),
    UNIQUE (coupon_id, product_id, collection_id)
) STRICT;
CREATE INDEX coupon_scopes_by_product    ON coupon_scopes (product_id) WHERE product_id IS NOT NULL;
CREATE INDEX coupon_scopes_by_collection ON coupon_scopes (collection_id) WHERE collection_id IS NOT NULL;

CREATE TABLE orders (
    id                 TEXT    NOT NULL PRIMARY KEY,
    number             INTEGER NOT NULL UNIQUE,
    status             TEXT    NOT NULL
        CHECK (status IN ('pending', 'pending_payment', 'confirmed', 'processing', 'completed', 'cancelled', 'expired', 'returned')),
    payment_status     TEXT    NOT NULL CHECK (payment_status IN ('unpaid', 'pending', 'paid', 'needs_review', 'refund_due', 'refunded')),
    fulfillment_status TEXT    NOT NULL
        CHECK (fulfillment_status IN ('unfulfilled', 'in_progress', 'partially_delivered', 'delivered', 'returning', 'returned')),
    payment_method     TEXT    NOT NULL CHECK (payment_method IN ('cod', 'gateway_a', 'gateway_b')),
    test               INTEGER NOT NULL CHECK (test IN (0, 1)),
    customer_id        TEXT    REFERENCES customers (id) ON DELETE SET NULL,
    customer_name      TEXT    NOT NULL,
    customer_phone     TEXT    NOT NULL,
    customer_email     TEXT,
    line1              TEXT    NOT NULL,
    line2              TEXT    NOT NULL,
    area               TEXT    NOT NULL,
    city               TEXT    NOT NULL,
    postcode           TEXT    NOT NULL,
    country            TEXT    NOT NULL,
    note               TEXT    NOT NULL,
    delivery_charge_id TEXT    NOT NULL,
    delivery_name      TEXT    NOT NULL,
    coupon_id          TEXT    REFERENCES coupons (id),
    coupon_code        TEXT,
    subtotal           INTEGER NOT NULL CHECK (subtotal >= 0),
    discount           INTEGER NOT NULL CHECK (discount BETWEEN 0 AND subtotal),
    delivery_charge    INTEGER NOT NULL CHECK (delivery_charge >= 0),
    rounding           INTEGER NOT NULL CHECK (rounding >= 0),
    total              INTEGER NOT NULL CHECK (total >= 0),
    cancel_reason      TEXT    NOT NULL DEFAULT '',
    placed_at          INTEGER NOT NULL,
    expires_at         INTEGER,
    updated_at         INTEGER NOT NULL,
    CONSTRAINT total_is_the_sum         CHECK (total = subtotal - discount + delivery_charge - rounding),
    CONSTRAINT cash_waits_for_no_gateway CHECK (status <> 'pending_payment' OR payment_method <> 'cod'),
    CONSTRAINT only_the_unpaid_expire   CHECK (expires_at IS NULL OR status = 'pending_payment'),
    CONSTRAINT completed_is_delivered   CHECK (status <> 'completed' OR fulfillment_status = 'delivered'
        AND payment_status NOT IN ('unpaid', 'pending')),
    CONSTRAINT returned_is_back         CHECK (status <> 'returned' OR fulfillment_status = 'returned'),
    CONSTRAINT the_dead_keep_no_money   CHECK (status NOT IN ('cancelled', 'expired', 'returned') OR payment_status <> 'paid' OR total = 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX orders_by_customer ON orders (customer_id, placed_at, id) WHERE customer_id IS NOT NULL;
CREATE INDEX orders_by_phone    ON orders (customer_phone, placed_at, id);
CREATE INDEX orders_by_placed   ON orders (placed_at, id);
CREATE INDEX orders_by_status   ON orders (status, placed_at, id);
CREATE INDEX orders_by_expiry   ON orders (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX orders_by_coupon   ON orders (coupon_id, customer_phone) WHERE coupon_id IS NOT NULL;

CREATE TABLE order_items (
    order_id      TEXT    NOT NULL REFERENCES orders (id),
    position      INTEGER NOT NULL,
    product_id    TEXT    NOT NULL,
    variant_id    TEXT    NOT NULL,
    title         TEXT    NOT NULL,
    variant_title TEXT    NOT NULL,
    sku           TEXT    NOT NULL,
    image_url     TEXT    NOT NULL,
    quantity      INTEGER NOT NULL CHECK (quantity > 0),
    unit_price    INTEGER NOT NULL CHECK (unit_price >= 0),
    discount      INTEGER NOT NULL CHECK (discount >= 0),
    stock_taken   INTEGER NOT NULL CHECK (stock_taken IN (0, 1)),
    PRIMARY KEY (order_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE order_events (
    id       TEXT    NOT NULL PRIMARY KEY,
    order_id TEXT    NOT NULL REFERENCES orders (id),
    type     TEXT    NOT NULL CHECK (type <> ''),
    message  TEXT    NOT NULL,
    cause    TEXT    NOT NULL CHECK (cause IN ('buyer', 'staff', 'shop', 'gateway_a', 'gateway_b', 'courier_a', 'courier_b')),
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX order_events_by_order ON order_events (order_id, at, id);

CREATE TABLE payment_attempts (
    id             TEXT    NOT NULL PRIMARY KEY,
    order_id       TEXT    NOT NULL REFERENCES orders (id),
    method         TEXT    NOT NULL CHECK (method IN ('gateway_a', 'gateway_b')),
    mode           TEXT    NOT NULL CHECK (mode IN ('live', 'sandbox')),
    status         TEXT    NOT NULL
        CHECK (status IN ('initiated', 'pending', 'succeeded', 'failed', 'cancelled', 'expired', 'needs_review', 'refund_due', 'refunded')),
    amount         INTEGER NOT NULL CHECK (amount > 0),
    external_id    TEXT,
    transaction_id TEXT    NOT NULL,
    redirect_url   TEXT    NOT NULL,
    error_code     TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (method, mode, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_attempts_by_order ON payment_attempts (order_id, id);
CREATE INDEX payment_attempts_open     ON payment_attempts (created_at) WHERE status IN ('initiated', 'pending');

CREATE TABLE payment_checks (
    attempt_id TEXT    NOT NULL PRIMARY KEY REFERENCES payment_attempts (id),
    signature  TEXT    NOT NULL,
    claimed_at INTEGER,
    reason     TEXT    NOT NULL,
    refund_id  TEXT    NOT NULL,
    refunding  INTEGER NOT NULL CHECK (refunding IN (0, 1)),
    asked      INTEGER NOT NULL CHECK (asked >= 0),
    due_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_checks_due ON payment_checks (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE shipments (
    id             TEXT    NOT NULL PRIMARY KEY,
    order_id       TEXT    NOT NULL REFERENCES orders (id),
    provider       TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b')),
    consignment_id TEXT    CHECK (consignment_id <> ''),
    tracking_code  TEXT    NOT NULL,
    status         TEXT    NOT NULL
        CHECK (status IN ('created', 'pickup_requested', 'picked', 'at_hub', 'in_transit', 'out_for_delivery', 'delivered',
                                           'partially_delivered', 'on_hold', 'delivery_failed', 'returning', 'returned', 'cancelled', 'exchanged')),
    moved_at       INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (provider, consignment_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX shipments_by_order ON shipments (order_id, id);

CREATE TABLE idempotency_keys (
    scope       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    order_id    TEXT    NOT NULL REFERENCES orders (id),
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE provider_calls (
    id           TEXT    NOT NULL PRIMARY KEY,
    provider     TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b', 'gateway_a', 'gateway_b')),
    key          BLOB    NOT NULL,
    content_type TEXT    NOT NULL,
    body         BLOB    NOT NULL,
    event        TEXT    NOT NULL,
    verdict      TEXT    NOT NULL CHECK (verdict IN ('stored', 'applied', 'ignored', 'unmatched', 'malformed', 'failed')),
    reason       TEXT    NOT NULL,
    order_id     TEXT    REFERENCES orders (id),
    copies       INTEGER NOT NULL CHECK (copies > 0),
    received_at  INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    UNIQUE (provider, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX provider_calls_by_age     ON provider_calls (received_at);
CREATE INDEX provider_calls_by_verdict ON provider_calls (verdict, id);

CREATE TABLE refused_calls (
    provider TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b', 'gateway_a', 'gateway_b')),
    slot     INTEGER NOT NULL,
    reason   TEXT    NOT NULL,
    calls    INTEGER NOT NULL CHECK (calls > 0),
    at       INTEGER NOT NULL,
    PRIMARY KEY (provider, slot)
) STRICT, WITHOUT ROWID;

CREATE TABLE parcel_bookings (
    id          TEXT    NOT NULL PRIMARY KEY,
    order_id    TEXT    NOT NULL REFERENCES orders (id),
    provider    TEXT    NOT NULL CHECK (provider IN ('courier_a', 'courier_b')),
    ref         TEXT    NOT NULL,
    mode        TEXT    NOT NULL CHECK (mode IN ('live', 'sandbox')),
    cash        INTEGER NOT NULL CHECK (cash >= 0),
    shipment_id TEXT    REFERENCES shipments (id),
    asked_at    INTEGER NOT NULL,
    UNIQUE (provider, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX parcel_bookings_by_order    ON parcel_bookings (order_id);
CREATE INDEX parcel_bookings_by_shipment ON parcel_bookings (shipment_id) WHERE shipment_id IS NOT NULL;

CREATE TABLE parcel_events (
    id          TEXT    NOT NULL PRIMARY KEY,
    shipment_id TEXT    NOT NULL REFERENCES shipments (id),
    event       TEXT    NOT NULL,
    status      TEXT    NOT NULL,
    note        TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    UNIQUE (shipment_id, at, event, note)
) STRICT, WITHOUT ROWID;

CREATE TABLE waiting_calls (
    provider       TEXT NOT NULL CHECK (provider IN ('courier_a', 'courier_b')),
    consignment_id TEXT NOT NULL,
    call_id        TEXT NOT NULL REFERENCES provider_calls (id) ON DELETE CASCADE,
    PRIMARY KEY (provider, consignment_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_calls_by_call ON waiting_calls (call_id);

CREATE TABLE cash_entries (
    id          TEXT    NOT NULL PRIMARY KEY,
    shipment_id TEXT    NOT NULL REFERENCES shipments (id),
    kind        TEXT    NOT NULL CHECK (kind IN ('due', 'collected', 'fee', 'remitted')),
    amount      INTEGER CHECK (amount >= 0),
    source      TEXT    NOT NULL CHECK (source IN ('order', 'event', 'statement')),
    reference   TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    UNIQUE (shipment_id, kind, source, reference, at),
    CONSTRAINT only_payouts_may_be_untold CHECK (amount IS NOT NULL OR kind = 'remitted')
) STRICT, WITHOUT ROWID;
CREATE INDEX cash_entries_by_statement ON cash_entries (reference) WHERE source = 'statement';
