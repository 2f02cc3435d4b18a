// The room Arguments.
