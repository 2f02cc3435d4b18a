import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

/// The alerts, the dashboard and the documentation name the metrics that a gateway has.
@Suite("Files for monitoring", .timeLimit(.minutes(20)))
struct MonitoringFilesTests {
    private static func file(_ path: String) throws -> String {
        try String(contentsOfFile: "\(Products.packageFolder)/\(path)", encoding: .utf8)
    }

    /// The names of metrics in a text.
    private static func names(in text: String) -> Set<String> {
        Set(text.matches(of: /latchd_[a-z0-9_]+/).map { String($0.output) })
    }

    /// The page of a gateway with traffic of every kind.
    private func page() async throws -> String {
        var text = ""
        try await BridgeFixture.with { fixture in
            let base = fixture.base
            try await base.addPerson()
            _ = try await fixture.deepLink(AppSignIn())
            base.gateway.metrics.apiKey(.made)
            base.gateway.metrics.signature(.proof)
            base.gateway.metrics.recordClockDifference(.zero)
            _ = try await base.me(try await base.token())
            text = try await base.http.send("GET", "/metrics").text
        }
        // Only a gateway with TLS has it.
        let tls = MetricsPage.text(
            Metrics().counts,
            MetricsPage.Gauges(
                sessionsCached: 0, hashingQueueDepth: 0, databaseCommits: 0, databaseWrites: 0, databaseErrors: 0,
                droppedLogLines: 0, certificateSecondsLeft: 1))
        return text + tls.split(separator: "\n").filter { $0.contains("_tls_") }.joined(separator: "\n") + "\n"
    }

    @Test func `every metric of the alerts and of the dashboard is one of the gateway's`() async throws {
        let samples = Set(
            try await page().split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
                $0.prefix { $0 != "{" && $0 != " " }
            }
            .map(String.init))
        for path in ["prometheus/latchd.rules.yml", "grafana/latchd.json"] {
            let names = Self.names(in: try Self.file("Integrations/\(path)"))
            #expect(names.count > 8)
            #expect(names.subtracting(samples).isEmpty, "\(path): \(names.subtracting(samples))")
        }
    }

    @Test func `every metric of the gateway is in the documentation, and no other`() async throws {
        let families = Set(
            try await page().split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map {
                String($0.split(separator: " ")[2])
            })
        let table = try Self.file("docs/operations.md").split(separator: "\n").filter { $0.hasPrefix("| `latchd_") }
        let documented = table.flatMap { Self.names(in: String($0.split(separator: "|")[0])) }
        #expect(documented.count == Set(documented).count)
        #expect(Set(documented) == families)
    }

    @Test func `every alert of the rules is in the documentation, and no other`() throws {
        let rules = try Self.file("Integrations/prometheus/latchd.rules.yml").matches(of: /alert: (\w+)/)
        let table = try Self.file("docs/operations.md").matches(of: /\| `(Latchd\w+)`/)
        #expect(table.map { String($0.output.1) } == rules.map { String($0.output.1) })
    }

    @Test func `Prometheus accepts the rules, and they fire when they should`() async throws {
        let folder = try TemporaryDirectory()
        let rules = "\(Products.packageFolder)/Integrations/prometheus/latchd.rules.yml"
        let checked = try await Program.run("promtool", ["check", "rules", rules])
        #expect(checked.status == 0, "\(checked.errors)")
        let tests = try folder.write(Self.ruleTests(rules), to: "tests.yml")
        let tested = try await Program.run("promtool", ["test", "rules", tests])
        #expect(tested.status == 0, "\(tested.output)\(tested.errors)")
    }

    /// Gateway `a` is healthy, and gateway `b` has one failure after another.
    private static func ruleTests(_ rules: String) -> String {
        func series(_ name: String, healthy: String, failing: String) -> String {
            let separator = name.contains("{") ? "," : "{"
            let start = name.contains("{") ? String(name.dropLast()) : name
            return """
                      - series: '\(start)\(separator)instance="a"}'
                        values: '\(healthy)'
                      - series: '\(start)\(separator)instance="b"}'
                        values: '\(failing)'

                """
        }
        let all =
            series("up{job=\"latchd\"}", healthy: "1x30", failing: "0x30")
            + series("latchd_database_up", healthy: "1x30", failing: "0x30")
            + series("latchd_database_last_contact_timestamp_seconds", healthy: "0+60x30", failing: "0x30")
            + series("latchd_database_errors_total", healthy: "0x30", failing: "0+10x30")
            + series("latchd_database_clock_difference_seconds", healthy: "29x30", failing: "-31x30")
            + series(
                "latchd_http_requests_total{route=\"/api/me\",status=\"5xx\"}", healthy: "0x30", failing: "0+10x30")
            + series("latchd_http_unavailable_total{route=\"/api/me\"}", healthy: "0x30", failing: "0+10x30")
            + series("latchd_tls_certificate_expiry_seconds", healthy: "9999999x30", failing: "86400x30")
            + series("latchd_sign_ins_total{outcome=\"refused\"}", healthy: "0+1x30", failing: "0+100x30")
            + series(
                "latchd_bridge_sign_ins_total{provider=\"p\",outcome=\"failed\"}", healthy: "0x30", failing: "0+5x30")
            + zip(["2.5", "5", "+Inf"], ["0x30", "0+10x30", "0+10x30"]).map { bound, failing in
                let name = "latchd_http_request_duration_seconds_bucket"
                return series(
                    "\(name){route=\"/api/auth/mobile/login\",le=\"\(bound)\"}", healthy: "0+10x30", failing: failing)
            }.joined()
            + series("latchd_hashing_queue_depth", healthy: "0x30", failing: "60x30")
            + series("latchd_log_lines_dropped_total", healthy: "0x30", failing: "0+1x30")
        let alerts = [
            "LatchdDown", "LatchdDatabaseDown", "LatchdDatabaseSilent", "LatchdDatabaseErrors",
            "LatchdClocksDiffer", "LatchdWritesWait", "LatchdUnavailable", "LatchdProviderUnavailable", "LatchdErrors",
            "LatchdCertificateExpires", "LatchdGuessing", "LatchdHashingQueue", "LatchdLogLinesDropped",
        ]
        // Only that the alert fires, for one gateway: its labels and text are in the rules.
        let counts = alerts.map {
            """
                  - expr: 'count by (instance) (ALERTS{alertname="\($0)",alertstate="firing"})'
                    eval_time: 20m
                    exp_samples:
                      - labels: '{instance="b"}'
                        value: 1

            """
        }
        return """
            rule_files: ['\(rules)']
            evaluation_interval: 1m
            tests:
              - interval: 1m
                input_series:
            \(all.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
                promql_expr_test:
            \(counts.joined())
            """
    }
}
