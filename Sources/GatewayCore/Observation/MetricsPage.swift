import FoundationEssentials
import Primitives

/// The page at `/metrics`.
///
/// Source: Prometheus, "Exposition formats", text format 0.0.4.
package struct MetricsPage {
    /// The media type of the page.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The values that are measured when the page is requested.
    package struct Gauges: Sendable {
        /// Nil when the database could not be read.
        package var sessionsLive: Int?
        package var sessionsCached: Int
        package var hashingQueueDepth: Int
        package var databaseCommits: Int
        package var databaseWrites: Int
        package var databaseErrors: Int
        package var droppedLogLines: Int
        /// Nil when the server has no TLS certificate.
        package var certificateSecondsLeft: Int?

        /// Creates the gauges of a moment. A gauge that is nil is omitted from the page.
        package init(
            sessionsLive: Int? = nil, sessionsCached: Int, hashingQueueDepth: Int, databaseCommits: Int,
            databaseWrites: Int, databaseErrors: Int, droppedLogLines: Int, certificateSecondsLeft: Int? = nil
        ) {
            self.sessionsLive = sessionsLive
            self.sessionsCached = sessionsCached
            self.hashingQueueDepth = hashingQueueDepth
            self.databaseCommits = databaseCommits
            self.databaseWrites = databaseWrites
            self.databaseErrors = databaseErrors
            self.droppedLogLines = droppedLogLines
            self.certificateSecondsLeft = certificateSecondsLeft
        }
    }

    private var text = ""

    /// Returns the text of the page. The samples are in a fixed order.
    package static func text(_ counts: Metrics.Counts, _ gauges: Gauges) -> String {
        var page = MetricsPage()
        page.build()
        page.requests(counts)
        page.unavailable(counts)
        page.durations(counts)
        page.family("latchd_sign_ins_total", type: "counter", help: "Sign-ins by outcome.")
        for outcome in Metrics.SignIn.allCases {
            page.sample(
                "latchd_sign_ins_total", labels: [("outcome", outcome.rawValue)], value: counts.signIns[outcome] ?? 0)
        }
        page.family("latchd_refreshes_total", type: "counter", help: "Session refreshes by outcome.")
        for outcome in Metrics.Refresh.allCases {
            page.sample(
                "latchd_refreshes_total", labels: [("outcome", outcome.rawValue)],
                value: counts.refreshes[outcome] ?? 0)
        }
        page.bridge(counts)
        page.keys(counts)
        page.gauges(gauges)
        page.database(counts, gauges)
        return page.text
    }

    /// Appends the version, as a label of a constant.
    private mutating func build() {
        family("latchd_build_info", type: "gauge", help: "The version of latchd; always 1.")
        sample("latchd_build_info", labels: [("version", Release.version)], value: 1)
    }

    /// Appends the counters of identity providers, if there are any.
    private mutating func bridge(_ all: Metrics.Counts) {
        guard !all.bridge.isEmpty || !all.exchanges.isEmpty else { return }
        family(
            "latchd_bridge_sign_ins_total", type: "counter", help: "Sign-ins through identity providers by outcome.")
        for (provider, outcomes) in all.bridge.sorted(by: { $0.key < $1.key }) {
            for outcome in Metrics.BridgeOutcome.allCases {
                sample(
                    "latchd_bridge_sign_ins_total", labels: [("provider", provider), ("outcome", outcome.rawValue)],
                    value: outcomes[outcome] ?? 0)
            }
        }
        family("latchd_code_exchanges_total", type: "counter", help: "Exchanges of one-time codes by outcome.")
        for outcome in Metrics.Exchange.allCases {
            sample(
                "latchd_code_exchanges_total", labels: [("outcome", outcome.rawValue)],
                value: all.exchanges[outcome] ?? 0)
        }
    }

    private mutating func keys(_ all: Metrics.Counts) {
        family("latchd_requests_limited_total", type: "counter", help: "Refused requests by limit.")
        for kind in RequestLimits.Kind.allCases {
            sample("latchd_requests_limited_total", labels: [("limit", kind.rawValue)], value: all.limited[kind] ?? 0)
        }
        if !all.signatures.isEmpty {
            family(
                "latchd_signatures_verified_total", type: "counter",
                help: "Verifications of signatures that clients sent, by kind.")
            for kind in Metrics.Signature.allCases {
                sample(
                    "latchd_signatures_verified_total", labels: [("kind", kind.rawValue)],
                    value: all.signatures[kind] ?? 0)
            }
        }
        family("latchd_requests_banned_total", type: "counter", help: "Refused requests of banned addresses.")
        sample("latchd_requests_banned_total", labels: [], value: all.banned)
        guard !all.apiKeys.isEmpty else { return }
        family(
            "latchd_api_keys_total", type: "counter",
            help: "Keys of programs: created, revoked, and refused in requests.")
        for outcome in Metrics.APIKey.allCases {
            sample("latchd_api_keys_total", labels: [("outcome", outcome.rawValue)], value: all.apiKeys[outcome] ?? 0)
        }
    }

    private mutating func requests(_ all: Metrics.Counts) {
        family("latchd_http_requests_total", type: "counter", help: "Requests by route, method and status class.")
        for (route, counts) in all.requests.sorted(by: { $0.key < $1.key }) {
            for (method, classes) in zip(Metrics.methods, counts.byMethod) {
                for (statusClass, count) in classes.enumerated() where count > 0 {
                    sample(
                        "latchd_http_requests_total",
                        labels: [("route", route), ("method", method), ("status", "\(statusClass)xx")], value: count)
                }
            }
        }
    }

    private mutating func unavailable(_ all: Metrics.Counts) {
        family("latchd_http_unavailable_total", type: "counter", help: "Responses with status 503, by route.")
        for (route, counts) in all.requests.sorted(by: { $0.key < $1.key }) {
            sample("latchd_http_unavailable_total", labels: [("route", route)], value: counts.unavailable)
        }
    }

    private mutating func durations(_ all: Metrics.Counts) {
        let name = "latchd_http_request_duration_seconds"
        family(name, type: "histogram", help: "Time from request head to response, by route.")
        for (route, counts) in all.requests.sorted(by: { $0.key < $1.key }) {
            let histogram = counts.durations
            var total = 0
            for (bound, count) in zip(Histogram.bounds.map { String($0) } + ["+Inf"], histogram.buckets) {
                total += count
                sample("\(name)_bucket", labels: [("route", route), ("le", bound)], value: total)
            }
            line("\(name)_sum", labels: [("route", route)], value: String(histogram.sum))
            sample("\(name)_count", labels: [("route", route)], value: histogram.count)
        }
    }

    private mutating func gauges(_ gauges: Gauges) {
        if let live = gauges.sessionsLive {
            single("latchd_sessions_live", type: "gauge", help: "Live sessions.", value: live)
        }
        single("latchd_sessions_cached", type: "gauge", help: "Sessions in memory.", value: gauges.sessionsCached)
        single(
            "latchd_hashing_queue_depth", type: "gauge", help: "Passwords waiting to be hashed.",
            value: gauges.hashingQueueDepth)
        single(
            "latchd_log_lines_dropped_total", type: "counter", help: "Dropped log lines.",
            value: gauges.droppedLogLines)
        if let left = gauges.certificateSecondsLeft {
            single(
                "latchd_tls_certificate_expiry_seconds", type: "gauge", help: "Seconds until the certificate expires.",
                value: left)
        }
    }

    private mutating func database(_ counts: Metrics.Counts, _ gauges: Gauges) {
        single(
            "latchd_database_up", type: "gauge", help: "Whether the database answered this request for the metrics.",
            value: gauges.sessionsLive == nil ? 0 : 1)
        if let contact = counts.databaseContact {
            single(
                "latchd_database_last_contact_timestamp_seconds", type: "gauge",
                help: "When the database last answered.", value: Int(contact.timeIntervalSince1970))
        }
        if let difference = counts.databaseClockDifference {
            let name = "latchd_database_clock_difference_seconds"
            family(name, type: "gauge", help: "How much the clock of the database is ahead of this machine's.")
            line(name, labels: [], value: String(Double(difference.wholeMilliseconds) / 1_000))
        }
        single(
            "latchd_database_errors_total", type: "counter",
            help: "Requests and steps of background work that failed because of the database.",
            value: gauges.databaseErrors)
        single(
            "latchd_database_commits_total", type: "counter", help: "Committed transactions.",
            value: gauges.databaseCommits)
        single(
            "latchd_database_writes_total", type: "counter", help: "Writes, several per transaction.",
            value: gauges.databaseWrites)
    }

    private mutating func single(_ name: String, type: String, help: String, value: Int) {
        family(name, type: type, help: help)
        sample(name, labels: [], value: value)
    }

    private mutating func family(_ name: String, type: String, help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, labels: [(String, String)], value: Int) {
        line(name, labels: labels, value: String(value))
    }

    private mutating func line(_ name: String, labels: [(String, String)], value: String) {
        let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
    }
}
