// The room LatchGateway.
