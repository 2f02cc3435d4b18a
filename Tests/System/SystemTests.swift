// Whole-system tests.
