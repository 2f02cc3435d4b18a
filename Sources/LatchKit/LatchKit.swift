// The room LatchKit.
