-- Makes writes wait for the standby again: psql --file synchronous.sql, on the primary, once the standby is connected.
\set ON_ERROR_STOP on

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming') THEN
        RAISE EXCEPTION 'No standby is connected: writes would wait for it.';
    END IF;
END $$;

-- From here on synchronous_standby_names in latchd.conf applies.
ALTER SYSTEM RESET synchronous_standby_names;
SELECT pg_reload_conf();
