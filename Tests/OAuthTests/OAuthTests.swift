// Tests of the room OAuth.
