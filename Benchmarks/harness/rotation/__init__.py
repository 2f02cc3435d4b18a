"""Refresh tokens under lost responses, killed programs and thefts, at three servers one after another."""
