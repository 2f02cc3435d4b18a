// Tests of the room SecretStorage.
