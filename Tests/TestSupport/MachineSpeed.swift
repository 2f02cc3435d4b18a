import Foundation

/// The speed of the machine that runs the tests, as `scripts/machine-speed` has measured it.
public enum MachineSpeed {
    /// How many times slower the machine is than the one for which the limits of the tests are written, at least 1. It
    /// is the value of `LATCHSTRING_TEST_SLOWNESS`, and 1 without that variable.
    public static let slowness = max(
        1, ProcessInfo.processInfo.environment["LATCHSTRING_TEST_SLOWNESS"].flatMap { Double($0) } ?? 1)
}
