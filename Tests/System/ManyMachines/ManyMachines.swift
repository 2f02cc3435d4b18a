import Foundation
import TestSupport

/// The files of `Integrations/many-machines`, installed in a folder. Addresses and folders are replaced, nothing else.
struct ManyMachines {
    static let host = "latch.example.org"
    /// The port of the proxies, instead of 443, which not every user may use.
    static let port = 24_443

    let folder: TemporaryDirectory
    let authority: Authority
    /// Three numbers of the loopback network in place of `10.0.0`, so that tests do not use each other's ports.
    let network = "127.\(Int.random(in: 64...127)).\(Int.random(in: 1...254))"

    init() async throws {
        folder = try TemporaryDirectory.forSockets()
        // PostgreSQL, HAProxy and nginx run as users of their own.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        authority = try await Authority.make()
    }

    /// The address of a machine by the last number of its address.
    func address(_ number: Int) -> String { "\(network).\(number)" }

    /// Writes a file of the example with other addresses and other folders.
    ///
    /// - Parameters:
    ///   - name: The path below `Integrations/many-machines`.
    ///   - destination: The path below the folder of the test.
    ///   - places: Texts that are replaced, such as folders of the system.
    /// - Returns: The path of the written file.
    /// - Throws: An error of the file system.
    @discardableResult
    func install(_ name: String, as destination: String, _ places: [(String, String)] = []) throws -> String {
        var text = try String(contentsOfFile: Self.source(name), encoding: .utf8)
        for (place, replacement) in places { text = text.replacing(place, with: replacement) }
        text = text.replacing("10.0.0.", with: network + ".").replacing(":443", with: ":\(Self.port)")
        return try folder.write(text, to: destination, mode: 0o644)
    }

    /// The path of a file of the example.
    static func source(_ name: String) -> String { "\(Products.packageFolder)/Integrations/many-machines/\(name)" }

    /// Installs `haproxy.cfg` and its certificate. Returns the path of the file.
    func installHAProxy() async throws -> String {
        let pair = try await authority.issue(Self.host, for: "DNS:\(Self.host),IP:\(address(9))")
        let both = try [pair.certificate, pair.key].map { try String(contentsOfFile: $0, encoding: .utf8) }
        try folder.write(both.joined(), to: "latch.pem")
        try install("unavailable.http", as: "unavailable.http")
        return try install(
            "haproxy.cfg", as: "haproxy.cfg", ["/etc/haproxy/", "/run/haproxy/"].map { ($0, folder.path + "/") })
    }

    /// Installs `nginx.conf` and its certificate. Returns the path of the file.
    func installNginx() async throws -> String {
        let pair = try await authority.issue(Self.host, for: "DNS:\(Self.host),IP:\(address(10))")
        for (from, name) in [(pair.certificate, "latch.crt"), (pair.key, "latch.key")] {
            try folder.write(try String(contentsOfFile: from, encoding: .utf8), to: name)
        }
        return try install(
            "nginx.conf", as: "nginx.conf",
            ["/etc/nginx/", "/var/log/nginx/", "/run/"].map { ($0, folder.path + "/") })
    }

    /// Installs `latchd.yaml` for a gateway.
    ///
    /// - Parameters:
    ///   - number: The last number of the gateway's address.
    ///   - database: A file of SQLite in place of PostgreSQL. Nil for the database of the file.
    /// - Returns: The path of the file.
    /// - Throws: An error of the file system.
    func installGateway(_ number: Int, database: String? = nil) throws -> String {
        let folders = ["/etc/latchd/", "/var/log/latchd/"].map { ($0, folder.path + "/") }
        let path = try install(
            "latchd.yaml", as: "gateway-\(number).yaml", [("10.0.0.11", "10.0.0.\(number)")] + folders)
        guard let database else { return path }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return try folder.write(
            text.replacing(/database: "[^"]*"/, with: "database: \(database)"), to: "gateway-\(number).yaml")
    }

    /// Installs and starts HAProxy (9) or nginx (10), and waits until it responds.
    func startProxy(_ number: Int) async throws -> RunningProgram {
        let command =
            number == 9
            ? ["/usr/sbin/haproxy", "-db", "-f", try await installHAProxy()]
            : ["/usr/sbin/nginx", "-g", "daemon off;", "-e", "stderr", "-c", try await installNginx()]
        let program = try RunningProgram(
            command[0], Array(command.dropFirst()), environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        // The proxies themselves refuse this path.
        try await eventually { try await status(number, "/healthz") == "404" }
        return program
    }

    /// The status of a request of `curl` to one of the proxies, `000` without a response.
    func status(_ proxy: Int, _ path: String) async throws -> String {
        try await request(proxy, "GET", path, "%{http_code}")
    }

    /// Sends a request to one of the proxies.
    ///
    /// - Parameters:
    ///   - proxy: The last number of its address.
    ///   - method: The method.
    ///   - path: The path.
    ///   - format: What is told of the response, as `--write-out` of `curl` expects it.
    ///   - options: Other options of `curl`.
    /// - Returns: The text for `format`.
    /// - Throws: An error when `curl` cannot be started.
    func request(
        _ proxy: Int, _ method: String, _ path: String, _ format: String, _ options: [String] = []
    ) async throws -> String {
        try await Program.run(
            "curl",
            [
                "--silent", "--max-time", "\(SuccessTimeout.seconds)", "--cacert", authority.own.certificate,
                "--connect-to",
                "\(Self.host):443:\(address(proxy)):\(Self.port)", "--output", "/dev/null", "--write-out", format,
                "--request", method, "https://\(Self.host)\(path)",
            ] + options
        ).output
    }
}
