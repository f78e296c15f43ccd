-- faster beginnings of words in the search of orders
-- In SQLite alone: PostgreSQL's index is another. The orders are indexed again in the background.

DROP TABLE order_search;
CREATE VIRTUAL TABLE order_search USING fts5 (
	text,
	content = '', contentless_delete = 1, detail = column,
	tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
DELETE FROM cursors WHERE name IN ('order_search', 'order_search_backfill');
