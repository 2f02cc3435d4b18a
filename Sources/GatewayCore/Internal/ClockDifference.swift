/// The difference between the clocks of gateways that share a database.
package enum ClockDifference {
    /// The difference that does no harm: a minute.
    package static let tolerated = Duration.seconds(60)

    /// Whether a difference, in either direction, does no harm.
    package static func isTolerated(_ difference: Duration) -> Bool {
        (.zero - tolerated...tolerated).contains(difference)
    }
}
