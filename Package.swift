// swift-tools-version:6.2
import PackageDescription

/// The modules of the gateway below `LatchGateway`.
let gatewayModules: [Target.Dependency] = [
    "AuthorizationServer", "ForwardAuth", "GatewayConfiguration", "GatewayCore", "GatewayDialects", "GatewayHTTP",
    "GatewayPages", "PictureLibrary", "SignInBridge",
]

// A module uses only modules below it: ARCHITECTURE.md lists the layers.
let package = Package(
    name: "latchstring",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [
        .executable(name: "latch", targets: ["LatchCLI"]),
        .executable(name: "latchd", targets: ["LatchDaemon"]),
        .library(name: "LatchKit", targets: ["LatchKit"]),
        .library(name: "LatchDownloads", targets: ["LatchDownloads"]),
        .library(name: "LatchScreens", targets: ["LatchScreens"]),
        // For the tests of Apps/Desktop.
        .library(name: "BrowserDriver", targets: ["BrowserDriver"]),
        .library(name: "TestSupport", targets: ["TestSupport"]),
    ],
    targets: [
        // C: module maps over the distribution's C libraries, no logic.
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"]), .brew(["gnutls"])]),
        .systemLibrary(
            name: "CHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(
            name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"]), .brew(["libidn2"])]),
        .systemLibrary(name: "CKeyUtils", pkgConfig: "libkeyutils", providers: [.apt(["libkeyutils-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CProcess"),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .systemLibrary(name: "CSecret", providers: [.apt(["libsecret-1-0"])]),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"]), .brew(["wslay"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),

        // Ground and formats: values and rules, no I/O except threads.
        .target(name: "Primitives"),
        .target(name: "Arguments", dependencies: ["Primitives"]),
        .target(name: "Crypto", dependencies: ["COpenSSL", "CSodium"]),
        .target(name: "JOSE", dependencies: ["COpenSSL", "Crypto", "HTTPMessages"]),
        .target(name: "OAuth", dependencies: ["Crypto", "HTTPMessages"]),
        .target(name: "HostNames", dependencies: ["CIDN2"]),
        .target(name: "QRCode", dependencies: ["CQREncode"]),
        .target(name: "HTTPMessages", dependencies: ["Primitives"]),
        .target(name: "YAML", dependencies: ["CYAML"]),

        // System: the disk, the network, the terminal, the desktop and the secret store.
        .target(name: "Database", dependencies: ["CSQLite", "Primitives"]),
        .target(
            name: "Desktop",
            dependencies: [
                "CProcess", "Primitives", .byName(name: "CSystemd", condition: .when(platforms: [.linux])),
            ]),
        .target(
            name: "HTTPClient",
            dependencies: [
                "CCurl", "COpenSSL", "CProcess", "Crypto", "HTTPMessages", "Primitives", "WebSockets",
            ]),
        .target(
            name: "HTTPServer", dependencies: ["CGnuTLS", "CMicroHTTPD", "HTTPMessages", "Primitives", "WebSockets"]),
        .target(name: "PostgreSQL", dependencies: ["CPostgreSQL", "Database", "Primitives"]),
        .target(name: "Redis", dependencies: ["CHiredis", "Crypto", "HTTPMessages", "Primitives"]),
        .target(
            name: "SecretStorage",
            dependencies: [
                "Crypto", "Primitives", .byName(name: "CKeyUtils", condition: .when(platforms: [.linux])),
                .byName(name: "CSecret", condition: .when(platforms: [.linux])),
            ]),
        .target(name: "Terminal", dependencies: ["CProcess", "Crypto", "Primitives"]),
        .target(name: "WebSockets", dependencies: ["CWslay", "Crypto"]),

        // Protocols.
        .target(name: "ServerMessages", dependencies: ["HTTPMessages"]),
        .target(name: "SocketIO", dependencies: ["HTTPMessages", "Primitives"]),
        .target(name: "OpenIDConnect", dependencies: ["Crypto", "HTTPClient", "HTTPMessages", "JOSE", "OAuth"]),

        // The gateway, from its stores up to the whole.
        .target(
            name: "GatewayCore",
            dependencies: [
                "Crypto", "Database", "HTTPMessages", "JOSE", "OpenIDConnect", "PostgreSQL", "Primitives",
            ]),
        .target(
            name: "SignInBridge",
            dependencies: [
                "Crypto", "Database", "GatewayCore", "HTTPMessages", "OAuth", "OpenIDConnect", "Primitives", "Redis",
            ]),
        .target(
            name: "PictureLibrary",
            dependencies: ["CZlib", "Crypto", "Database", "GatewayCore", "HTTPServer", "Primitives"]),
        .target(
            name: "GatewayConfiguration",
            dependencies: [
                "Crypto", "GatewayCore", "HTTPMessages", "HTTPServer", "OpenIDConnect", "PostgreSQL", "Primitives",
                "Redis", "SignInBridge", "YAML",
            ]),
        .target(
            name: "GatewayHTTP",
            dependencies: [
                "Crypto", "Database", "GatewayConfiguration", "GatewayCore", "HTTPClient", "HTTPMessages", "HTTPServer",
                "OAuth", "OpenIDConnect", "Primitives", "Redis", "ServerMessages", "SignInBridge",
            ]),
        .target(
            name: "ForwardAuth",
            dependencies: [
                "GatewayConfiguration", "GatewayCore", "GatewayHTTP", "HTTPMessages", "HTTPServer", "OAuth",
            ]),
        .target(
            name: "GatewayPages",
            dependencies: [
                "Crypto", "Database", "GatewayConfiguration", "GatewayCore", "GatewayHTTP", "HTTPMessages",
                "HTTPServer", "OAuth", "OpenIDConnect", "Primitives", "SignInBridge",
            ]),
        .target(
            name: "AuthorizationServer",
            dependencies: [
                "Crypto", "GatewayConfiguration", "GatewayCore", "GatewayHTTP", "GatewayPages", "HTTPMessages",
                "HTTPServer", "JOSE", "OAuth", "Primitives", "SignInBridge",
            ]),
        .target(
            name: "GatewayDialects",
            dependencies: [
                "Crypto", "Database", "GatewayConfiguration", "GatewayCore", "GatewayHTTP", "HTTPMessages",
                "HTTPServer", "JOSE", "OAuth", "OpenIDConnect", "PictureLibrary", "Primitives", "ServerMessages",
                "SignInBridge", "SocketIO",
            ]),
        .target(
            name: "LatchGateway",
            dependencies: [
                "AuthorizationServer", "Database", "ForwardAuth", "GatewayConfiguration", "GatewayCore",
                "GatewayDialects", "GatewayHTTP",
                "GatewayPages", "HTTPMessages", "HTTPServer", "SignInBridge",
            ]),

        // The client library.
        .target(
            name: "LatchKit",
            dependencies: [
                "Crypto", "Database", "Desktop", "HTTPClient", "HTTPMessages", "HostNames", "OAuth", "OpenIDConnect",
                "Primitives", "SecretStorage", "ServerMessages", "SocketIO", "WebSockets",
            ]),

        // Extensions of the client and the gateway.
        .target(
            name: "LatchDownloads",
            dependencies: [
                "Crypto", "Database", "Desktop", "HTTPClient", "HTTPMessages", "LatchKit", "Primitives",
                "ServerMessages",
            ]),
        .target(
            name: "LatchSandbox",
            dependencies: [
                "Crypto", "GatewayConfiguration", "GatewayCore", "GatewayDialects", "GatewayHTTP", "HTTPClient",
                "HTTPMessages", "HTTPServer", "JOSE", "LatchGateway", "OAuth", "OpenIDConnect", "Primitives",
                "SignInBridge",
            ],
            exclude: ["Pictures/Files/README.md"],
            resources: [.embedInCode("Pictures/Files")]),

        // What a person sees and does, as values without a toolkit, for every front end.
        .target(
            name: "LatchScreens",
            dependencies: [
                "Desktop", "LatchDownloads", "LatchKit", "Primitives", "QRCode",
            ]),

        // Programs: arguments, output, wiring.
        .target(name: "CommandLineTool", dependencies: ["Arguments", "Terminal"]),
        .executableTarget(
            name: "LatchCLI",
            dependencies: [
                "Arguments", "CommandLineTool", "Crypto", "Desktop", "HTTPClient", "HTTPMessages", "LatchDownloads",
                "LatchKit", "Primitives", "QRCode", "SecretStorage", "Terminal",
            ]),
        .executableTarget(
            name: "LatchDaemon",
            dependencies: [
                "Arguments", "CommandLineTool", "Crypto", "Database", "GatewayConfiguration", "GatewayCore",
                "GatewayHTTP", "HTTPMessages", "HTTPServer", "LatchGateway", "LatchSandbox", "OpenIDConnect",
                "Primitives", "SignInBridge", "Terminal",
            ]),

        // One target for most modules; LatchGatewayTests covers the gateway's modules. Tests/System runs the built
        // programs, and Tests/Programs has programs that tests start.
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "TestSupport", dependencies: ["CSpawn", "WebSockets"], path: "Tests/TestSupport"),
        .target(
            name: "BrowserDriver", dependencies: ["HTTPMessages", "TestSupport"], path: "Tests/BrowserDriver"),
        .target(
            name: "ScriptedProvider",
            dependencies: ["Crypto", "HTTPMessages", "HTTPServer", "JOSE", "OAuth"],
            path: "Tests/ScriptedProvider"),
        .executableTarget(
            name: "SecretProbe", dependencies: ["Crypto", "SecretStorage"], path: "Tests/Programs/SecretProbe"),
        .executableTarget(
            name: "DownloadProbe", dependencies: ["HTTPClient", "HTTPMessages"], path: "Tests/Programs/DownloadProbe"),
        .executableTarget(
            name: "QueueProbe",
            dependencies: ["Crypto", "LatchDownloads", "LatchKit", "SecretStorage"],
            path: "Tests/Programs/QueueProbe"),
        .executableTarget(name: "SanitizerProbe", path: "Tests/Programs/SanitizerProbe"),
        .testTarget(name: "ArgumentsTests", dependencies: ["Arguments", "TestSupport"]),
        .testTarget(name: "CryptoTests", dependencies: ["Crypto"]),
        .testTarget(name: "DatabaseTests", dependencies: ["CSQLite", "Database", "TestSupport"]),
        .testTarget(name: "DesktopTests", dependencies: ["Crypto", "Desktop", "TestSupport"]),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: ["Crypto", "HTTPClient", "HTTPMessages", "TestSupport", "WebSockets"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPClient", "HTTPMessages", "HTTPServer", "TestSupport", "WebSockets"]),
        .testTarget(name: "HostNamesTests", dependencies: ["HostNames"]),
        .testTarget(name: "JOSETests", dependencies: ["Crypto", "HTTPMessages", "JOSE", "TestSupport"]),
        .testTarget(
            name: "LatchCLITests",
            dependencies: [
                "CSQLite", "Crypto", "HTTPMessages", "HTTPServer", "LatchCLI", "LatchGateway", "TestSupport",
            ] + gatewayModules),
        .testTarget(
            name: "LatchGatewayTests",
            dependencies: [
                "Crypto", "Database", "HTTPClient", "HTTPMessages", "HTTPServer", "JOSE", "LatchGateway", "OAuth",
                "OpenIDConnect", "Primitives", "Redis", "ScriptedProvider", "ServerMessages", "SocketIO", "TestSupport",
                "WebSockets",
            ] + gatewayModules),
        .testTarget(
            name: "LatchDownloadsTests",
            dependencies: [
                "Crypto", "Database", "HTTPClient", "HTTPMessages", "LatchDownloads", "LatchKit", "SecretStorage",
                "TestSupport",
            ]),
        .testTarget(
            name: "LatchKitTests",
            dependencies: [
                "Crypto", "Database", "HTTPClient", "HTTPMessages", "HTTPServer", "LatchGateway", "LatchKit",
                "LatchSandbox", "OAuth", "ScriptedProvider", "SecretStorage", "ServerMessages", "SocketIO",
                "TestSupport", "WebSockets",
            ] + gatewayModules),
        .testTarget(
            name: "LatchScreensTests",
            dependencies: [
                "Crypto", "Database", "HTTPClient", "HTTPMessages", "HTTPServer", "LatchDownloads", "LatchGateway",
                "LatchKit", "LatchSandbox", "LatchScreens", "SecretStorage", "TestSupport",
            ] + gatewayModules),
        .testTarget(
            name: "LatchSandboxTests",
            dependencies: [
                "Crypto", "HTTPClient", "HTTPMessages", "JOSE", "LatchSandbox", "OAuth", "OpenIDConnect",
                "ServerMessages", "TestSupport",
            ]),
        .testTarget(name: "OAuthTests", dependencies: ["Crypto", "HTTPMessages", "OAuth"]),
        .testTarget(
            name: "OpenIDConnectTests",
            dependencies: [
                "Crypto", "HTTPClient", "HTTPMessages", "HTTPServer", "JOSE", "OAuth", "OpenIDConnect",
                "ScriptedProvider", "TestSupport",
            ]),
        .testTarget(
            name: "PostgreSQLTests", dependencies: ["Database", "PostgreSQL", "Primitives", "TestSupport"]),
        .testTarget(name: "PrimitivesTests", dependencies: ["Primitives", "TestSupport"]),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode", "TestSupport"]),
        .testTarget(name: "RedisTests", dependencies: ["Crypto", "Redis", "TestSupport"]),
        .testTarget(
            name: "SecretStorageTests", dependencies: ["Crypto", "SecretProbe", "SecretStorage", "TestSupport"]),
        .testTarget(name: "TestSupportTests", dependencies: ["Crypto", "JOSE", "TestSupport"]),
        // The documentation's examples use only the public API.
        .testTarget(
            name: "ExampleTests", dependencies: ["LatchDaemon", "LatchDownloads", "LatchKit", "TestSupport"],
            packageAccess: false),
        .testTarget(
            name: "FamilyExampleTests",
            dependencies: [
                "Crypto", "GatewayConfiguration", "GatewayCore", "GatewayDialects", "GatewayHTTP", "HTTPClient",
                "HTTPMessages", "HTTPServer", "LatchGateway", "LatchKit", "SecretStorage", "TestSupport",
            ]),
        .testTarget(name: "HTTPMessagesTests", dependencies: ["HTTPMessages", "TestSupport"]),
        .testTarget(name: "ServerMessagesTests", dependencies: ["HTTPMessages", "ServerMessages", "TestSupport"]),
        .testTarget(name: "SocketIOTests", dependencies: ["HTTPMessages", "SocketIO", "TestSupport"]),
        .testTarget(name: "WebSocketsTests", dependencies: ["TestSupport", "WebSockets"]),
        .testTarget(name: "YAMLTests", dependencies: ["TestSupport", "YAML"]),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "BrowserDriver", "Crypto", "HTTPClient", "HTTPMessages", "HTTPServer", "LatchSandbox", "OAuth",
                "PictureLibrary", "ScriptedProvider", "ServerMessages", "TestSupport",
            ],
            path: "Tests/System"),
    ],
    swiftLanguageModes: [.v6]
)

// The parsers are fuzzed by `make fuzz`; the same code runs over the corpus in every test. Both need what is internal.
let fuzzedModules: [Target.Dependency] =
    gatewayModules + [
        "Crypto", "Database", "Desktop", "HTTPClient", "HTTPMessages", "HTTPServer", "HostNames", "JOSE",
        "LatchDownloads", "LatchGateway", "LatchKit", "OAuth", "OpenIDConnect", "Primitives", "SecretStorage",
        "ServerMessages", "SocketIO", "Terminal", "WebSockets", "YAML",
    ]
if Context.environment["LATCHSTRING_FUZZ"] == nil {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzedModules, path: "Fuzz",
            exclude: ["CLibFuzzer", "Corpus", "Dictionaries", "LibFuzzer"], sources: ["Parsers", "Tests"]))
} else {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Fuzz/CLibFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: fuzzedModules + ["CLibFuzzer"], path: "Fuzz",
            exclude: ["CLibFuzzer", "Corpus", "Dictionaries", "Tests"], sources: ["Parsers", "LibFuzzer"]),
    ]
}

// Every target may use the system's C library, and FoundationEssentials. Only the open-source toolchain has a module of
// that name: for Apple's, a target of the same name exports Foundation.
var platformModules = ["CLibrary"]
#if canImport(Darwin)
    platformModules.append("FoundationEssentials")
#endif
for target in package.targets where target.type != .system {
    target.dependencies += platformModules.map { .byName(name: $0) }
}
package.targets += platformModules.map { .target(name: $0) }

// Release programs are linked by lld. Packed relative relocations and omitted symbol tables save 1.5 MiB of memory
// each.
for target in package.targets where ["LatchCLI", "LatchDaemon"].contains(target.name) {
    target.linkerSettings = [
        .unsafeFlags(
            ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
            .when(platforms: [.linux], configuration: .release))
    ]
}

// A module that uses a C library cannot be strict about memory: every use of a C type would need `unsafe`. The modules
// named here use C types of the system's own library, except PictureLibrary, which is strict although it uses zlib.
let systemLibraries = Set(package.targets.filter { $0.type == .system }.map(\.name))
func usesC(_ target: Target) -> Bool {
    if ["BrowserDriver", "Primitives", "SanitizerProbe", "SecretProbe", "fuzz"].contains(target.name) { return true }
    return target.name != "PictureLibrary"
        && target.dependencies.contains { dependency in
            guard case .byNameItem(let name, _) = dependency else { return false }
            return systemLibraries.contains(name)
        }
}
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
    if target.type != .test, !usesC(target) {
        target.swiftSettings?.append(.strictMemorySafety())
    }
}
