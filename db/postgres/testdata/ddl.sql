CREATE TABLE meta (
	schema bigint NOT NULL,
	made_at bigint NOT NULL
);

CREATE TABLE shops (
	number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	space text COLLATE "C" NOT NULL,
	uid text COLLATE "C" NOT NULL,
	UNIQUE (space, uid)
);

CREATE TABLE installations (
	space text COLLATE "C" PRIMARY KEY,
	owner text COLLATE "C" NOT NULL
);

CREATE TABLE shared_values (
	space text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	value bytea NOT NULL,
	stored_at bigint NOT NULL,
	PRIMARY KEY (space, name)
);

CREATE TABLE shared_locks (
	space text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	holder text COLLATE "C" NOT NULL,
	until bigint NOT NULL,
	PRIMARY KEY (space, name)
);

CREATE TABLE engine_state (
	shop bigint PRIMARY KEY,
	version bigint NOT NULL,
	schema bigint NOT NULL,
	state text COLLATE "C" NOT NULL,
	touched bigint NOT NULL,
	token bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE settings (
	shop bigint NOT NULL,
	key text COLLATE "C" NOT NULL,
	value text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, key),
	CHECK (value IS NULL OR value::json IS NOT NULL)
);

CREATE TABLE secrets (
	shop bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	sealed bytea NOT NULL,
	created_at bigint NOT NULL,
	retired_at bigint,
	PRIMARY KEY (shop, name)
);

CREATE TABLE counters (
	shop bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	value bigint NOT NULL,
	PRIMARY KEY (shop, name),
	CHECK (value >= 0)
);

CREATE TABLE admin_tokens (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	label text COLLATE "C" NOT NULL,
	hash bytea NOT NULL,
	created_at bigint NOT NULL,
	expires_at bigint,
	scopes text COLLATE "C" NOT NULL DEFAULT '["*"]',
	used_at bigint,
	created_by text COLLATE "C",
	PRIMARY KEY (shop, id),
	UNIQUE (shop, hash),
	CHECK (scopes IS NULL OR scopes::json IS NOT NULL),
	CHECK (created_by IS NULL OR created_by::json IS NOT NULL)
);

CREATE TABLE products (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	number bigint NOT NULL,
	handle text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	title text COLLATE "C" NOT NULL,
	title_key text COLLATE "C" NOT NULL,
	title_bn text COLLATE "C" NOT NULL DEFAULT '',
	title_en text COLLATE "C" NOT NULL DEFAULT '',
	description_html text COLLATE "C" NOT NULL,
	vendor text COLLATE "C" NOT NULL,
	type text COLLATE "C" NOT NULL,
	options text COLLATE "C" NOT NULL,
	seo_title text COLLATE "C" NOT NULL,
	seo_description text COLLATE "C" NOT NULL,
	metadata text COLLATE "C" NOT NULL,
	price bigint NOT NULL,
	price_max bigint NOT NULL,
	on_sale bigint NOT NULL,
	sold bigint NOT NULL DEFAULT 0,
	quantity_prices text COLLATE "C",
	rating_count bigint NOT NULL DEFAULT 0,
	rating_sum bigint NOT NULL DEFAULT 0,
	published_at bigint,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, number),
	UNIQUE (shop, handle),
	CHECK (status in ('active', 'draft', 'archived')),
	CHECK (title <> ''),
	CHECK (options IS NULL OR options::json IS NOT NULL),
	CHECK (metadata IS NULL OR metadata::json IS NOT NULL),
	CHECK (price >= 0),
	CHECK (price_max >= price),
	CHECK (on_sale in (0, 1)),
	CHECK (quantity_prices IS NULL OR quantity_prices::json IS NOT NULL),
	CHECK (rating_count >= 0)
);

CREATE TABLE product_revisions (
	shop bigint NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	revision bigint NOT NULL,
	changed bigint NOT NULL,
	PRIMARY KEY (shop, product_id)
);

CREATE TABLE product_removals (
	shop bigint NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	changed bigint NOT NULL,
	PRIMARY KEY (shop, product_id)
);

CREATE TABLE images (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	url text COLLATE "C" NOT NULL,
	alt text COLLATE "C" NOT NULL,
	width bigint,
	height bigint,
	media_id text COLLATE "C",
	PRIMARY KEY (shop, id),
	CHECK (url <> ''),
	CHECK (width > 0),
	CHECK (height > 0)
);

CREATE TABLE media (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	alt text COLLATE "C" NOT NULL,
	alt_key text COLLATE "C" NOT NULL,
	width bigint NOT NULL,
	height bigint NOT NULL,
	bytes bigint NOT NULL,
	format text COLLATE "C" NOT NULL,
	renditions text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	unused_at bigint,
	deleted_at bigint,
	purging bigint NOT NULL DEFAULT 0,
	hashes text COLLATE "C" NOT NULL DEFAULT '[]',
	colour text COLLATE "C" NOT NULL DEFAULT '',
	PRIMARY KEY (shop, id),
	CHECK (width > 0),
	CHECK (height > 0),
	CHECK (bytes > 0),
	CHECK (format in ('jpg', 'png')),
	CHECK (renditions IS NULL OR renditions::json IS NOT NULL),
	CHECK (purging in (0, 1)),
	CHECK (hashes IS NULL OR hashes::json IS NOT NULL)
);

CREATE TABLE product_handles (
	shop bigint NOT NULL,
	handle text COLLATE "C" NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, handle)
);

CREATE TABLE variants (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	sku text COLLATE "C" NOT NULL,
	barcode text COLLATE "C" NOT NULL,
	option1 text COLLATE "C" NOT NULL,
	option2 text COLLATE "C" NOT NULL,
	option3 text COLLATE "C" NOT NULL,
	price bigint NOT NULL,
	compare_at_price bigint,
	weight_grams bigint NOT NULL,
	image_id text COLLATE "C",
	tracked bigint NOT NULL,
	backorder bigint NOT NULL,
	stock bigint NOT NULL DEFAULT 0,
	low_stock bigint NOT NULL,
	cost bigint,
	PRIMARY KEY (shop, id),
	CHECK (price >= 0),
	CHECK (compare_at_price >= 0),
	CHECK (weight_grams >= 0),
	CHECK (tracked in (0, 1)),
	CHECK (backorder in (0, 1)),
	CHECK (low_stock >= 0),
	CHECK (cost >= 0),
	UNIQUE (shop, product_id, option1, option2, option3),
	CONSTRAINT never_oversold CHECK (stock >= 0 or tracked = 0 or backorder = 1)
);

CREATE TABLE stock_movements (
	shop bigint NOT NULL,
	variant_id text COLLATE "C" NOT NULL,
	id text COLLATE "C" NOT NULL,
	delta bigint NOT NULL,
	reason text COLLATE "C" NOT NULL,
	order_number bigint,
	note text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	CHECK (delta <> 0),
	CHECK (reason = 'import' or reason = 'adjustment' or reason = 'order' or reason = 'cancel' or reason = 'expiry' or reason = 'return' or reason = 'edit' or reason = 'damaged'),
	PRIMARY KEY (shop, variant_id, id)
);

CREATE TABLE product_tags (
	shop bigint NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	tag_key text COLLATE "C" NOT NULL,
	tag text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	PRIMARY KEY (shop, product_id, tag_key)
);

CREATE TABLE collections (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	handle text COLLATE "C" NOT NULL,
	title text COLLATE "C" NOT NULL,
	title_key text COLLATE "C" NOT NULL,
	description_html text COLLATE "C" NOT NULL,
	image_url text COLLATE "C" NOT NULL,
	image_alt text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	media_id text COLLATE "C",
	PRIMARY KEY (shop, id),
	UNIQUE (shop, handle),
	CHECK (title <> '')
);

CREATE TABLE collection_handles (
	shop bigint NOT NULL,
	handle text COLLATE "C" NOT NULL,
	collection_id text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, handle)
);

CREATE TABLE collection_products (
	shop bigint NOT NULL,
	collection_id text COLLATE "C" NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	PRIMARY KEY (shop, collection_id, product_id)
);

CREATE TABLE product_search (
	shop bigint NOT NULL,
	number bigint NOT NULL,
	doc tsvector NOT NULL,
	PRIMARY KEY (shop, number)
);

CREATE TABLE search_words (
	shop bigint NOT NULL,
	length bigint NOT NULL,
	word text COLLATE "C" NOT NULL,
	reversed text COLLATE "C" NOT NULL,
	sound text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, length, word)
);

CREATE TABLE imports (
	shop bigint NOT NULL,
	id bigint NOT NULL,
	first_id text COLLATE "C" NOT NULL,
	last_id text COLLATE "C" NOT NULL,
	started_at bigint NOT NULL,
	columns text COLLATE "C" NOT NULL DEFAULT '[]',
	committed_at bigint,
	PRIMARY KEY (shop, id),
	CHECK (id = 1),
	CHECK (columns IS NULL OR columns::json IS NOT NULL)
);

CREATE TABLE import_changes (
	shop bigint NOT NULL,
	position bigint NOT NULL,
	product text COLLATE "C" NOT NULL,
	sanitized bigint NOT NULL,
	PRIMARY KEY (shop, position),
	CHECK (product IS NULL OR product::json IS NOT NULL),
	CHECK (sanitized in (0, 1))
);

CREATE TABLE customers (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	email text COLLATE "C",
	phone text COLLATE "C",
	email_verified_at bigint,
	phone_verified_at bigint,
	email_trusted bigint NOT NULL DEFAULT 1,
	phone_trusted bigint NOT NULL DEFAULT 1,
	password_hash text COLLATE "C",
	password_reset bigint NOT NULL DEFAULT 0,
	token_version bigint NOT NULL DEFAULT 1,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	orders bigint NOT NULL DEFAULT 0,
	spent bigint NOT NULL DEFAULT 0,
	last_order_at bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, email),
	UNIQUE (shop, phone),
	CHECK (email_trusted in (0, 1)),
	CHECK (phone_trusted in (0, 1)),
	CHECK (password_reset in (0, 1)),
	CHECK (orders >= 0),
	CHECK (spent >= 0)
);

CREATE TABLE addresses (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	customer_id text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	line1 text COLLATE "C" NOT NULL,
	line2 text COLLATE "C" NOT NULL,
	area text COLLATE "C" NOT NULL,
	city text COLLATE "C" NOT NULL,
	postcode text COLLATE "C" NOT NULL,
	country text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, id)
);

CREATE TABLE otp_codes (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	phone text COLLATE "C" NOT NULL,
	client bytea NOT NULL,
	code_hash bytea NOT NULL,
	state text COLLATE "C" NOT NULL,
	message_id text COLLATE "C" NOT NULL,
	segments bigint NOT NULL,
	wrong_tries bigint NOT NULL DEFAULT 0,
	own_tries bigint NOT NULL DEFAULT 0,
	used_at bigint,
	created_at bigint NOT NULL,
	network bytea,
	PRIMARY KEY (shop, id),
	CHECK (state in ('sending', 'sent', 'unknown')),
	CHECK (segments > 0),
	CHECK (wrong_tries between 0 and 6),
	CHECK (own_tries between 0 and 3)
);

CREATE TABLE email_codes (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	email text COLLATE "C" NOT NULL,
	purpose text COLLATE "C" NOT NULL,
	client bytea NOT NULL,
	network bytea,
	code_hash bytea NOT NULL,
	state text COLLATE "C" NOT NULL,
	message_id text COLLATE "C" NOT NULL,
	wrong_tries bigint NOT NULL DEFAULT 0,
	own_tries bigint NOT NULL DEFAULT 0,
	used_at bigint,
	created_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	CHECK (purpose in ('sign_in', 'password_reset')),
	CHECK (state in ('sending', 'sent', 'unknown', 'withheld')),
	CHECK (wrong_tries between 0 and 6),
	CHECK (own_tries between 0 and 3)
);

CREATE TABLE known_clients (
	shop bigint NOT NULL,
	customer_id text COLLATE "C" NOT NULL,
	client bytea NOT NULL,
	last_at bigint NOT NULL,
	PRIMARY KEY (shop, customer_id, client)
);

CREATE TABLE customer_passkeys (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	customer_id text COLLATE "C" NOT NULL,
	credential_id bytea NOT NULL,
	public_key bytea NOT NULL,
	user_handle bytea NOT NULL,
	sign_count bigint NOT NULL,
	backup_eligible bigint NOT NULL,
	backed_up bigint NOT NULL,
	transports text COLLATE "C" NOT NULL,
	rp_id text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	used_at bigint,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, credential_id),
	CHECK (sign_count >= 0),
	CHECK (backup_eligible in (0, 1)),
	CHECK (backed_up in (0, 1)),
	CHECK (transports IS NULL OR transports::json IS NOT NULL)
);

CREATE TABLE failures (
	shop bigint NOT NULL,
	key bytea NOT NULL,
	count bigint NOT NULL,
	first_at bigint NOT NULL,
	last_at bigint NOT NULL,
	expires_at bigint NOT NULL,
	PRIMARY KEY (shop, key),
	CHECK (count > 0)
);

CREATE TABLE work_proofs (
	shop bigint NOT NULL,
	key bytea NOT NULL,
	expires_at bigint NOT NULL,
	PRIMARY KEY (shop, key)
);

CREATE TABLE staff (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	email text COLLATE "C",
	phone text COLLATE "C",
	role text COLLATE "C" NOT NULL,
	grants text COLLATE "C" NOT NULL,
	denies text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	password_hash text COLLATE "C",
	totp_step bigint,
	language text COLLATE "C" NOT NULL,
	theme text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	notify text COLLATE "C" NOT NULL DEFAULT '{}',
	PRIMARY KEY (shop, id),
	UNIQUE (shop, email),
	UNIQUE (shop, phone),
	CHECK (role in ('owner', 'manager', 'staff', 'packer', 'viewer')),
	CHECK (grants IS NULL OR grants::json IS NOT NULL),
	CHECK (denies IS NULL OR denies::json IS NOT NULL),
	CHECK (status in ('invited', 'active', 'off')),
	CHECK (language in ('bn', 'en')),
	CHECK (theme in ('system', 'light', 'dark')),
	CHECK (notify IS NULL OR notify::json IS NOT NULL),
	CONSTRAINT staff_have_a_contact CHECK (email is not null or phone is not null)
);

CREATE TABLE staff_recovery (
	shop bigint NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	hash bytea NOT NULL,
	used_at bigint,
	PRIMARY KEY (shop, staff_id, hash)
);

CREATE TABLE staff_passkeys (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	credential_id bytea NOT NULL,
	public_key bytea NOT NULL,
	user_handle bytea NOT NULL,
	sign_count bigint NOT NULL,
	backup_eligible bigint NOT NULL,
	backed_up bigint NOT NULL,
	transports text COLLATE "C" NOT NULL,
	rp_id text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	used_at bigint,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, credential_id),
	CHECK (sign_count >= 0),
	CHECK (backup_eligible in (0, 1)),
	CHECK (backed_up in (0, 1)),
	CHECK (transports IS NULL OR transports::json IS NOT NULL)
);

CREATE TABLE passkey_challenges (
	shop bigint NOT NULL,
	hash bytea NOT NULL,
	expires_at bigint NOT NULL,
	PRIMARY KEY (shop, hash)
);

CREATE TABLE staff_links (
	shop bigint NOT NULL,
	hash bytea NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	created_by text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	expires_at bigint NOT NULL,
	PRIMARY KEY (shop, hash),
	CHECK (kind in ('invite', 'reset')),
	CHECK (created_by IS NULL OR created_by::json IS NOT NULL)
);

CREATE TABLE staff_sessions (
	shop bigint NOT NULL,
	hash bytea NOT NULL,
	id text COLLATE "C" NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	client text COLLATE "C" NOT NULL,
	agent text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	seen_at bigint NOT NULL,
	proved_at bigint NOT NULL,
	expires_at bigint NOT NULL,
	PRIMARY KEY (shop, hash),
	UNIQUE (shop, id)
);

CREATE TABLE operator_visits (
	shop bigint NOT NULL,
	hash bytea NOT NULL,
	id text COLLATE "C" NOT NULL,
	operator_id text COLLATE "C" NOT NULL,
	operator_name text COLLATE "C" NOT NULL,
	session_id text COLLATE "C" NOT NULL,
	language text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	client text COLLATE "C" NOT NULL,
	agent text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	expires_at bigint NOT NULL,
	PRIMARY KEY (shop, hash),
	UNIQUE (shop, id),
	CHECK (language in ('bn', 'en')),
	CHECK (reason <> '')
);

CREATE TABLE plan_warnings (
	shop bigint NOT NULL,
	month text COLLATE "C" NOT NULL,
	subject text COLLATE "C" NOT NULL,
	percent bigint NOT NULL,
	CHECK (percent in (80, 100)),
	PRIMARY KEY (shop, month, subject)
);

CREATE TABLE staff_codes (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	client bytea NOT NULL,
	network bytea NOT NULL,
	code_hash bytea NOT NULL,
	state text COLLATE "C" NOT NULL,
	message_id text COLLATE "C" NOT NULL,
	wrong_tries bigint NOT NULL DEFAULT 0,
	own_tries bigint NOT NULL DEFAULT 0,
	used_at bigint,
	created_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	CHECK (state in ('sending', 'sent', 'unknown')),
	CHECK (wrong_tries between 0 and 6),
	CHECK (own_tries between 0 and 3)
);

CREATE TABLE staff_requests (
	shop bigint NOT NULL,
	actor text COLLATE "C" NOT NULL,
	operation text COLLATE "C" NOT NULL,
	key text COLLATE "C" NOT NULL,
	fingerprint bytea NOT NULL,
	nonce text COLLATE "C" NOT NULL,
	status bigint,
	body bytea,
	created_at bigint NOT NULL,
	etag text COLLATE "C" NOT NULL DEFAULT '',
	PRIMARY KEY (shop, actor, operation, key)
);

CREATE TABLE jobs (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	actor text COLLATE "C" NOT NULL,
	client text COLLATE "C" NOT NULL,
	request_id text COLLATE "C" NOT NULL,
	options text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	total bigint NOT NULL,
	done bigint NOT NULL DEFAULT 0,
	failed bigint NOT NULL DEFAULT 0,
	claim text COLLATE "C",
	claimed_until bigint,
	created_at bigint NOT NULL,
	finished_at bigint,
	retry_of text COLLATE "C",
	PRIMARY KEY (shop, id),
	CHECK (kind <> ''),
	CHECK (actor IS NULL OR actor::json IS NOT NULL),
	CHECK (options IS NULL OR options::json IS NOT NULL),
	CHECK (status in ('queued', 'running', 'done', 'cancelled'))
);

CREATE TABLE job_items (
	shop bigint NOT NULL,
	job_id text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	subject text COLLATE "C" NOT NULL,
	label text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	started_at bigint,
	code text COLLATE "C",
	message text COLLATE "C",
	warning text COLLATE "C",
	CHECK (status in ('waiting', 'running', 'done', 'failed')),
	PRIMARY KEY (shop, job_id, position)
);

CREATE TABLE audit_log (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	actor_kind text COLLATE "C" NOT NULL,
	actor_id text COLLATE "C" NOT NULL,
	actor_name text COLLATE "C" NOT NULL,
	via text COLLATE "C" NOT NULL,
	client text COLLATE "C" NOT NULL,
	request_id text COLLATE "C" NOT NULL,
	action text COLLATE "C" NOT NULL,
	subject_kind text COLLATE "C" NOT NULL,
	subject_id text COLLATE "C" NOT NULL,
	label text COLLATE "C" NOT NULL,
	changes text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, id),
	CHECK (actor_kind in ('staff', 'key', 'operator', 'cli')),
	CHECK (via in ('dashboard', 'api', 'cli', 'mcp')),
	CHECK (action <> ''),
	CHECK (changes IS NULL OR changes::json IS NOT NULL)
);

CREATE TABLE redirects (
	shop bigint NOT NULL,
	source text COLLATE "C" NOT NULL,
	target text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, source)
);

CREATE TABLE translations (
	shop bigint NOT NULL,
	kind text COLLATE "C" NOT NULL,
	id text COLLATE "C" NOT NULL,
	field text COLLATE "C" NOT NULL,
	language text COLLATE "C" NOT NULL,
	text text COLLATE "C" NOT NULL,
	CHECK (kind in ('product', 'collection', 'page', 'policy', 'delivery_charge', 'shop', 'tag', 'type', 'discount')),
	CHECK (language in ('bn', 'en')),
	CHECK (text <> ''),
	PRIMARY KEY (shop, kind, id, field, language)
);

CREATE TABLE designs (
	shop bigint NOT NULL,
	version bigint NOT NULL,
	document text COLLATE "C" NOT NULL,
	author text COLLATE "C" NOT NULL,
	saved_at bigint NOT NULL,
	PRIMARY KEY (shop, version),
	CHECK (document IS NULL OR document::json IS NOT NULL)
);

CREATE TABLE landing_pages (
	shop bigint NOT NULL,
	slug text COLLATE "C" NOT NULL,
	document text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, slug),
	CHECK (document IS NULL OR document::json IS NOT NULL)
);

CREATE TABLE menus (
	shop bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	items text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, name),
	CHECK (items IS NULL OR items::json IS NOT NULL)
);

CREATE TABLE design_images (
	shop bigint NOT NULL,
	owner text COLLATE "C" NOT NULL,
	media_id text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, owner, media_id)
);

CREATE TABLE coupons (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	code text COLLATE "C",
	code_key text COLLATE "C",
	title text COLLATE "C" NOT NULL DEFAULT '',
	kind text COLLATE "C" NOT NULL,
	basis_points bigint,
	amount bigint,
	max_discount bigint,
	min_subtotal bigint NOT NULL DEFAULT 0,
	starts_at bigint,
	ends_at bigint,
	usage_limit bigint,
	customer_limit bigint,
	requires_login bigint NOT NULL DEFAULT 0,
	active bigint NOT NULL DEFAULT 1,
	scoped bigint NOT NULL DEFAULT 0,
	used bigint NOT NULL DEFAULT 0,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	discount_given bigint NOT NULL DEFAULT 0,
	buy_quantity bigint,
	get_quantity bigint,
	got_scoped bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, code_key),
	CHECK (kind in ('percentage', 'fixed', 'free_delivery', 'buy_get')),
	CHECK (basis_points between 1 and 10000),
	CHECK (amount > 0),
	CHECK (max_discount > 0),
	CHECK (min_subtotal >= 0),
	CHECK (usage_limit > 0),
	CHECK (customer_limit > 0),
	CHECK (requires_login in (0, 1)),
	CHECK (active in (0, 1)),
	CHECK (scoped in (0, 1)),
	CHECK (discount_given >= 0),
	CHECK (buy_quantity between 1 and 100),
	CHECK (get_quantity between 1 and 100),
	CHECK (got_scoped in (0, 1)),
	CHECK ((code is null) = (code_key is null) and (code is null) = (title <> '')),
	CHECK ((kind = 'percentage' or kind = 'buy_get') = (basis_points is not null)),
	CHECK ((kind = 'fixed') = (amount is not null)),
	CHECK ((kind = 'buy_get') = (buy_quantity is not null) and (kind = 'buy_get') = (get_quantity is not null)),
	CHECK (kind <> 'buy_get' or code is null),
	CONSTRAINT usage_limit_held CHECK (used >= 0 and (usage_limit is null or used <= usage_limit))
);

CREATE TABLE coupon_scopes (
	shop bigint NOT NULL,
	coupon_id text COLLATE "C" NOT NULL,
	scope_id text COLLATE "C" NOT NULL,
	product_id text COLLATE "C",
	collection_id text COLLATE "C",
	got bigint NOT NULL DEFAULT 0,
	CHECK (got in (0, 1)),
	PRIMARY KEY (shop, coupon_id, scope_id, got),
	CHECK ((product_id is null) <> (collection_id is null)),
	CHECK (scope_id = coalesce(product_id, collection_id))
);

CREATE TABLE orders (
	shop bigint NOT NULL,
	number bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	payment_status text COLLATE "C" NOT NULL,
	fulfillment_status text COLLATE "C" NOT NULL,
	payment_method text COLLATE "C" NOT NULL,
	test bigint NOT NULL,
	customer_id text COLLATE "C",
	customer_name text COLLATE "C" NOT NULL,
	customer_phone text COLLATE "C" NOT NULL,
	customer_email text COLLATE "C",
	line1 text COLLATE "C" NOT NULL,
	line2 text COLLATE "C" NOT NULL,
	area text COLLATE "C" NOT NULL,
	city text COLLATE "C" NOT NULL,
	postcode text COLLATE "C" NOT NULL,
	country text COLLATE "C" NOT NULL,
	note text COLLATE "C" NOT NULL,
	delivery_charge_id text COLLATE "C" NOT NULL,
	delivery_name text COLLATE "C" NOT NULL,
	coupon_id text COLLATE "C",
	coupon_code text COLLATE "C",
	subtotal bigint NOT NULL,
	discount bigint NOT NULL,
	delivery_charge bigint NOT NULL,
	rounding bigint NOT NULL,
	total bigint NOT NULL,
	cancel_reason text COLLATE "C" NOT NULL DEFAULT '',
	placed_at bigint NOT NULL,
	expires_at bigint,
	updated_at bigint NOT NULL,
	client bytea,
	courier text COLLATE "C" NOT NULL DEFAULT '',
	shipment_status text COLLATE "C" NOT NULL DEFAULT '',
	attention text COLLATE "C" NOT NULL DEFAULT '',
	work bigint NOT NULL DEFAULT 0,
	source text COLLATE "C" NOT NULL DEFAULT 'storefront',
	placed_by text COLLATE "C",
	staff_discount bigint NOT NULL DEFAULT 0,
	discount_reason text COLLATE "C" NOT NULL DEFAULT '',
	quantity_discount bigint NOT NULL DEFAULT 0,
	advance bigint NOT NULL DEFAULT 0,
	advance_asked bigint NOT NULL DEFAULT 0,
	advance_reason text COLLATE "C" NOT NULL DEFAULT '',
	prepaid bigint NOT NULL DEFAULT 0,
	credited bigint NOT NULL DEFAULT 0,
	uncollected bigint NOT NULL DEFAULT 0,
	cash_paid bigint NOT NULL DEFAULT 0,
	cash_refunded bigint NOT NULL DEFAULT 0,
	paid bigint NOT NULL DEFAULT 0,
	refunded bigint NOT NULL DEFAULT 0,
	call_count bigint NOT NULL DEFAULT 0,
	last_call text COLLATE "C" NOT NULL DEFAULT '',
	last_call_at bigint,
	call_due_at bigint,
	claimed_by text COLLATE "C",
	claimed_until bigint,
	signed_in bigint NOT NULL DEFAULT 0,
	language text COLLATE "C" NOT NULL DEFAULT '',
	automatic_discount bigint NOT NULL DEFAULT 0,
	discounts text COLLATE "C",
	PRIMARY KEY (shop, number),
	UNIQUE (shop, id),
	CHECK (status = 'pending' or status = 'pending_payment' or status = 'confirmed' or status = 'processing' or status = 'completed' or status = 'cancelled' or status = 'expired' or status = 'returned'),
	CHECK (payment_status = 'unpaid' or payment_status = 'pending' or payment_status = 'paid' or payment_status = 'needs_review' or payment_status = 'refund_due' or payment_status = 'refunded' or payment_status = 'partially_refunded'),
	CHECK (fulfillment_status = 'unfulfilled' or fulfillment_status = 'in_progress' or fulfillment_status = 'partially_delivered' or fulfillment_status = 'delivered' or fulfillment_status = 'returning' or fulfillment_status = 'returned'),
	CHECK (payment_method = 'cod' or payment_method = 'gateway_a' or payment_method = 'gateway_b'),
	CHECK (test in (0, 1)),
	CHECK (subtotal >= 0),
	CHECK (discount between 0 and subtotal),
	CHECK (delivery_charge >= 0),
	CHECK (rounding >= 0),
	CHECK (total >= 0),
	CHECK (attention in ('', 'review', 'unanswered', 'stray', 'shipment', 'flag')),
	CHECK (work in (0, 1)),
	CHECK (source in ('storefront', 'phone', 'facebook', 'instagram', 'whatsapp', 'shop', 'other')),
	CHECK (placed_by IS NULL OR placed_by::json IS NOT NULL),
	CHECK (staff_discount between 0 and discount),
	CHECK (quantity_discount >= 0),
	CHECK (advance >= 0),
	CHECK (advance_asked >= 0),
	CHECK (advance_reason in ('', 'area', 'amount', 'new_buyer', 'shop')),
	CHECK (prepaid >= 0),
	CHECK (credited between 0 and total),
	CHECK (uncollected between 0 and credited),
	CHECK (cash_paid >= 0),
	CHECK (cash_refunded >= 0),
	CHECK (paid >= 0),
	CHECK (refunded >= 0),
	CHECK (call_count >= 0),
	CHECK (claimed_by IS NULL OR claimed_by::json IS NOT NULL),
	CHECK (signed_in in (0, 1)),
	CHECK (language in ('', 'bn', 'en')),
	CHECK (automatic_discount >= 0),
	CHECK (discounts IS NULL OR discounts::json IS NOT NULL),
	CONSTRAINT total_is_the_sum CHECK (total = subtotal - discount + delivery_charge - rounding),
	CONSTRAINT discount_has_its_parts CHECK (quantity_discount + automatic_discount + staff_discount <= discount),
	CONSTRAINT cod_never_awaits_gateway CHECK (status <> 'pending_payment' or payment_method <> 'cod'),
	CONSTRAINT only_the_unpaid_expire CHECK (expires_at is null or status = 'pending_payment'),
	CONSTRAINT completed_is_delivered CHECK (status <> 'completed' or fulfillment_status = 'delivered' and payment_status not in ('unpaid', 'pending')),
	CONSTRAINT returned_orders_are_returned CHECK (status <> 'returned' or fulfillment_status = 'returned'),
	CONSTRAINT closed_orders_are_not_paid CHECK (status <> 'cancelled' and status <> 'expired' and status <> 'returned' or payment_status not in ('paid', 'partially_refunded') or total = 0)
);

CREATE TABLE order_search (
	shop bigint NOT NULL,
	number bigint NOT NULL,
	doc tsvector NOT NULL,
	PRIMARY KEY (shop, number)
);

CREATE TABLE order_tokens (
	shop bigint NOT NULL,
	order_id text COLLATE "C" NOT NULL,
	revision bigint NOT NULL,
	issued_at bigint NOT NULL,
	PRIMARY KEY (shop, order_id),
	CHECK (revision > 0)
);

CREATE TABLE order_items (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	position bigint NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	variant_id text COLLATE "C" NOT NULL,
	title text COLLATE "C" NOT NULL,
	variant_title text COLLATE "C" NOT NULL,
	sku text COLLATE "C" NOT NULL,
	image_url text COLLATE "C" NOT NULL,
	quantity bigint NOT NULL,
	unit_price bigint NOT NULL,
	discount bigint NOT NULL,
	quantity_prices text COLLATE "C",
	quantity_discount bigint NOT NULL DEFAULT 0,
	stock_taken bigint NOT NULL,
	damaged bigint NOT NULL DEFAULT 0,
	restocked bigint NOT NULL DEFAULT 0,
	CHECK (quantity > 0),
	CHECK (unit_price >= 0),
	CHECK (discount >= 0),
	CHECK (quantity_prices IS NULL OR quantity_prices::json IS NOT NULL),
	CHECK (quantity_discount between 0 and discount),
	CHECK (stock_taken in (0, 1)),
	CHECK (damaged between 0 and quantity),
	CHECK (restocked between 0 and quantity),
	PRIMARY KEY (shop, order_number, position)
);

CREATE TABLE reviews (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	order_number bigint NOT NULL,
	rating bigint NOT NULL,
	text text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	sent_at bigint NOT NULL,
	media_id text COLLATE "C",
	PRIMARY KEY (shop, id),
	CHECK (rating between 1 and 5),
	CHECK (status in ('pending', 'published', 'rejected')),
	UNIQUE (shop, order_number, product_id)
);

CREATE TABLE product_orders (
	shop bigint NOT NULL,
	product_id text COLLATE "C" NOT NULL,
	order_number bigint NOT NULL,
	PRIMARY KEY (shop, product_id, order_number)
);

CREATE TABLE order_advances (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	amount bigint NOT NULL,
	method text COLLATE "C" NOT NULL,
	reference text COLLATE "C" NOT NULL,
	transaction_id text COLLATE "C" NOT NULL,
	created_by text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	CHECK (amount > 0),
	CHECK (method in ('bkash', 'nagad', 'rocket', 'upay', 'bank', 'cash', 'other')),
	CHECK (created_by IS NULL OR created_by::json IS NOT NULL),
	PRIMARY KEY (shop, order_number, id)
);

CREATE TABLE wallet_payments (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	order_number bigint NOT NULL,
	method text COLLATE "C" NOT NULL,
	number text COLLATE "C" NOT NULL,
	sender text COLLATE "C" NOT NULL,
	transaction_id text COLLATE "C" NOT NULL,
	amount bigint NOT NULL,
	status text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	decided_at bigint,
	decided_by text COLLATE "C",
	PRIMARY KEY (shop, id),
	CHECK (method in ('bkash', 'nagad', 'rocket', 'upay', 'bank')),
	CHECK (amount > 0),
	CHECK (status in ('waiting', 'confirmed', 'refused')),
	CHECK (decided_by IS NULL OR decided_by::json IS NOT NULL),
	CHECK ((status = 'waiting') = (decided_at is null))
);

CREATE TABLE courier_records (
	shop bigint NOT NULL,
	phone text COLLATE "C" NOT NULL,
	test bigint NOT NULL,
	provider text COLLATE "C" NOT NULL,
	looked_up_at bigint NOT NULL,
	answered_at bigint,
	delivered bigint,
	cancelled bigint,
	returned bigint,
	shipments text COLLATE "C" NOT NULL,
	reports bigint NOT NULL,
	CHECK (test in (0, 1)),
	PRIMARY KEY (shop, phone, test)
);

CREATE TABLE order_attributions (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	first_source text COLLATE "C" NOT NULL,
	first_medium text COLLATE "C" NOT NULL,
	first_campaign text COLLATE "C" NOT NULL,
	last_source text COLLATE "C" NOT NULL,
	last_medium text COLLATE "C" NOT NULL,
	last_campaign text COLLATE "C" NOT NULL,
	details text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, order_number),
	CHECK (details IS NULL OR details::json IS NOT NULL)
);

CREATE TABLE order_browsers (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	placed_at bigint NOT NULL,
	address text COLLATE "C" NOT NULL,
	agent text COLLATE "C" NOT NULL,
	PRIMARY KEY (shop, order_number)
);

CREATE TABLE conversions (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	receiver text COLLATE "C" NOT NULL,
	order_number bigint NOT NULL,
	step text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	status text COLLATE "C" NOT NULL,
	value bigint,
	attempts bigint NOT NULL,
	due_at bigint,
	claim text COLLATE "C",
	claimed_until bigint,
	doubt_since bigint,
	response_status bigint,
	answer text COLLATE "C" NOT NULL,
	error text COLLATE "C",
	took bigint,
	PRIMARY KEY (shop, id),
	CHECK (receiver in ('meta', 'tiktok')),
	CHECK (step in ('placing', 'confirmation', 'delivery')),
	CHECK (status in ('waiting', 'sent', 'refused', 'expired')),
	CHECK (attempts >= 0),
	UNIQUE (shop, order_number, receiver)
);

CREATE TABLE campaign_visits (
	shop bigint NOT NULL,
	day text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	source text COLLATE "C" NOT NULL,
	medium text COLLATE "C" NOT NULL,
	campaign text COLLATE "C" NOT NULL,
	visits bigint NOT NULL,
	CHECK (kind in ('campaign', 'source', 'other')),
	CHECK (visits > 0),
	PRIMARY KEY (shop, day, kind, source, medium, campaign)
);

CREATE TABLE campaign_spend (
	shop bigint NOT NULL,
	day text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	key text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	amount bigint NOT NULL,
	CHECK (kind in ('campaign', 'source', 'staff', 'direct')),
	CHECK (amount > 0),
	PRIMARY KEY (shop, day, kind, key)
);

CREATE TABLE incomplete_orders (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	session bytea NOT NULL,
	status text COLLATE "C" NOT NULL,
	step text COLLATE "C" NOT NULL,
	phone text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	address text COLLATE "C" NOT NULL,
	city text COLLATE "C" NOT NULL,
	items text COLLATE "C" NOT NULL,
	delivery_charge_id text COLLATE "C" NOT NULL,
	coupon_code text COLLATE "C" NOT NULL,
	landing_page text COLLATE "C" NOT NULL,
	language text COLLATE "C" NOT NULL,
	day text COLLATE "C" NOT NULL,
	order_number bigint,
	recovered bigint NOT NULL DEFAULT 0,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	closed_at bigint,
	PRIMARY KEY (shop, id),
	CHECK (status in ('open', 'done', 'blocked', 'ordered')),
	CHECK (step in ('contact', 'address', 'delivery', 'submitted')),
	CHECK (items IS NULL OR items::json IS NOT NULL),
	CHECK (language in ('', 'bn', 'en')),
	CHECK (recovered in (0, 1)),
	CONSTRAINT ordered_has_its_order CHECK ((status = 'ordered') = (order_number is not null)),
	CONSTRAINT open_is_not_closed CHECK ((status = 'open') = (closed_at is null))
);

CREATE TABLE incomplete_order_days (
	shop bigint NOT NULL,
	day text COLLATE "C" NOT NULL,
	started bigint NOT NULL,
	completed bigint NOT NULL,
	recovered bigint NOT NULL,
	PRIMARY KEY (shop, day),
	CHECK (started >= 0),
	CHECK (completed >= 0),
	CHECK (recovered >= 0),
	CONSTRAINT ends_are_of_started CHECK (completed + recovered <= started)
);

CREATE TABLE order_credits (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	quantity bigint NOT NULL,
	restocked bigint NOT NULL,
	amount bigint NOT NULL,
	reason text COLLATE "C" NOT NULL,
	uncollected bigint NOT NULL,
	created_by text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	CHECK (quantity >= 0),
	CHECK (restocked between 0 and quantity),
	CHECK (amount >= 0),
	CHECK (reason in ('not_accepted', 'sent_back', 'damaged', 'missing', 'goodwill', 'other')),
	CHECK (uncollected in (0, 1)),
	CHECK (created_by IS NULL OR created_by::json IS NOT NULL),
	PRIMARY KEY (shop, order_number, id)
);

CREATE TABLE cash_refunds (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	amount bigint NOT NULL,
	created_by text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	CHECK (amount > 0),
	CHECK (created_by IS NULL OR created_by::json IS NOT NULL),
	PRIMARY KEY (shop, order_number, id)
);

CREATE TABLE order_events (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	at bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	type text COLLATE "C" NOT NULL,
	message text COLLATE "C" NOT NULL,
	cause text COLLATE "C" NOT NULL,
	detail text COLLATE "C" NOT NULL DEFAULT '',
	author text COLLATE "C",
	CHECK (type <> ''),
	CHECK (cause = 'buyer' or cause = 'staff' or cause = 'shop' or cause = 'gateway_a' or cause = 'gateway_b' or cause = 'courier_a' or cause = 'courier_b'),
	CHECK (author IS NULL OR author::json IS NOT NULL),
	PRIMARY KEY (shop, order_number, at, id)
);

CREATE TABLE order_notes (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	author text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	outcome text COLLATE "C" NOT NULL,
	text text COLLATE "C" NOT NULL,
	call_at bigint,
	CHECK (author IS NULL OR author::json IS NOT NULL),
	CHECK (kind in ('note', 'call')),
	PRIMARY KEY (shop, order_number, id)
);

CREATE TABLE order_tags (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	tag_key text COLLATE "C" NOT NULL,
	tag text COLLATE "C" NOT NULL,
	CHECK (tag_key <> ''),
	CHECK (tag <> ''),
	PRIMARY KEY (shop, order_number, tag_key)
);

CREATE TABLE order_undos (
	shop bigint NOT NULL,
	actor text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	order_number bigint NOT NULL,
	before text COLLATE "C" NOT NULL,
	after text COLLATE "C" NOT NULL,
	first_event bigint NOT NULL,
	last_event bigint NOT NULL,
	at bigint NOT NULL,
	until bigint NOT NULL,
	undone_at bigint,
	CHECK (name <> ''),
	CHECK (before IS NULL OR before::json IS NOT NULL),
	CHECK (after IS NULL OR after::json IS NOT NULL),
	PRIMARY KEY (shop, actor, name, order_number)
);

CREATE TABLE order_prints (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	at bigint NOT NULL,
	kind text COLLATE "C" NOT NULL,
	author text COLLATE "C" NOT NULL,
	CHECK (kind <> ''),
	CHECK (author IS NULL OR author::json IS NOT NULL),
	PRIMARY KEY (shop, order_number, at, kind)
);

CREATE TABLE contacts (
	shop bigint NOT NULL,
	phone text COLLATE "C" NOT NULL,
	note text COLLATE "C" NOT NULL,
	tags text COLLATE "C" NOT NULL,
	blocked text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	updated_at bigint NOT NULL,
	name text COLLATE "C" NOT NULL DEFAULT '',
	orders bigint NOT NULL DEFAULT 0,
	spent bigint NOT NULL DEFAULT 0,
	last_order_at bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (shop, phone),
	CHECK (tags IS NULL OR tags::json IS NOT NULL),
	CHECK (blocked in ('none', 'cash', 'all')),
	CHECK (orders >= 0),
	CHECK (spent >= 0)
);

CREATE TABLE buyer_messages (
	shop bigint NOT NULL,
	order_number bigint NOT NULL,
	event text COLLATE "C" NOT NULL,
	subject text COLLATE "C" NOT NULL,
	channel text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	attempts bigint NOT NULL,
	message_id text COLLATE "C" NOT NULL,
	segments bigint NOT NULL,
	due_at bigint,
	claim text COLLATE "C",
	claimed_until bigint,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	CHECK (event <> ''),
	CHECK (channel in ('sms', 'email')),
	CHECK (status in ('queued', 'sending', 'sent', 'unknown', 'failed', 'skipped')),
	CHECK (attempts >= 0),
	CHECK (segments >= 0),
	PRIMARY KEY (shop, order_number, event, subject, channel)
);

CREATE TABLE outbox (
	shop bigint NOT NULL,
	seq bigint NOT NULL,
	at bigint NOT NULL,
	type text COLLATE "C" NOT NULL,
	subject text COLLATE "C" NOT NULL,
	data text COLLATE "C" NOT NULL,
	held_until bigint,
	PRIMARY KEY (shop, seq),
	CHECK (type <> ''),
	CHECK (data IS NULL OR data::json IS NOT NULL)
);

CREATE TABLE cursors (
	shop bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	seq bigint NOT NULL,
	PRIMARY KEY (shop, name)
);

CREATE TABLE day_stats (
	shop bigint NOT NULL,
	kind text COLLATE "C" NOT NULL,
	day bigint NOT NULL,
	sums bytea NOT NULL,
	CHECK (kind in ('all', 'product', 'courier', 'city', 'area', 'method', 'coupon', 'discount', 'source', 'buyer', 'status', 'carrier', 'first_campaign', 'last_campaign', 'product_ids')),
	PRIMARY KEY (shop, kind, day)
);

CREATE TABLE webhook_endpoints (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	url text COLLATE "C" NOT NULL,
	label text COLLATE "C" NOT NULL,
	types text COLLATE "C" NOT NULL,
	payload text COLLATE "C" NOT NULL,
	active bigint NOT NULL,
	disabled_reason text COLLATE "C",
	failing_since bigint,
	last_at bigint,
	last_status bigint,
	since bigint NOT NULL,
	created_by text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	rotated_at bigint,
	PRIMARY KEY (shop, id),
	CHECK (types IS NULL OR types::json IS NOT NULL),
	CHECK (payload in ('thin', 'full')),
	CHECK (active in (0, 1)),
	CHECK (created_by IS NULL OR created_by::json IS NOT NULL)
);

CREATE TABLE webhook_deliveries (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	endpoint_id text COLLATE "C" NOT NULL,
	seq bigint,
	type text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	status text COLLATE "C" NOT NULL,
	attempts bigint NOT NULL,
	due_at bigint,
	claim text COLLATE "C",
	claimed_until bigint,
	response_status bigint,
	answer text COLLATE "C" NOT NULL,
	error text COLLATE "C",
	took bigint,
	PRIMARY KEY (shop, id),
	CHECK (status in ('waiting', 'sent', 'failed')),
	CHECK (attempts >= 0),
	UNIQUE (shop, endpoint_id, seq)
);

CREATE TABLE staff_notify (
	shop bigint NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	quiet_from bigint,
	quiet_until bigint,
	chat text COLLATE "C" NOT NULL,
	chat_name text COLLATE "C" NOT NULL,
	code_hash bytea,
	code_expires bigint,
	seen bigint NOT NULL,
	PRIMARY KEY (shop, staff_id),
	CHECK (quiet_from between 0 and 1439),
	CHECK (quiet_until between 0 and 1439)
);

CREATE TABLE push_devices (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	endpoint text COLLATE "C" NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	public_key bytea NOT NULL,
	auth bytea NOT NULL,
	agent text COLLATE "C" NOT NULL,
	problem text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	used_at bigint,
	failing_since bigint,
	session_id text COLLATE "C" NOT NULL DEFAULT '',
	refused bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, endpoint),
	CHECK (refused in (0, 1))
);

CREATE TABLE notifications (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	staff_id text COLLATE "C" NOT NULL,
	channel text COLLATE "C" NOT NULL,
	device_id text COLLATE "C" NOT NULL,
	host text COLLATE "C" NOT NULL,
	target text COLLATE "C" NOT NULL,
	type text COLLATE "C" NOT NULL,
	event text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	attempts bigint NOT NULL,
	due_at bigint,
	claim text COLLATE "C",
	claimed_until bigint,
	error text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	updated_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	CHECK (channel in ('push', 'telegram', 'sms', 'email')),
	CHECK (type <> ''),
	CHECK (status in ('waiting', 'sent', 'failed', 'skipped')),
	CHECK (attempts >= 0),
	UNIQUE (shop, target, event)
);

CREATE TABLE order_flags (
	shop bigint NOT NULL,
	order_id text COLLATE "C" NOT NULL,
	shipment_id text COLLATE "C" NOT NULL,
	code text COLLATE "C" NOT NULL,
	message text COLLATE "C" NOT NULL,
	raised_at bigint NOT NULL,
	resolved_at bigint,
	CHECK (code <> ''),
	PRIMARY KEY (shop, order_id, shipment_id, code)
);

CREATE TABLE payment_attempts (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	order_id text COLLATE "C" NOT NULL,
	method text COLLATE "C" NOT NULL,
	mode text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	amount bigint NOT NULL,
	external_id text COLLATE "C",
	transaction_id text COLLATE "C" NOT NULL,
	redirect_url text COLLATE "C" NOT NULL,
	error_code text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	refunded bigint NOT NULL DEFAULT 0,
	advance bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (shop, id),
	CHECK (method in ('gateway_a', 'gateway_b')),
	CHECK (mode in ('live', 'sandbox')),
	CHECK (status in ('initiated', 'pending', 'succeeded', 'failed', 'cancelled', 'expired', 'needs_review', 'refund_due', 'refunded')),
	CHECK (amount > 0),
	CHECK (refunded between 0 and amount),
	CHECK (advance in (0, 1)),
	UNIQUE (shop, method, mode, external_id)
);

CREATE TABLE payment_checks (
	shop bigint NOT NULL,
	attempt_id text COLLATE "C" NOT NULL,
	signature text COLLATE "C" NOT NULL,
	claimed_at bigint,
	reason text COLLATE "C" NOT NULL,
	asked bigint NOT NULL,
	due_at bigint,
	PRIMARY KEY (shop, attempt_id),
	CHECK (asked >= 0)
);

CREATE TABLE refunds (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	attempt_id text COLLATE "C" NOT NULL,
	amount bigint NOT NULL,
	status text COLLATE "C" NOT NULL,
	by_hand bigint NOT NULL,
	external_id text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	claimed_at bigint,
	due_at bigint,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	CHECK (amount > 0),
	CHECK (status in ('requested', 'processing', 'unclear', 'done', 'failed')),
	CHECK (by_hand in (0, 1))
);

CREATE TABLE shipments (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	order_id text COLLATE "C" NOT NULL,
	provider text COLLATE "C" NOT NULL,
	consignment_id text COLLATE "C",
	tracking_code text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	moved_at bigint NOT NULL,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	return_id text COLLATE "C",
	checks bigint NOT NULL DEFAULT 0,
	check_at bigint,
	PRIMARY KEY (shop, id),
	CHECK (provider in ('courier_a', 'courier_b')),
	CHECK (consignment_id <> ''),
	CHECK (status in ('created', 'pickup_requested', 'picked', 'at_hub', 'in_transit', 'out_for_delivery', 'delivered', 'partially_delivered', 'on_hold', 'delivery_failed', 'returning', 'returned', 'cancelled', 'exchanged')),
	CHECK (return_id <> ''),
	UNIQUE (shop, provider, consignment_id)
);

CREATE TABLE idempotency_keys (
	shop bigint NOT NULL,
	scope text COLLATE "C" NOT NULL,
	key text COLLATE "C" NOT NULL,
	fingerprint bytea NOT NULL,
	order_id text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	PRIMARY KEY (shop, scope, key)
);

CREATE TABLE provider_webhooks (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	provider text COLLATE "C" NOT NULL,
	key bytea NOT NULL,
	content_type text COLLATE "C" NOT NULL,
	body bytea NOT NULL,
	event text COLLATE "C" NOT NULL,
	verdict text COLLATE "C" NOT NULL,
	reason text COLLATE "C" NOT NULL,
	order_id text COLLATE "C",
	copies bigint NOT NULL,
	received_at bigint NOT NULL,
	last_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	CHECK (provider in ('courier_a', 'courier_b', 'gateway_a', 'gateway_b')),
	CHECK (verdict in ('stored', 'applied', 'ignored', 'unmatched', 'malformed', 'failed')),
	CHECK (copies > 0),
	UNIQUE (shop, provider, key)
);

CREATE TABLE refused_webhooks (
	shop bigint NOT NULL,
	provider text COLLATE "C" NOT NULL,
	slot bigint NOT NULL,
	reason text COLLATE "C" NOT NULL,
	received bigint NOT NULL,
	at bigint NOT NULL,
	CHECK (provider in ('courier_a', 'courier_b', 'gateway_a', 'gateway_b')),
	CHECK (received > 0),
	PRIMARY KEY (shop, provider, slot)
);

CREATE TABLE connections (
	shop bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	mode text COLLATE "C" NOT NULL,
	state text COLLATE "C" NOT NULL,
	words text COLLATE "C" NOT NULL,
	request_id text COLLATE "C" NOT NULL,
	checked_at bigint NOT NULL,
	proved_at bigint,
	failed bigint NOT NULL,
	next_at bigint,
	CHECK (mode in ('live', 'sandbox')),
	CHECK (state in ('works', 'refused', 'unreached')),
	PRIMARY KEY (shop, name, mode)
);

CREATE TABLE parcel_bookings (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	order_id text COLLATE "C" NOT NULL,
	provider text COLLATE "C" NOT NULL,
	ref text COLLATE "C" NOT NULL,
	mode text COLLATE "C" NOT NULL,
	cash bigint NOT NULL,
	shipment_id text COLLATE "C",
	asked_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	CHECK (provider in ('courier_a', 'courier_b')),
	CHECK (mode in ('live', 'sandbox')),
	CHECK (cash >= 0),
	UNIQUE (shop, provider, ref)
);

CREATE TABLE parcel_events (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	shipment_id text COLLATE "C" NOT NULL,
	event text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	note text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	received_at bigint NOT NULL,
	PRIMARY KEY (shop, id),
	UNIQUE (shop, shipment_id, at, event, note)
);

CREATE TABLE waiting_webhooks (
	shop bigint NOT NULL,
	provider text COLLATE "C" NOT NULL,
	consignment_id text COLLATE "C" NOT NULL,
	webhook_id text COLLATE "C" NOT NULL,
	CHECK (provider in ('courier_a', 'courier_b')),
	PRIMARY KEY (shop, provider, consignment_id, webhook_id)
);

CREATE TABLE cash_entries (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	shipment_id text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	amount bigint,
	source text COLLATE "C" NOT NULL,
	reference text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	CHECK (kind in ('due', 'collected', 'fee', 'remitted')),
	CHECK (amount >= 0),
	CHECK (source in ('order', 'event')),
	PRIMARY KEY (shop, shipment_id, kind, source, reference, at),
	CONSTRAINT only_payouts_may_be_untold CHECK (amount is not null or kind = 'remitted')
);

CREATE TABLE cash_statements (
	shop bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	complete bigint NOT NULL DEFAULT 1,
	courier text COLLATE "C" NOT NULL DEFAULT '',
	shipments bigint NOT NULL DEFAULT 0,
	collected bigint,
	fees bigint,
	paid_out bigint NOT NULL DEFAULT 0,
	arrived bigint,
	differences bigint,
	PRIMARY KEY (shop, name),
	CHECK (complete in (0, 1))
);

CREATE TABLE cash_statement_columns (
	shop bigint NOT NULL,
	courier text COLLATE "C" NOT NULL,
	header text COLLATE "C" NOT NULL,
	kinds text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	PRIMARY KEY (shop, courier, header)
);

CREATE TABLE cash_statement_lines (
	shop bigint NOT NULL,
	shipment_id text COLLATE "C" NOT NULL,
	statement text COLLATE "C" NOT NULL,
	collected bigint,
	fee bigint,
	remitted bigint,
	at bigint NOT NULL,
	CHECK (collected >= 0),
	CHECK (fee >= 0),
	CHECK (remitted >= 0),
	PRIMARY KEY (shop, shipment_id, statement)
);

CREATE TABLE cash_statement_differences (
	shop bigint NOT NULL,
	statement text COLLATE "C" NOT NULL,
	position bigint NOT NULL,
	consignment_id text COLLATE "C" NOT NULL,
	order_id text COLLATE "C",
	problem text COLLATE "C" NOT NULL,
	expected bigint,
	reported bigint,
	PRIMARY KEY (shop, statement, position)
);

CREATE TABLE cash_lines (
	shop bigint NOT NULL,
	shipment_id text COLLATE "C" NOT NULL,
	due bigint,
	due_changed bigint NOT NULL,
	collected bigint,
	fee bigint,
	fee_whole bigint NOT NULL,
	paid_out bigint NOT NULL,
	remitted bigint,
	reconciled bigint NOT NULL,
	source text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	PRIMARY KEY (shop, shipment_id),
	CHECK (due >= 0),
	CHECK (due_changed in (0, 1)),
	CHECK (collected >= 0),
	CHECK (fee >= 0),
	CHECK (fee_whole in (0, 1)),
	CHECK (paid_out in (0, 1)),
	CHECK (remitted >= 0),
	CHECK (reconciled in (0, 1)),
	CHECK (source in ('order', 'event', 'statement'))
);

CREATE TABLE shipment_cash (
	shop bigint NOT NULL,
	shipment_id text COLLATE "C" NOT NULL,
	courier text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL,
	different bigint NOT NULL,
	moved_at bigint NOT NULL,
	expected bigint NOT NULL,
	held bigint NOT NULL,
	fees bigint NOT NULL,
	payable bigint NOT NULL,
	paid_out bigint NOT NULL,
	PRIMARY KEY (shop, shipment_id),
	CHECK (status in ('', 'underWay', 'held', 'paid')),
	CHECK (different in (0, 1))
);

CREATE TABLE cash_sums (
	shop bigint NOT NULL,
	courier text COLLATE "C" NOT NULL,
	rate bigint NOT NULL,
	under_way bigint NOT NULL,
	expected bigint NOT NULL,
	holding bigint NOT NULL,
	held bigint NOT NULL,
	fees bigint NOT NULL,
	payable bigint NOT NULL,
	paid_out bigint NOT NULL,
	PRIMARY KEY (shop, courier)
);

CREATE TABLE plans (
	shop bigint NOT NULL,
	name text COLLATE "C" NOT NULL,
	revision bigint NOT NULL,
	limits text COLLATE "C" NOT NULL,
	soft text COLLATE "C" NOT NULL,
	own_host bigint,
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	PRIMARY KEY (shop, name),
	CHECK (revision > 0),
	CHECK (limits IS NULL OR limits::json IS NOT NULL),
	CHECK (soft IS NULL OR soft::json IS NOT NULL),
	CHECK (own_host in (0, 1))
);

CREATE TABLE incidents (
	shop bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	title text COLLATE "C" NOT NULL,
	state text COLLATE "C" NOT NULL,
	components text COLLATE "C" NOT NULL,
	updates text COLLATE "C" NOT NULL,
	started_at bigint NOT NULL,
	resolved_at bigint,
	PRIMARY KEY (shop, id),
	CHECK (title <> ''),
	CHECK (state in ('investigating', 'identified', 'monitoring', 'resolved')),
	CHECK (components IS NULL OR components::json IS NOT NULL),
	CHECK (updates IS NULL OR updates::json IS NOT NULL)
);

CREATE TABLE shop_requests (
	shop bigint NOT NULL,
	month text COLLATE "C" NOT NULL,
	uid text COLLATE "C" NOT NULL,
	requests bigint NOT NULL,
	milliseconds bigint NOT NULL,
	cpu bigint NOT NULL,
	CHECK (requests >= 0),
	CHECK (milliseconds >= 0),
	CHECK (cpu >= 0),
	PRIMARY KEY (shop, month, uid)
);

CREATE INDEX products_by_created ON products (shop, status, created_at, id, published_at);

CREATE INDEX products_by_updated ON products (shop, status, updated_at, id, published_at);

CREATE INDEX products_by_title ON products (shop, status, title_key, id, published_at);

CREATE INDEX products_by_title_bn ON products (shop, status, title_bn, id, published_at);

CREATE INDEX products_by_title_en ON products (shop, status, title_en, id, published_at);

CREATE INDEX products_by_price ON products (shop, status, price, id, published_at);

CREATE INDEX products_by_sold ON products (shop, status, sold, id, published_at);

CREATE INDEX products_by_number ON products (shop, number, status, published_at, id);

CREATE INDEX products_by_published ON products (shop, status, published_at, id);

CREATE INDEX product_revisions_by_changed ON product_revisions (shop, changed, product_id);

CREATE INDEX product_removals_by_changed ON product_removals (shop, changed, product_id);

CREATE INDEX images_by_product ON images (shop, product_id, position);

CREATE INDEX images_by_media ON images (shop, media_id) WHERE media_id is not null;

CREATE INDEX media_by_created ON media (shop, created_at, id);

CREATE INDEX media_unused ON media (shop, unused_at) WHERE unused_at is not null;

CREATE INDEX product_handles_by_product ON product_handles (shop, product_id);

CREATE INDEX variants_by_product ON variants (shop, product_id, position);

CREATE INDEX variants_by_sku ON variants (shop, sku) WHERE sku <> '';

CREATE INDEX variants_by_image ON variants (shop, image_id) WHERE image_id is not null;

CREATE INDEX product_tags_by_tag ON product_tags (shop, tag_key, product_id);

CREATE INDEX collections_by_position ON collections (shop, position, id);

CREATE INDEX collections_by_media ON collections (shop, media_id) WHERE media_id is not null;

CREATE INDEX collection_handles_by_collection ON collection_handles (shop, collection_id);

CREATE INDEX collection_products_by_position ON collection_products (shop, collection_id, position, product_id);

CREATE INDEX collection_products_by_product ON collection_products (shop, product_id);

CREATE INDEX product_search_doc ON product_search USING gin (doc);

CREATE UNIQUE INDEX search_words_by_end ON search_words (shop, length, reversed);

CREATE INDEX search_words_by_sound ON search_words (shop, sound, word);

CREATE INDEX customers_by_created ON customers (shop, created_at, id);

CREATE INDEX customers_by_last_order ON customers (shop, last_order_at, id, name);

CREATE INDEX customers_by_spent ON customers (shop, spent, id, name);

CREATE INDEX customers_by_name ON customers (shop, lower(name), id);

CREATE INDEX addresses_by_customer ON addresses (shop, customer_id, position);

CREATE INDEX otp_codes_by_phone ON otp_codes (shop, phone, created_at, id);

CREATE INDEX otp_codes_by_age ON otp_codes (shop, created_at);

CREATE INDEX unverified_otp_by_client ON otp_codes (shop, client, created_at) WHERE used_at is null;

CREATE INDEX unverified_otp_by_network ON otp_codes (shop, network, created_at) WHERE used_at is null and network is not null;

CREATE INDEX unverified_otp_by_age ON otp_codes (shop, created_at, segments) WHERE used_at is null;

CREATE INDEX tried_otp_by_age ON otp_codes (shop, created_at, wrong_tries) WHERE wrong_tries > 0;

CREATE INDEX email_codes_by_email ON email_codes (shop, email, created_at, id);

CREATE INDEX email_codes_by_age ON email_codes (shop, created_at);

CREATE INDEX unused_email_codes_by_client ON email_codes (shop, client, created_at) WHERE used_at is null;

CREATE INDEX unused_email_codes_by_network ON email_codes (shop, network, created_at) WHERE used_at is null and network is not null;

CREATE INDEX unused_email_codes_by_age ON email_codes (shop, created_at) WHERE used_at is null;

CREATE INDEX tried_email_codes_by_age ON email_codes (shop, created_at, wrong_tries) WHERE wrong_tries > 0;

CREATE INDEX customer_passkeys_by_customer ON customer_passkeys (shop, customer_id, created_at, id);

CREATE INDEX failures_by_expiry ON failures (shop, expires_at);

CREATE INDEX work_proofs_by_expiry ON work_proofs (shop, expires_at);

CREATE INDEX staff_passkeys_by_staff ON staff_passkeys (shop, staff_id, created_at, id);

CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (shop, expires_at);

CREATE INDEX staff_links_by_staff ON staff_links (shop, staff_id);

CREATE INDEX staff_links_by_expiry ON staff_links (shop, expires_at);

CREATE INDEX staff_sessions_by_staff ON staff_sessions (shop, staff_id, created_at);

CREATE INDEX staff_sessions_by_expiry ON staff_sessions (shop, expires_at);

CREATE INDEX operator_visits_by_expiry ON operator_visits (shop, expires_at);

CREATE INDEX staff_codes_by_staff ON staff_codes (shop, staff_id, created_at, id);

CREATE INDEX staff_codes_by_age ON staff_codes (shop, created_at);

CREATE INDEX staff_requests_by_age ON staff_requests (shop, created_at);

CREATE INDEX staff_requests_by_actor ON staff_requests (shop, actor, created_at);

CREATE INDEX jobs_by_age ON jobs (shop, created_at);

CREATE INDEX jobs_unfinished ON jobs (shop, id) WHERE finished_at is null;

CREATE INDEX jobs_claimed ON jobs (shop, claim, claimed_until) WHERE claim is not null;

CREATE INDEX jobs_by_retry ON jobs (shop, retry_of) WHERE retry_of is not null;

CREATE INDEX audit_log_by_time ON audit_log (shop, at, id);

CREATE INDEX audit_log_by_actor ON audit_log (shop, actor_id, at, id);

CREATE INDEX audit_log_by_action ON audit_log (shop, action, at, id);

CREATE INDEX audit_log_by_subject ON audit_log (shop, subject_id, at, id);

CREATE INDEX translations_by_field ON translations (shop, kind, language, field, id, text);

CREATE INDEX design_images_by_media ON design_images (shop, media_id);

CREATE INDEX coupons_by_start ON coupons (shop, starts_at) WHERE active = 1 and starts_at is not null;

CREATE INDEX coupons_by_end ON coupons (shop, ends_at) WHERE active = 1 and ends_at is not null;

CREATE INDEX coupon_scopes_by_product ON coupon_scopes (shop, product_id) WHERE product_id is not null;

CREATE INDEX coupon_scopes_by_collection ON coupon_scopes (shop, collection_id) WHERE collection_id is not null;

CREATE INDEX orders_by_customer ON orders (shop, customer_id, placed_at) WHERE customer_id is not null;

CREATE INDEX orders_by_phone ON orders (shop, customer_phone, placed_at);

CREATE INDEX orders_by_expiry ON orders (shop, expires_at) WHERE expires_at is not null;

CREATE INDEX orders_by_client ON orders (shop, client, placed_at) WHERE client is not null;

CREATE INDEX orders_unconfirmed ON orders (shop, placed_at) WHERE client is not null and status = 'pending' and customer_id is null;

CREATE INDEX orders_by_coupon ON orders (shop, coupon_id, customer_phone) WHERE coupon_id is not null;

CREATE INDEX orders_of_coupon ON orders (shop, coupon_id, placed_at) WHERE coupon_id is not null and status not in ('cancelled', 'expired');

CREATE INDEX orders_discounted ON orders (shop, placed_at) WHERE discounts is not null;

CREATE INDEX orders_by_work ON orders (shop, test, placed_at, status, payment_status, fulfillment_status, shipment_status, attention) WHERE work = 1;

CREATE INDEX orders_by_email ON orders (shop, customer_email, placed_at) WHERE customer_email is not null;

CREATE INDEX orders_by_status ON orders (shop, status, placed_at, number, test) WHERE status not in ('pending', 'pending_payment');

CREATE INDEX orders_by_placed ON orders (shop, placed_at, number, status, test, payment_status, fulfillment_status, payment_method, courier, shipment_status, city, total, updated_at, source, call_count, call_due_at);

CREATE INDEX orders_call_due ON orders (shop, call_due_at) WHERE call_due_at is not null;

CREATE INDEX orders_by_city ON orders (shop, city, placed_at, number, status, test, total, shipment_status);

CREATE INDEX orders_by_total ON orders (shop, total, number);

CREATE INDEX orders_by_updated ON orders (shop, updated_at, number, status, test);

CREATE INDEX order_search_doc ON order_search USING gin (doc);

CREATE INDEX order_items_by_media ON order_items (shop, image_url) WHERE substr(image_url, 1, 6) = 'media:';

CREATE INDEX reviews_published ON reviews (shop, product_id, sent_at desc, id desc) WHERE status = 'published';

CREATE INDEX reviews_by_product ON reviews (shop, product_id);

CREATE INDEX reviews_by_status ON reviews (shop, status, sent_at desc, id desc);

CREATE INDEX reviews_by_time ON reviews (shop, sent_at desc, id desc);

CREATE INDEX reviews_by_media ON reviews (shop, media_id) WHERE media_id is not null;

CREATE INDEX order_advances_by_transaction ON order_advances (shop, transaction_id) WHERE transaction_id <> '';

CREATE UNIQUE INDEX wallet_payments_once ON wallet_payments (shop, transaction_id) WHERE status <> 'refused';

CREATE INDEX wallet_payments_by_order ON wallet_payments (shop, order_number, id);

CREATE INDEX wallet_payments_by_state ON wallet_payments (shop, status, id);

CREATE INDEX order_browsers_by_age ON order_browsers (shop, placed_at);

CREATE INDEX conversions_due ON conversions (shop, receiver, due_at, id) WHERE due_at is not null;

CREATE INDEX conversions_claimed ON conversions (shop, claim, claimed_until) WHERE claim is not null;

CREATE INDEX conversions_by_age ON conversions (shop, at, id, receiver, status);

CREATE UNIQUE INDEX incomplete_orders_by_session ON incomplete_orders (shop, session) WHERE status = 'open';

CREATE INDEX incomplete_orders_by_phone ON incomplete_orders (shop, phone, status);

CREATE INDEX incomplete_orders_by_status ON incomplete_orders (shop, status, updated_at desc, id desc);

CREATE INDEX incomplete_orders_by_time ON incomplete_orders (shop, updated_at desc, id desc);

CREATE INDEX incomplete_orders_by_order ON incomplete_orders (shop, order_number) WHERE order_number is not null;

CREATE INDEX order_tags_by_key ON order_tags (shop, tag_key, order_number);

CREATE INDEX order_undos_by_age ON order_undos (shop, at);

CREATE INDEX order_undos_by_order ON order_undos (shop, order_number);

CREATE INDEX guests_by_last_order ON contacts (shop, last_order_at, phone, name, orders) WHERE orders > 0;

CREATE INDEX guests_by_spent ON contacts (shop, spent, phone, name, orders) WHERE orders > 0;

CREATE INDEX guests_by_name ON contacts (shop, lower(name), phone, orders) WHERE orders > 0;

CREATE INDEX buyer_messages_due ON buyer_messages (shop, due_at) WHERE due_at is not null;

CREATE INDEX buyer_messages_claimed ON buyer_messages (shop, claim, claimed_until) WHERE claim is not null;

CREATE INDEX buyer_messages_by_age ON buyer_messages (shop, created_at);

CREATE INDEX buyer_messages_sent ON buyer_messages (shop, channel, updated_at, segments) WHERE segments > 0;

CREATE INDEX outbox_held ON outbox (shop, held_until, seq) WHERE held_until > 0;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (shop, endpoint_id, due_at, seq) WHERE due_at is not null;

CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (shop, claim, claimed_until) WHERE claim is not null;

CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (shop, endpoint_id, at, id, status);

CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (shop, at);

CREATE INDEX push_devices_by_staff ON push_devices (shop, staff_id);

CREATE INDEX notifications_due ON notifications (shop, target, due_at) WHERE due_at is not null;

CREATE INDEX notifications_by_due ON notifications (shop, due_at) WHERE due_at is not null;

CREATE INDEX notifications_claimed ON notifications (shop, claim, claimed_until) WHERE claim is not null;

CREATE INDEX notifications_by_age ON notifications (shop, at);

CREATE INDEX notifications_by_staff ON notifications (shop, staff_id);

CREATE INDEX notifications_sms ON notifications (shop, updated_at, target) WHERE channel = 'sms' and attempts > 0;

CREATE INDEX order_flags_open ON order_flags (shop, raised_at) WHERE resolved_at is null;

CREATE INDEX payment_attempts_by_order ON payment_attempts (shop, order_id, id);

CREATE INDEX payment_attempts_open ON payment_attempts (shop, created_at) WHERE status in ('initiated', 'pending');

CREATE INDEX payment_attempts_waiting ON payment_attempts (shop, status, id) WHERE status in ('needs_review', 'refund_due');

CREATE INDEX payment_attempts_unstarted ON payment_attempts (shop, created_at, id) WHERE error_code <> '';

CREATE INDEX payment_checks_due ON payment_checks (shop, due_at) WHERE due_at is not null;

CREATE INDEX refunds_by_attempt ON refunds (shop, attempt_id, id);

CREATE INDEX refunds_due ON refunds (shop, due_at) WHERE due_at is not null;

CREATE INDEX refunds_open ON refunds (shop, status, created_at) WHERE status in ('requested', 'unclear');

CREATE INDEX shipments_by_order ON shipments (shop, order_id, id);

CREATE INDEX shipments_by_return ON shipments (shop, provider, return_id) WHERE return_id is not null;

CREATE INDEX shipments_open ON shipments (shop, updated_at) WHERE status not in ('delivered', 'returned', 'cancelled', 'exchanged');

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (shop, created_at);

CREATE INDEX provider_webhooks_by_age ON provider_webhooks (shop, received_at);

CREATE INDEX provider_webhooks_by_verdict ON provider_webhooks (shop, verdict, id);

CREATE INDEX parcel_bookings_by_order ON parcel_bookings (shop, order_id);

CREATE INDEX parcel_bookings_unanswered ON parcel_bookings (shop, asked_at, id) WHERE shipment_id is null;

CREATE INDEX parcel_bookings_by_shipment ON parcel_bookings (shop, shipment_id) WHERE shipment_id is not null;

CREATE INDEX waiting_webhooks_by_webhook ON waiting_webhooks (shop, webhook_id);

CREATE INDEX shipment_cash_by_status ON shipment_cash (shop, status, shipment_id, courier);

CREATE INDEX shipment_cash_held ON shipment_cash (shop, courier, moved_at) WHERE status = 'held';

CREATE INDEX shipment_cash_different ON shipment_cash (shop, shipment_id, courier) WHERE different = 1;

CREATE INDEX stock_movements_by_order_number ON stock_movements (shop, order_number) WHERE order_number IS NOT NULL;

CREATE INDEX idempotency_keys_by_order_id ON idempotency_keys (shop, order_id) WHERE order_id IS NOT NULL;

CREATE INDEX provider_webhooks_by_order_id ON provider_webhooks (shop, order_id) WHERE order_id IS NOT NULL;

ALTER TABLE product_revisions ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE images ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE images ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;

ALTER TABLE product_handles ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE variants ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE variants ADD FOREIGN KEY (shop, image_id) REFERENCES images (shop, id) ON DELETE SET NULL (image_id) DEFERRABLE;

ALTER TABLE stock_movements ADD FOREIGN KEY (shop, variant_id) REFERENCES variants (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE stock_movements ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE product_tags ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE collections ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;

ALTER TABLE collection_handles ADD FOREIGN KEY (shop, collection_id) REFERENCES collections (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE collection_products ADD FOREIGN KEY (shop, collection_id) REFERENCES collections (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE collection_products ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE addresses ADD FOREIGN KEY (shop, customer_id) REFERENCES customers (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE known_clients ADD FOREIGN KEY (shop, customer_id) REFERENCES customers (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE customer_passkeys ADD FOREIGN KEY (shop, customer_id) REFERENCES customers (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE staff_recovery ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE staff_passkeys ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE staff_links ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE staff_sessions ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE staff_codes ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE job_items ADD FOREIGN KEY (shop, job_id) REFERENCES jobs (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE design_images ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;

ALTER TABLE coupon_scopes ADD FOREIGN KEY (shop, coupon_id) REFERENCES coupons (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE coupon_scopes ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE coupon_scopes ADD FOREIGN KEY (shop, collection_id) REFERENCES collections (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE orders ADD FOREIGN KEY (shop, customer_id) REFERENCES customers (shop, id) ON DELETE SET NULL (customer_id) DEFERRABLE;

ALTER TABLE orders ADD FOREIGN KEY (shop, coupon_id) REFERENCES coupons (shop, id) DEFERRABLE;

ALTER TABLE order_tokens ADD FOREIGN KEY (shop, order_id) REFERENCES orders (shop, id) DEFERRABLE;

ALTER TABLE order_items ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE reviews ADD FOREIGN KEY (shop, product_id) REFERENCES products (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE reviews ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE reviews ADD FOREIGN KEY (shop, media_id) REFERENCES media (shop, id) DEFERRABLE;

ALTER TABLE order_advances ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE wallet_payments ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_attributions ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_browsers ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE conversions ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE incomplete_orders ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_credits ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE cash_refunds ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_events ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_notes ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_tags ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_undos ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE order_prints ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE buyer_messages ADD FOREIGN KEY (shop, order_number) REFERENCES orders (shop, number) DEFERRABLE;

ALTER TABLE webhook_deliveries ADD FOREIGN KEY (shop, endpoint_id) REFERENCES webhook_endpoints (shop, id) DEFERRABLE;

ALTER TABLE staff_notify ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE push_devices ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE notifications ADD FOREIGN KEY (shop, staff_id) REFERENCES staff (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE order_flags ADD FOREIGN KEY (shop, order_id) REFERENCES orders (shop, id) DEFERRABLE;

ALTER TABLE payment_attempts ADD FOREIGN KEY (shop, order_id) REFERENCES orders (shop, id) DEFERRABLE;

ALTER TABLE payment_checks ADD FOREIGN KEY (shop, attempt_id) REFERENCES payment_attempts (shop, id) DEFERRABLE;

ALTER TABLE refunds ADD FOREIGN KEY (shop, attempt_id) REFERENCES payment_attempts (shop, id) DEFERRABLE;

ALTER TABLE shipments ADD FOREIGN KEY (shop, order_id) REFERENCES orders (shop, id) DEFERRABLE;

ALTER TABLE idempotency_keys ADD FOREIGN KEY (shop, order_id) REFERENCES orders (shop, id) DEFERRABLE;

ALTER TABLE provider_webhooks ADD FOREIGN KEY (shop, order_id) REFERENCES orders (shop, id) DEFERRABLE;

ALTER TABLE parcel_bookings ADD FOREIGN KEY (shop, order_id) REFERENCES orders (shop, id) DEFERRABLE;

ALTER TABLE parcel_bookings ADD FOREIGN KEY (shop, shipment_id) REFERENCES shipments (shop, id) DEFERRABLE;

ALTER TABLE parcel_events ADD FOREIGN KEY (shop, shipment_id) REFERENCES shipments (shop, id) DEFERRABLE;

ALTER TABLE waiting_webhooks ADD FOREIGN KEY (shop, webhook_id) REFERENCES provider_webhooks (shop, id) ON DELETE CASCADE DEFERRABLE;

ALTER TABLE cash_entries ADD FOREIGN KEY (shop, shipment_id) REFERENCES shipments (shop, id) DEFERRABLE;

ALTER TABLE cash_statement_lines ADD FOREIGN KEY (shop, shipment_id) REFERENCES shipments (shop, id) DEFERRABLE;

ALTER TABLE cash_lines ADD FOREIGN KEY (shop, shipment_id) REFERENCES shipments (shop, id) DEFERRABLE;

ALTER TABLE shipment_cash ADD FOREIGN KEY (shop, shipment_id) REFERENCES shipments (shop, id) DEFERRABLE;
