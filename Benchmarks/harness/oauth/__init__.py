"""Authorization servers with people who are signed in at them in a browser, and clients that ask for tokens."""
