// The room Database.
