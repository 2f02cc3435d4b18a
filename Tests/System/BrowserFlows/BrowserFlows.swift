import Foundation
import HTTPMessages
import TestSupport
import Testing

/// Chromium and Firefox, each of which goes through all flows at each site; Tests/Programs/PageVisit/flows.py has the flows.
struct BrowserFlows {
    /// The browsers.
    enum Browser: String, CaseIterable { case chromium, firefox }

    /// One flow in one browser behind one proxy.
    struct Row: Sendable, CustomTestStringConvertible {
        let flow: String
        let browser: Browser
        let proxy: BrowserSite.Proxy

        var testDescription: String { "\(flow), \(browser), \(proxy)" }
    }

    /// The flows of the running suite.
    @TaskLocal static var current: BrowserFlows?

    private static let folder = Products.packageFolder + "/Tests/Programs/PageVisit"
    private static let python = Products.packageFolder + "/.build/page-visit/bin/python"

    private let authority: Authority
    private let surroundings: RunningProgram
    private let sites: [BrowserSite]
    private let browsers: [Browser: RunningProgram]

    /// Starts everything.
    init() async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.python) else {
            throw ChildProcess.Failure("What drives the browsers is not installed: run scripts/page-visit.")
        }
        authority = try await Authority.make()
        let names = BrowserSite.Proxy.allCases.flatMap { proxy in
            [BrowserSite.domain(proxy), "home." + BrowserSite.domain(proxy)]
        }
        let certificate = try await authority.issue(
            "home", for: (names + ["other.test"]).map { "DNS:*.\($0)" }.joined(separator: ","))
        let addresses = BrowserSite.Proxy.allCases.map { proxy in
            (
                proxy: proxy,
                address: "127.\(Int.random(in: 64...127)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
            )
        }
        let environment = ["PATH": ProxyFixture.path, "HOME": authority.folder.path, "PYTHONDONTWRITEBYTECODE": "1"]
        surroundings = try RunningProgram(
            Self.python,
            [Self.folder + "/surroundings.py", certificate.certificate, certificate.key]
                + addresses.map { "\(BrowserSite.domain($0.proxy))=\($0.address):\(BrowserSite.port)" },
            environment: environment)
        let ports = try JSONValue(parsing: Array(try await surroundings.line(containing: "{").utf8))
        func port(_ name: String) throws -> Int { Int(try #require(ports[name]?.number)) }
        let around = BrowserSite.Surroundings(
            certificate: certificate, backend: try port("backend"), provider: try port("provider"),
            formProvider: try port("form_provider"))
        var sites: [BrowserSite] = []
        for (proxy, address) in addresses {
            sites.append(try await BrowserSite(proxy, at: address, around))
        }
        self.sites = sites
        let plan: JSONValue = [
            "latchd": .string(try Products.path("latchd")), "tunnels": .number(Double(try port("tunnels"))),
            "secret": .string(BrowserSite.secret), "sites": .array(sites.map(\.json)),
        ]
        var browsers: [Browser: RunningProgram] = [:]
        for browser in Browser.allCases {
            browsers[browser] = try RunningProgram(
                Self.python,
                [Self.folder + "/flows.py", browser.rawValue, String(decoding: plan.encoded(), as: UTF8.self)],
                environment: environment.merging(["TMPDIR": authority.folder.path]) { $1 })
        }
        self.browsers = browsers
    }

    /// Waits until a flow was gone through, and fails with what was wrong in it.
    func finish(_ row: Row) async throws {
        let start = "\(row.proxy) \(row.flow): "
        let program = try #require(browsers[row.browser])
        let line = try await program.line("'\(start)'") { $0.hasPrefix(start) }
        guard line == start + "passed" else {
            let text = String(line.dropFirst(start.count))
            throw ChildProcess.Failure((try? JSONValue(parsing: Array(text.utf8)))?.string ?? text)
        }
    }

    /// Ends everything.
    func end() async {
        for program in Array(browsers.values) + [surroundings] {
            program.send(SIGTERM)
            await program.waitForExit()
        }
        for site in sites { await site.end() }
    }

    /// Runs the program with the flows, and returns what it prints.
    static func printed(_ argument: String) async throws -> String {
        let result = try await Program.run(python, [folder + "/flows.py", argument])
        guard result.status == 0 else { throw ChildProcess.Failure(result.errors) }
        return result.output
    }
}

/// Starts the browsers once for all tests of a suite.
struct BrowserFlowsTrait: SuiteTrait, TestScoping {
    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let flows = try await BrowserFlows()
        try await attempt {
            try await BrowserFlows.$current.withValue(flows) { try await function() }
        } finally: {
            await flows.end()
        }
    }
}

extension Trait where Self == BrowserFlowsTrait {
    /// The tests of this suite wait for what the browsers do.
    static var browserFlows: BrowserFlowsTrait { BrowserFlowsTrait() }
}
