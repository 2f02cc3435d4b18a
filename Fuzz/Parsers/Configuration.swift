@testable import GatewayConfiguration
@testable import LatchGateway
@testable import YAML

extension FuzzedParser {
    static let configuration = [
        FuzzedParser("yaml") { input in
            guard let root = try? YAML.parse(input) else { return }
            var nodes = 0
            func look(_ node: YAMLNode, _ depth: Int) throws(BrokenProperty) {
                nodes += 1
                try require(depth <= YAML.maximumDepth, "A tree is deeper than is allowed.")
                for item in node.items ?? [] { try look(item, depth + 1) }
                let entries = node.entries ?? []
                try require(Set(entries.map(\.key)).count == entries.count, "A key stands twice.")
                for entry in entries { try look(entry.value, depth + 1) }
            }
            try look(root, 0)
            try require(nodes <= YAML.maximumNodes, "A tree has more values than are allowed.")
        },
        FuzzedParser("configuration-file") { input in
            do throws(ConfigurationError) {
                _ = try ConfigurationReader.read(
                    file: input, name: "latchd.yaml", folder: "/etc/latchd", environment: [:], defaultValue: standard)
            } catch {
                try require(!error.mistakes.isEmpty, "A configuration was refused without a reason.")
                try require(
                    error.mistakes.allSatisfy { !$0.problem.isEmpty && !$0.remedy.isEmpty },
                    "A mistake in the configuration has no remedy.")
            }
        },
        // NAME=value lines.
        FuzzedParser("configuration-environment") { input in
            var environment: [String: String] = [:]
            for line in input.lines(16) {
                let halves = line.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard halves.count == 2 else { continue }
                environment["LATCHD_" + halves[0]] = String(halves[1])
            }
            do throws(ConfigurationError) {
                _ = try ConfigurationReader.read(file: nil, environment: environment, defaultValue: standard)
            } catch {
                try require(!error.mistakes.isEmpty, "A configuration was refused without a reason.")
            }
        },
        FuzzedParser("configuration-values") { input in
            let text = input.text
            try requireStable(text, ConfigurationForm.listener)
            try requireStable(text, ConfigurationForm.network)
            try requireStable(text, ConfigurationForm.prefix)
            try requireStable(text, ConfigurationForm.bytes(0...Int.max))
            try requireStable(text, ConfigurationForm.duration(.zero ... .seconds(Int64.max / 1_000)))
        },
    ]

    private static let standard = DaemonConfiguration(stateFolder: "/var/lib/latchd")

    /// A value that was read is the same after it is shown and read again.
    private static func requireStable<Value: Equatable>(
        _ text: String, _ form: ConfigurationForm<Value>
    ) throws(BrokenProperty) {
        guard let value = form.read(text, "") else { return }
        let shown = form.show(value)
        try require(form.read(shown, "") == value, "'\(text)' is shown as '\(shown)', which is something else.")
    }
}
