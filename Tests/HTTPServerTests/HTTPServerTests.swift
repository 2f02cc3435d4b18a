// Tests of the room HTTPServer.
