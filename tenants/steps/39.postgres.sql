-- faster beginnings of words in the search of orders
-- In SQLite alone: PostgreSQL's index is another. The orders are indexed again in the background.

SELECT 1;
