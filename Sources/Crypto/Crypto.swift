// The room Crypto.
