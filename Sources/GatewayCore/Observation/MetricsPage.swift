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
        package var droppedLogLines: Int
        /// Nil when the server has no TLS certificate.
        package var certificateSecondsLeft: Int?

        /// Creates the gauges of a moment. A gauge that is nil is omitted from the page.
        package init(
            sessionsLive: Int? = nil, sessionsCached: Int, hashingQueueDepth: Int, databaseCommits: Int,
            databaseWrites: Int, droppedLogLines: Int, certificateSecondsLeft: Int? = nil
        ) {
            self.sessionsLive = sessionsLive
            self.sessionsCached = sessionsCached
            self.hashingQueueDepth = hashingQueueDepth
            self.databaseCommits = databaseCommits
            self.databaseWrites = databaseWrites
            self.droppedLogLines = droppedLogLines
            self.certificateSecondsLeft = certificateSecondsLeft
        }
    }

    private var text = ""

    /// Returns the text of the page. The samples are in a fixed order.
    package static func text(_ counts: Metrics.Counts, _ gauges: Gauges) -> String {
        var page = MetricsPage()
        page.requests(counts)
        page.durations(counts)
        page.family("latchd_sign_ins_total", "counter", "Sign-ins by outcome.")
        for outcome in Metrics.SignIn.allCases {
            page.sample("latchd_sign_ins_total", [("outcome", outcome.rawValue)], counts.signIns[outcome] ?? 0)
        }
        page.family("latchd_refreshes_total", "counter", "Session refreshes by outcome.")
        for outcome in Metrics.Refresh.allCases {
            page.sample("latchd_refreshes_total", [("outcome", outcome.rawValue)], counts.refreshes[outcome] ?? 0)
        }
        page.bridge(counts)
        page.keys(counts)
        page.gauges(gauges)
        return page.text
    }

    /// Appends the counters of identity providers, if there are any.
    private mutating func bridge(_ all: Metrics.Counts) {
        guard !all.bridge.isEmpty || !all.exchanges.isEmpty else { return }
        family("latchd_bridge_sign_ins_total", "counter", "Sign-ins through identity providers by outcome.")
        for (provider, outcomes) in all.bridge.sorted(by: { $0.key < $1.key }) {
            for outcome in Metrics.BridgeOutcome.allCases {
                sample(
                    "latchd_bridge_sign_ins_total", [("provider", provider), ("outcome", outcome.rawValue)],
                    outcomes[outcome] ?? 0)
            }
        }
        family("latchd_code_exchanges_total", "counter", "Exchanges of one-time codes by outcome.")
        for outcome in Metrics.Exchange.allCases {
            sample("latchd_code_exchanges_total", [("outcome", outcome.rawValue)], all.exchanges[outcome] ?? 0)
        }
    }

    private mutating func keys(_ all: Metrics.Counts) {
        family("latchd_requests_limited_total", "counter", "Refused requests by limit.")
        for kind in RequestLimits.Kind.allCases {
            sample("latchd_requests_limited_total", [("limit", kind.rawValue)], all.limited[kind] ?? 0)
        }
        guard !all.apiKeys.isEmpty else { return }
        family("latchd_api_keys_total", "counter", "Keys of programs: created, revoked, and refused in requests.")
        for outcome in Metrics.APIKey.allCases {
            sample("latchd_api_keys_total", [("outcome", outcome.rawValue)], all.apiKeys[outcome] ?? 0)
        }
    }

    private mutating func requests(_ all: Metrics.Counts) {
        family("latchd_http_requests_total", "counter", "Requests by route, method and status class.")
        for (route, counts) in all.requests.sorted(by: { $0.key < $1.key }) {
            for (method, classes) in zip(Metrics.methods, counts.byMethod) {
                for (statusClass, count) in classes.enumerated() where count > 0 {
                    sample(
                        "latchd_http_requests_total",
                        [("route", route), ("method", method), ("status", "\(statusClass)xx")], count)
                }
            }
        }
    }

    private mutating func durations(_ all: Metrics.Counts) {
        let name = "latchd_http_request_duration_seconds"
        family(name, "histogram", "Time from request head to response, by route.")
        for (route, counts) in all.requests.sorted(by: { $0.key < $1.key }) {
            let histogram = counts.durations
            var total = 0
            for (bound, count) in zip(Histogram.bounds.map { String($0) } + ["+Inf"], histogram.buckets) {
                total += count
                sample("\(name)_bucket", [("route", route), ("le", bound)], total)
            }
            line("\(name)_sum", [("route", route)], String(histogram.sum))
            sample("\(name)_count", [("route", route)], histogram.count)
        }
    }

    private mutating func gauges(_ gauges: Gauges) {
        if let live = gauges.sessionsLive { single("latchd_sessions_live", "gauge", "Live sessions.", live) }
        single("latchd_sessions_cached", "gauge", "Sessions in memory.", gauges.sessionsCached)
        single("latchd_hashing_queue_depth", "gauge", "Passwords waiting to be hashed.", gauges.hashingQueueDepth)
        single("latchd_database_commits_total", "counter", "Committed transactions.", gauges.databaseCommits)
        single("latchd_database_writes_total", "counter", "Writes, several per transaction.", gauges.databaseWrites)
        single("latchd_log_lines_dropped_total", "counter", "Dropped log lines.", gauges.droppedLogLines)
        if let left = gauges.certificateSecondsLeft {
            single(
                "latchd_tls_certificate_expiry_seconds", "gauge", "Seconds until the certificate expires.", left)
        }
    }

    private mutating func single(_ name: String, _ type: String, _ help: String, _ value: Int) {
        family(name, type, help)
        sample(name, [], value)
    }

    private mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Int) {
        line(name, labels, String(value))
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
        let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
