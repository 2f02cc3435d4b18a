/// The difference between the clocks of gateways that share a database.
package enum ClockDifference {
    /// The difference that does no harm: a minute.
    package static let tolerated = Duration.seconds(60)

    /// Whether a difference, in either direction, does no harm.
    package static func isTolerated(_ difference: Duration) -> Bool {
        (.zero - tolerated...tolerated).contains(difference)
    }

    /// Returns how much another clock is ahead of that of this machine, as text for people.
    package static func text(_ difference: Duration) -> String {
        let seconds = Int((difference / .seconds(1)).rounded())
        let note = isTolerated(difference) ? "" : ": more than a minute; set both clocks by NTP"
        return "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") this machine\(note)"
    }
}
