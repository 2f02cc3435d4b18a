// Tests of the room Database.
