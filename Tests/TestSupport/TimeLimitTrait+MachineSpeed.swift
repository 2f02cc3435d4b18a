public import Testing

extension TimeLimitTrait.Duration {
    /// The time limit of a test or suite on the machine for which it is written. On a slower machine it is longer in the
    /// same proportion.
    ///
    /// It takes the place of the function of the same name in Testing in every file that imports TestSupport;
    /// `scripts/lint` checks that each file with a time limit does.
    public static func minutes(_ minutes: Int) -> Self {
        // Of another type than `Int`, so that this calls Testing's function.
        .minutes(Int64((Double(minutes) * MachineSpeed.slowness).rounded(.up)))
    }
}
