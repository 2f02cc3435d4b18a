// Tests of the room Wire.
