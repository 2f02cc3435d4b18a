/// One run of a ``ServerProbe``. It converts events to steps.
struct ProbeRun {
    let address: ServerAddress
    let isPinned: Bool
    let onStep: @Sendable (ProbeStep) -> Void
    var report = ProbeReport()
    private var hasReached = false
    private var strangers: [String] = []
    private var foreign: String?

    init(address: ServerAddress, isPinned: Bool, onStep: @escaping @Sendable (ProbeStep) -> Void) {
        self.address = address
        self.isPinned = isPinned
        self.onStep = onStep
    }

    /// Reports the address, with a warning if it is not encrypted.
    mutating func checkAddress() {
        guard !address.isEncrypted, !address.isLoopback else {
            return add(.address, .passed, "The address is \(address).")
        }
        add(
            .address, .warned, "The address is \(address): everything, the password too, travels unencrypted.",
            "Use https if the server has it; otherwise only on a network that you trust.")
    }

    /// Reports that name resolution, connection and certificate verification succeeded. Does so only once.
    mutating func reached() {
        guard !hasReached else { return }
        hasReached = true
        add(.name, .passed, "The name '\(address.host)' was found.")
        add(.connection, .passed, "\(address.authority) takes connections.")
        guard address.isEncrypted else { return add(.trust, .skipped, "Without encryption there is nothing to trust.") }
        add(
            .trust, .passed,
            isPinned ? "The certificate is the one that was confirmed." : "The certificate is trusted.")
    }

    /// Records what a dialect found. Returns whether it found the server.
    mutating func take(_ finding: DiscoveryResult, _ asked: any Dialect, _ connection: ConnectionOptions) -> Bool {
        switch finding {
        case .server(let dialect, let place, let features):
            report.server = Server(address: place, dialect: dialect, features: features, connection: connection)
            let version = features.version.map { " " + SanitizedText.clean($0) } ?? ""
            let elsewhere = place == address ? "" : " at \(place)"
            let what =
                features.gateway.map {
                    "\(place.authority)\(place.prefix) is protected by \($0.authority), where you sign in; it"
                }
                ?? "It is a server that speaks \(dialect.title)\(version)\(elsewhere); it"
            add(.dialect, .passed, "\(what) \(Self.ways(features)).")
            for warning in features.warnings { add(.dialect, .warned, warning) }
            return true
        case .notRecognized(let reason, let answer):
            strangers.append("\(asked.title): \(reason)")
            foreign = foreign ?? InterceptedResponse.reason(for: answer, from: address, expectsJSON: true)
            return false
        }
    }

    /// Returns how people sign in, as the end of a sentence.
    private static func ways(_ features: ServerFeatures) -> String {
        var ways: [String] = []
        if features.signsInWithPassword { ways.append("with e-mail and password") }
        if features.signsInWithBrowser {
            let names = features.providers.map { "\($0.title) (\(SanitizedText.clean($0.id)))" }
            ways.append("with the browser" + (names.isEmpty ? "" : " through " + names.joined(separator: ", ")))
        }
        if features.signsInWithKey { ways.append("with a key that you paste") }
        return ways.isEmpty ? "has no sign-in that is known here" : "signs in " + ways.joined(separator: " and ")
    }

    /// Reports that something responds at the address that no dialect recognizes.
    mutating func failUnknown() {
        if let foreign {
            report.failure = LatchError(.foreignAnswer, "\(address) did not answer itself; \(foreign)")
            add(.dialect, .failed, "Something answers in place of the server: \(foreign)")
            return
        }
        let message =
            "Something answers at \(address), and it is no server known here (\(strangers.joined(separator: "; ")))."
        let remedy = "Check the address, and its path if the server is not at the top of its host."
        report.failure = LatchError(.notAKnownServer, message + " " + remedy)
        add(.dialect, .failed, message, remedy)
    }

    /// Reports the step that failed and marks the later ones as skipped.
    mutating func fail(_ error: LatchError) {
        report.failure = error
        guard !hasReached else { return add(.dialect, .failed, error.message) }
        let failed = Self.step(of: error.code)
        for kind in [ProbeStep.Kind.name, .connection, .trust, .dialect] {
            if kind == failed {
                add(kind, .failed, error.message)
            } else if Self.order(kind) < Self.order(failed) {
                add(kind, .passed, kind == .name ? "The name was found." : "The server takes connections.")
            } else {
                add(kind, .skipped, "Not come to.")
            }
        }
    }

    /// Reports that something on this device prevents the connection, such as an unreadable file. No request was sent.
    mutating func failBefore(_ error: LatchError) {
        report.failure = error
        add(.name, .skipped, "Not come to.")
        add(.connection, .skipped, "Not come to.")
        add(.trust, .failed, error.message)
        add(.dialect, .skipped, "Not come to.")
    }

    private mutating func add(
        _ kind: ProbeStep.Kind, _ outcome: ProbeStep.Outcome, _ message: String, _ remedy: String? = nil
    ) {
        let step = ProbeStep(kind, outcome, message, remedy: remedy)
        report.steps.append(step)
        onStep(step)
    }

    private static func step(of code: LatchError.Code) -> ProbeStep.Kind {
        switch code {
        case .nameNotFound, .invalidAddress: .name
        case .connectionRefused, .unreachable, .timedOut, .proxyFailed: .connection
        case .tlsFailed, .clientCertificate: .trust
        case _ where code.rawValue.hasPrefix("certificate_"): .trust
        default: .connection
        }
    }

    private static func order(_ kind: ProbeStep.Kind) -> Int {
        ProbeStep.Kind.allCases.firstIndex(of: kind) ?? 0
    }
}
