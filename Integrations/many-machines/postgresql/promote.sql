-- Makes the standby the primary: psql --file promote.sql, on the standby. First make sure that the old primary is off and stays off
-- (README.md): two primaries would each accept sign-ins and revocations that the other does not know.
\set ON_ERROR_STOP on

DO $$
BEGIN
    IF NOT pg_is_in_recovery() THEN
        RAISE EXCEPTION 'This machine is the primary already.';
    END IF;
END $$;

-- There is no standby behind the new primary yet, so its writes do not wait for one.
ALTER SYSTEM SET synchronous_standby_names = '';
SELECT pg_reload_conf();
-- Waits until the machine accepts writes, at most 60 s. The gateways find it themselves.
SELECT pg_promote(wait => true, wait_seconds => 60) AS promoted;
