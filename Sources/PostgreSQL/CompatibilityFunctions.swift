/// Functions of SQLite that PostgreSQL does not have. They are created in the schema of the tables.
///
/// Everything that statements use beyond the common subset of both databases is here.
package enum CompatibilityFunctions {
    /// SQL that creates the functions, and replaces older ones.
    package static let sql =
        """
        CREATE OR REPLACE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CASE WHEN $1 <= $2 THEN $1 WHEN $1 > $2 THEN $2 END;
        CREATE OR REPLACE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CASE WHEN $1 >= $2 THEN $1 WHEN $1 < $2 THEN $2 END;
        CREATE OR REPLACE FUNCTION instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN strpos($1, $2);
        CREATE OR REPLACE FUNCTION json_each(text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE
            AS 'SELECT jsonb_array_elements_text($1::jsonb)';
        CREATE OR REPLACE FUNCTION group_concat_next(text, text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
            RETURN CASE WHEN $2 IS NULL THEN $1 WHEN $1 IS NULL THEN $2 ELSE $1 || $3 || $2 END;
        CREATE OR REPLACE AGGREGATE group_concat(text, text) (
            SFUNC = group_concat_next, STYPE = text, PARALLEL = SAFE);
        """
}
