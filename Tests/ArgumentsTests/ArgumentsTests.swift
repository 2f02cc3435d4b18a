// Tests of the room Arguments.
