-- words to correct searches

CREATE TABLE search_words (
	length   INTEGER NOT NULL,
	word     TEXT    NOT NULL,
	reversed TEXT    NOT NULL,
	PRIMARY KEY (length, word)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX search_words_by_end ON search_words (length, reversed);

CREATE VIRTUAL TABLE temp.indexed_words USING fts5vocab(main, product_search, 'row');
WITH RECURSIVE letters (word, left, reversed) AS (
	SELECT term, length(term), ''
	FROM temp.indexed_words
	WHERE length(term) BETWEEN 4 AND 32 AND term NOT GLOB '*[0-9]*'
	UNION ALL
	SELECT word, left - 1, reversed || substr(word, left, 1)
	FROM letters
	WHERE left > 0
)
INSERT INTO search_words (length, word, reversed)
SELECT length(word), word, reversed
FROM letters
WHERE left = 0;
DROP TABLE temp.indexed_words;
