// Tests of the room Crypto.
