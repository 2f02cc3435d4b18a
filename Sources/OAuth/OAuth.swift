// The room OAuth.
