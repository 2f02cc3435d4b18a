"""The gateway on PostgreSQL with many sessions, and several gateways on one database."""
