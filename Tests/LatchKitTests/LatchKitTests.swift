// Tests of the room LatchKit.
