/// The timeout of everything that a test expects to succeed, such as a connection to its database or a response of its
/// server. It is so long that only a fault reaches it, also on a slow machine.
///
/// A test that expects a timeout chooses a short one itself.
public enum SuccessTimeout {
    /// The timeout in whole seconds: 120, multiplied by ``MachineSpeed/slowness``.
    public static let seconds = Int((120 * MachineSpeed.slowness).rounded(.up))
    /// The timeout as a duration.
    public static let duration = Duration.seconds(seconds)
}
