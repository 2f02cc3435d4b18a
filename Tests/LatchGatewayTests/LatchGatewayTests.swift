// Tests of the room LatchGateway.
