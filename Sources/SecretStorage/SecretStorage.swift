// The room SecretStorage.
