package dbtest

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// recordedPlans explains the statements that the server has recorded. Constants are parameters in
// their texts. In sums, and mostly in cases, they are numbers and must have that type. FROM ONLY
// occurs in the checks of new foreign keys.
const recordedPlans = `
CREATE FUNCTION pg_temp.plan_of(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	params int := (SELECT coalesce(max(m[1]::int), 0) FROM regexp_matches(query, '\$(\d+)', 'g') m);
	shop int := (regexp_match(query, '\yshop = \$(\d+)'))[1];
	types text := (SELECT string_agg(CASE WHEN i = shop THEN 'bigint' ELSE 'unknown' END, ', ') FROM generate_series(1, params) i);
	variant text;
	line text;
	plan text[];
BEGIN
	FOREACH variant IN ARRAY ARRAY[regexp_replace(query, '(\+ |\ythen |\yelse )(\$\d+)', '\1\2::bigint', 'gi'), query] LOOP
		BEGIN
			plan := NULL;
			EXECUTE 'PREPARE recorded' || coalesce(' (' || types || ')', '') || ' AS ' || variant;
			FOR line IN EXECUTE 'EXPLAIN EXECUTE recorded' || coalesce(' (' || repeat('NULL, ', params - 1) || 'NULL)', '') LOOP
				plan := plan || line;
			END LOOP;
			DEALLOCATE recorded;
			RETURN plan;
		EXCEPTION WHEN syntax_error_or_access_rule_violation THEN
			plan := ARRAY['error: ' || SQLERRM];
		END;
	END LOOP;
	RETURN plan;
END $$;
SET search_path = storefront;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SELECT coalesce(json_agg(json_build_object('query', query, 'plan', pg_temp.plan_of(query))), '[]')
FROM (
	SELECT DISTINCT query FROM public.pg_stat_statements
	WHERE query ~* '^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\y' AND query NOT LIKE '%FROM ONLY%'
		AND dbid NOT IN (SELECT oid FROM pg_database WHERE datname = 'MAIN' OR datname = current_database())
) recorded`

// CheckRecorded checks the plans of the statements that programs have executed in the databases of
// data folders since the server for tests started: every scan of one of the tables must have the
// tenant in its condition. It returns the number of statements, and logs statements that cannot be
// explained. It skips the test unless the server records statements with pg_stat_statements.
func CheckRecorded(tb testing.TB, dir, script string, tables []string) (checked int) {
	tb.Helper()
	NeedPostgres(tb)
	Database(tb, dir, script)
	databases.mu.Lock()
	database := databases.of[absolute(tb, dir)].database
	databases.mu.Unlock()
	if err := execute(database, "CREATE EXTENSION pg_stat_statements SCHEMA public; SELECT count(*) FROM public.pg_stat_statements"); err != nil {
		tb.Skipf("needs a server with shared_preload_libraries=pg_stat_statements: %v", err)
	}
	main, err := exec.Command("psql", address(""), "-XqtA", "-c", "SELECT current_database()").Output()
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command("psql", address(database), "-XqtA", "-v", "ON_ERROR_STOP=1")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(recordedPlans, "MAIN", strings.TrimSpace(string(main))))
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("explain the recorded statements: %v", err)
	}
	var statements []struct {
		Query string
		Plan  []string
	}
	if err := json.Unmarshal(out, &statements); err != nil {
		tb.Fatalf("%v in %.300s", err, out)
	}
	named := regexp.MustCompile(`\b(?:` + strings.Join(tables, "|") + `)\b`)
	for _, s := range statements {
		if !named.MatchString(s.Query) {
			continue // about tables of the engine
		}
		if len(s.Plan) == 1 && strings.HasPrefix(s.Plan[0], "error: ") {
			tb.Logf("not explained, since the types of its constants are not recorded: %s\n%s", s.Query, s.Plan[0])
			continue
		}
		checked++
		if scan := unrestricted(s.Plan); scan != "" {
			tb.Errorf("%s\n%s\nhas no tenant in its condition:\n%s", s.Query, scan, strings.Join(s.Plan, "\n"))
		}
	}
	return checked
}
