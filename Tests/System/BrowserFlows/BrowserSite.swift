import Foundation
import HTTPMessages
import TestSupport

/// A gateway behind a reverse proxy with TLS, with the files that `Integrations/` has for operators, as browsers see it.
///
/// `id.home.NAME.test` has the pages. `app.home.NAME.test` and `cal.home.NAME.test` are protected and share its cookie, and
/// `apart.NAME.test` is protected and has one of its own. `open.home.NAME.test` is not protected, and no rule names it.
struct BrowserSite {
    /// The proxies before a gateway.
    enum Proxy: String, CaseIterable { case nginx, caddy }

    /// What is around the gateways, and listens already.
    struct Surroundings {
        let certificate: Authority.Pair
        let backend: Int
        let provider: Int
        /// The port of the provider that answers with a form.
        let formProvider: Int
    }

    static let port = 24_340

    let proxy: Proxy
    /// The address of the loopback network where the proxy listens.
    let address: String
    let base: SystemFixture
    let gateway: RunningGateway
    private let folder: TemporaryDirectory
    private let program: RunningProgram

    /// The domain of the site.
    static func domain(_ proxy: Proxy) -> String { "\(proxy.rawValue).test" }

    /// Starts a gateway and the proxy before it.
    init(_ proxy: Proxy, at address: String, _ around: Surroundings) async throws {
        (self.proxy, self.address) = (proxy, address)
        folder = try TemporaryDirectory()
        try folder.write(Self.configuration(Self.domain(proxy), around), to: "latchd.yaml")
        base = try SystemFixture(["LATCHD_CONFIG": folder.file("latchd.yaml")])
        gateway = try await base.startGateway(socket: base.folder.file("latchd.sock"))
        let files = try Self.write(
            proxy, into: base.folder, at: address, gateway: gateway.port, around)
        program = try RunningProgram(
            "/usr/bin/env", ["-C", base.folder.path] + files,
            environment: [
                "PATH": ProxyFixture.path, "HOME": base.folder.path, "XDG_DATA_HOME": base.folder.path,
                "XDG_CONFIG_HOME": base.folder.path,
            ])
        try await eventually { (try? RawSocket(host: address, port: Self.port)) != nil }
    }

    /// Ends the proxy and the gateway.
    func end() async {
        for program in [program, gateway.program] {
            program.send(SIGTERM)
            await program.waitForExit()
        }
    }

    /// What the flows need to know of it.
    var json: JSONValue {
        let environment = base.environment.map { JSONValue.Member($0.key, .string($0.value)) }
        return [
            "name": .string(proxy.rawValue), "domain": .string(Self.domain(proxy)),
            "gateway": .string(gateway.address), "environment": .object(environment),
        ]
    }

    private static func configuration(_ domain: String, _ around: Surroundings) -> String {
        """
        public_url: https://id.home.\(domain)
        trusted_proxies: [127.0.0.1]
        pages: {enabled: true, title: Photos at home}
        verify: {enabled: true, cookie_domain: home.\(domain)}
        dialects: {immich: {enabled: true}}
        guards: {address_requests: 100000, write_requests: 100000, sign_ins: 100000, address_attempts: 100000, account_attempts: 1000}
        providers:
          home:
            title: Sign in at home
            issuer: http://127.0.0.1:\(around.provider)
            client_id: latch
            client_secret: a secret of the gateway at the provider
            registration: open
          forms:
            title: Sign in with a form
            issuer: http://127.0.0.1:\(around.formProvider)
            client_id: latch
            client_secret: a secret of the gateway at the provider
            registration: open
            response_mode: form_post
        access:
          factors: {hosts: app.home.\(domain), paths: /vault/*, acr: multi-factor}
          hosts: {hosts: [app.home.\(domain), cal.home.\(domain), apart.\(domain)]}
        oauth:
          enabled: true
          registration: {enabled: true}
          clients:
            wiki:
              name: Our wiki
              secret: \(secret)
              redirects: ["https://wiki.other.test/callback"]
              sign_out_redirects: ["https://wiki.other.test/signed-out"]
            notes: {name: Notes, redirects: ["com.example.notes:/callback"]}
            tv: {name: Television, device: true}
            staff: {name: Staff, allow: administrators, redirects: ["https://wiki.other.test/callback"]}

        """
    }

    /// The secret of the client `wiki`.
    static let secret = "a secret of the wiki that nobody guesses"

    /// Writes the proxy's files, and returns its command.
    private static func write(
        _ proxy: Proxy, into folder: TemporaryDirectory, at address: String, gateway: Int, _ around: Surroundings
    ) throws -> [String] {
        let source = "\(Products.packageFolder)/Integrations/\(proxy.rawValue)"
        let (domain, pair) = (domain(proxy), around.certificate)
        switch proxy {
        case .nginx:
            for name in try FileManager.default.contentsOfDirectory(atPath: source) {
                let text = try String(contentsOfFile: "\(source)/\(name)", encoding: .utf8)
                try folder.write(
                    text.replacing("/run/latchd/latchd.sock", with: folder.file("latchd.sock")), to: name)
            }
            let servers = """
                ssl_certificate \(pair.certificate);
                ssl_certificate_key \(pair.key);
                include latchd-http.conf;
                server {
                    listen \(address):\(port) ssl;
                    server_name _;
                    return 421;
                }
                server {
                    listen \(address):\(port) ssl;
                    server_name id.home.\(domain);
                    location / {
                        proxy_pass http://latchd;
                        include latchd-forward.conf;
                    }
                }
                server {
                    listen \(address):\(port) ssl;
                    server_name app.home.\(domain) cal.home.\(domain) apart.\(domain);
                    include latchd-server.conf;
                    location / {
                        include latchd-protect.conf;
                        proxy_pass http://127.0.0.1:\(around.backend);
                    }
                }
                server {
                    listen \(address):\(port) ssl;
                    server_name open.home.\(domain);
                    location / {
                        proxy_pass http://127.0.0.1:\(around.backend);
                    }
                }
                """
            try folder.write(ProxyKind.nginxAround(folder, servers), to: "nginx.conf")
            return ["nginx", "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "stderr"]
        case .caddy:
            let text = try String(contentsOfFile: source + "/Caddyfile", encoding: .utf8)
                .replacing("127.0.0.1:2283", with: "127.0.0.1:\(gateway)")
            // The last block is the operator's own server.
            guard let own = text.range(of: "app.example.org {") else {
                throw ChildProcess.Failure("The Caddyfile has no server app.example.org.")
            }
            let site = "bind \(address)\n\ttls \(pair.certificate) \(pair.key)"
            let hosts = ["app.home.\(domain)", "cal.home.\(domain)", "apart.\(domain)"].joined(separator: ", ")
            try folder.write(
                """
                {
                \tadmin off
                \thttps_port \(port)
                \tauto_https disable_redirects
                }
                \(text[..<own.lowerBound])
                id.home.\(domain) {
                \t\(site)
                \treverse_proxy 127.0.0.1:\(gateway)
                }
                \(hosts) {
                \t\(site)
                \timport latchd 127.0.0.1:\(around.backend)
                }
                open.home.\(domain) {
                \t\(site)
                \treverse_proxy 127.0.0.1:\(around.backend)
                }

                """, to: "Caddyfile")
            return ["caddy", "run", "--config", folder.file("Caddyfile"), "--adapter", "caddyfile"]
        }
    }
}
