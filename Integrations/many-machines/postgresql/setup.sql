-- Once, on the primary: psql --file setup.sql. It sets no passwords, because they would be in the log. Set them afterwards with
-- '\password latchd' and '\password latchd_replication' in psql.
\set ON_ERROR_STOP on

-- Until the standby is connected, writes do not wait for it: synchronous.sql ends that. It comes first, because the rest writes.
ALTER SYSTEM SET synchronous_standby_names = '';
SELECT pg_reload_conf();

-- The gateways. This role owns its database and nothing else.
CREATE ROLE latchd LOGIN;
-- The standby. This role can copy everything, and cannot change anything.
CREATE ROLE latchd_replication LOGIN REPLICATION;

-- Text is compared byte by byte, as latchd compares it, whatever the language of the machine is.
CREATE DATABASE latchd OWNER latchd TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
-- Other roles cannot even connect.
REVOKE ALL ON DATABASE latchd FROM PUBLIC;
