// The room HTTPClient.
