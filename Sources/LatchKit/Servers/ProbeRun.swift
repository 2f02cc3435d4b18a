import HTTPMessages

/// One run of a ``ServerProbe``. It converts events to steps.
struct ProbeRun {
    let address: ServerAddress
    let isPinned: Bool
    let onStep: @Sendable (ProbeStep) -> Void
    var report = ProbeReport()
    private var hasReached = false
    private var mismatches: [String] = []
    private var interception: String?
    private var missingTLS: String?
    private var isUnavailable = false

    init(address: ServerAddress, isPinned: Bool, onStep: @escaping @Sendable (ProbeStep) -> Void) {
        self.address = address
        self.isPinned = isPinned
        self.onStep = onStep
    }

    /// Reports the address, with a warning if it is not encrypted.
    mutating func checkAddress() {
        guard !address.isEncrypted, !address.isLoopback else {
            return add(.address, .passed, message: "The address is \(address).")
        }
        add(
            .address, .warned,
            message: "The address is \(address). All data, including the password, is sent unencrypted.",
            remedy: "Use https if the server supports it. Otherwise use this address only on a network that you trust.")
    }

    /// Reports that name resolution, connection and certificate verification succeeded. Does so only once.
    mutating func reached() {
        guard !hasReached else { return }
        hasReached = true
        add(.name, .passed, message: "The name '\(address.host)' was resolved.")
        add(.connection, .passed, message: "\(address.authority) accepts connections.")
        guard address.isEncrypted else {
            return add(.trust, .skipped, message: "Skipped, because the connection is not encrypted.")
        }
        add(
            .trust, .passed,
            message: isPinned ? "The certificate is the confirmed one." : "The certificate is trusted.")
    }

    /// Records what a dialect found. Returns whether it found the server.
    mutating func record(
        _ finding: DiscoveryResult, from asked: any Dialect, connection: ConnectionOptions
    ) -> Bool {
        switch finding {
        case .server(let dialect, let place, let features):
            report.server = Server(address: place, dialect: dialect, features: features, connection: connection)
            let version = features.version.map { " " + SanitizedText.clean($0) } ?? ""
            let elsewhere = place == address ? "" : " at \(place)"
            let what =
                features.gateway.map {
                    "\(place.authority)\(place.prefix) is protected by \($0.authority), where you sign in. It"
                }
                ?? "The server speaks \(dialect.title)\(version)\(elsewhere). It"
            add(.dialect, .passed, message: "\(what) \(Self.ways(features)).")
            for warning in features.warnings { add(.dialect, .warned, message: warning) }
            return true
        case .notRecognized(let reason, let response):
            mismatches.append("\(asked.title): \(reason)")
            missingTLS = missingTLS ?? InterceptedResponse.missingTLS(response, from: address)
            isUnavailable = isUnavailable || response.status == .serviceUnavailable
            interception = interception ?? InterceptedResponse.reason(for: response, from: address, expectsJSON: true)
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
        return ways.isEmpty
            ? "has no sign-in method that this program supports"
            : "supports sign-in " + ways.joined(separator: " and ")
    }

    /// Reports that something responds at the address that no dialect recognizes.
    mutating func failUnknown() {
        if let missingTLS {
            report.failure = LatchError(.tlsFailed, "Server is not reachable: \(missingTLS)")
            add(.dialect, .failed, message: "Server is not reachable: \(missingTLS)")
            return
        }
        if let interception {
            report.failure = LatchError(
                .interceptedResponse, "The response did not come from \(address); \(interception)")
            add(.dialect, .failed, message: "The response did not come from the server; \(interception)")
            return
        }
        if isUnavailable {
            let message = "\(address) \(HTTPStatus.serviceUnavailable.failureDescription)."
            let remedy = "Try again later."
            report.failure = LatchError(.serverError, message + " " + remedy, status: .serviceUnavailable)
            return add(.dialect, .failed, message: message, remedy: remedy)
        }
        let message =
            "The server at \(address) is not one that this program supports (\(mismatches.joined(separator: "; ")))."
        let remedy = "Check the address. If the server is not at the root of its host, add its path."
        report.failure = LatchError(.unsupportedServer, message + " " + remedy)
        add(.dialect, .failed, message: message, remedy: remedy)
    }

    /// Reports the step that failed and marks the later ones as skipped.
    mutating func fail(_ error: LatchError) {
        report.failure = error
        guard !hasReached else { return add(.dialect, .failed, message: error.message) }
        let failed = Self.step(of: error.code)
        for kind in [ProbeStep.Kind.name, .connection, .trust, .dialect] {
            if kind == failed {
                add(kind, .failed, message: error.message)
            } else if Self.order(kind) < Self.order(failed) {
                let message = kind == .name ? "The name was resolved." : "The server accepts connections."
                add(kind, .passed, message: message)
            } else {
                add(kind, .skipped, message: "Skipped.")
            }
        }
    }

    /// Reports that something on this device prevents the connection, such as an unreadable file. No request was sent.
    mutating func failBefore(_ error: LatchError) {
        report.failure = error
        add(.name, .skipped, message: "Skipped.")
        add(.connection, .skipped, message: "Skipped.")
        add(.trust, .failed, message: error.message)
        add(.dialect, .skipped, message: "Skipped.")
    }

    private mutating func add(
        _ kind: ProbeStep.Kind, _ outcome: ProbeStep.Outcome, message: String, remedy: String? = nil
    ) {
        let step = ProbeStep(kind: kind, outcome: outcome, message: message, remedy: remedy)
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
