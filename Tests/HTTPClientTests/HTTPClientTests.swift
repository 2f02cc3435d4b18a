// Tests of the room HTTPClient.
