// The tests of this room are being built.
