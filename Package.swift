// swift-tools-version:6.2
import PackageDescription

/// The modules of the gateway below `LatchGateway`.
let gatewayModules: [Target.Dependency] = [
    "ForwardAuth", "GatewayConfiguration", "GatewayCore", "GatewayDialects", "GatewayHTTP", "GatewayPages",
    "PictureLibrary", "SignInBridge",
]

// A module uses only modules below it: ARCHITECTURE.md lists the layers.
let package = Package(
    name: "latchstring",
    products: [
        .executable(name: "latch", targets: ["LatchCLI"]),
        .executable(name: "latchd", targets: ["LatchDaemon"]),
        .library(name: "LatchKit", targets: ["LatchKit"]),
        .library(name: "LatchDownloads", targets: ["LatchDownloads"]),
    ],
    targets: [
        // C: module maps over the distribution's C libraries, no logic.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CProcess"),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CSecret", providers: [.apt(["libsecret-1-0"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CUnistring", providers: [.apt(["libunistring-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // Ground and formats: values and rules, no input or output but threads.
        .target(name: "Primitives"),
        .target(name: "Arguments", dependencies: ["Primitives"]),
        .target(name: "Crypto", dependencies: ["COpenSSL", "CSodium"]),
        .target(name: "JOSE", dependencies: ["COpenSSL", "Crypto", "Wire"]),
        .target(name: "OAuth", dependencies: ["Crypto", "Wire"]),
        .target(name: "NormalizedText", dependencies: ["CUnistring"]),
        .target(name: "QRCode", dependencies: ["CQREncode"]),
        .target(name: "Wire", dependencies: ["Primitives"]),
        .target(name: "YAML", dependencies: ["CYAML"]),

        // System: the disk, the network, the terminal, the desktop and the secret store.
        .target(name: "Database", dependencies: ["CSQLite", "Primitives"]),
        .target(name: "Desktop", dependencies: ["CProcess", "CSystemd", "Primitives"]),
        .target(name: "HTTPClient", dependencies: ["CCurl", "COpenSSL", "CProcess", "Crypto", "Primitives", "Wire"]),
        .target(name: "HTTPServer", dependencies: ["CGnuTLS", "CMicroHTTPD", "Primitives", "Wire"]),
        .target(name: "Redis", dependencies: ["CHiredis", "Crypto", "Primitives", "Wire"]),
        .target(name: "SecretStorage", dependencies: ["CSecret", "Crypto", "Primitives"]),
        .target(name: "Terminal", dependencies: ["CProcess", "Crypto", "Primitives"]),

        // Protocols.
        .target(name: "OpenIDConnect", dependencies: ["Crypto", "HTTPClient", "JOSE", "OAuth", "Wire"]),

        // The gateway, from its stores up to the whole.
        .target(
            name: "GatewayCore", dependencies: ["Crypto", "Database", "JOSE", "OpenIDConnect", "Primitives", "Wire"]),
        .target(
            name: "SignInBridge",
            dependencies: ["Crypto", "GatewayCore", "OAuth", "OpenIDConnect", "Primitives", "Redis", "Wire"]),
        .target(
            name: "PictureLibrary",
            dependencies: ["CZlib", "Crypto", "Database", "GatewayCore", "HTTPServer", "Primitives"]),
        .target(
            name: "GatewayConfiguration",
            dependencies: [
                "Arguments", "Crypto", "GatewayCore", "HTTPServer", "OpenIDConnect", "Primitives", "Redis",
                "SignInBridge", "Wire", "YAML",
            ]),
        .target(
            name: "GatewayHTTP",
            dependencies: [
                "Crypto", "Database", "GatewayConfiguration", "GatewayCore", "HTTPClient", "HTTPServer", "OAuth",
                "OpenIDConnect", "Primitives", "Redis", "SignInBridge", "Wire",
            ]),
        .target(
            name: "ForwardAuth",
            dependencies: ["GatewayConfiguration", "GatewayCore", "GatewayHTTP", "HTTPServer", "OAuth", "Wire"]),
        .target(
            name: "GatewayPages",
            dependencies: [
                "Crypto", "Database", "GatewayConfiguration", "GatewayCore", "GatewayHTTP", "HTTPServer", "OAuth",
                "OpenIDConnect", "Primitives", "SignInBridge", "Wire",
            ]),
        .target(
            name: "GatewayDialects",
            dependencies: [
                "Crypto", "Database", "GatewayConfiguration", "GatewayCore", "GatewayHTTP", "HTTPServer", "JOSE",
                "OAuth", "OpenIDConnect", "PictureLibrary", "Primitives", "SignInBridge", "Wire",
            ]),
        .target(
            name: "LatchGateway",
            dependencies: [
                "Database", "ForwardAuth", "GatewayConfiguration", "GatewayCore", "GatewayDialects", "GatewayHTTP",
                "GatewayPages", "HTTPServer", "SignInBridge", "Wire",
            ]),

        // The client library.
        .target(
            name: "LatchKit",
            dependencies: [
                "Crypto", "Database", "Desktop", "HTTPClient", "NormalizedText", "OAuth", "OpenIDConnect",
                "Primitives", "SecretStorage", "Wire",
            ]),

        // Extensions of an end.
        .target(
            name: "LatchDownloads",
            dependencies: ["Crypto", "Database", "Desktop", "HTTPClient", "LatchKit", "Primitives", "Wire"]),
        .target(
            name: "LatchSandbox",
            dependencies: [
                "Crypto", "GatewayConfiguration", "GatewayCore", "GatewayDialects", "GatewayHTTP", "HTTPClient",
                "HTTPServer", "JOSE", "LatchGateway", "OAuth", "OpenIDConnect", "Primitives", "SignInBridge", "Wire",
            ]),

        // Programs: arguments, output, wiring.
        .executableTarget(
            name: "LatchCLI",
            dependencies: [
                "Arguments", "Desktop", "LatchDownloads", "LatchKit", "Primitives", "QRCode", "Terminal", "Wire",
            ]),
        .executableTarget(
            name: "LatchDaemon",
            dependencies: [
                "Arguments", "Crypto", "Database", "GatewayConfiguration", "GatewayCore", "GatewayHTTP",
                "HTTPServer", "LatchGateway", "LatchSandbox", "OpenIDConnect", "Primitives", "Terminal", "Wire",
            ]),

        // Tests mirror the modules; Tests/System runs the built programs.
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        .target(name: "TestSupport", dependencies: ["CSpawn"], path: "Tests/TestSupport"),
        .target(
            name: "ScriptedProvider", dependencies: ["Crypto", "HTTPServer", "JOSE", "OAuth", "Wire"],
            path: "Tests/ScriptedProvider"),
        .executableTarget(
            name: "SecretProbe", dependencies: ["Crypto", "SecretStorage"], path: "Tests/Programs/SecretProbe"),
        .executableTarget(
            name: "DownloadProbe", dependencies: ["HTTPClient", "Wire"], path: "Tests/Programs/DownloadProbe"),
        .executableTarget(
            name: "QueueProbe", dependencies: ["Crypto", "LatchDownloads", "LatchKit", "SecretStorage"],
            path: "Tests/Programs/QueueProbe"),
        .executableTarget(name: "SanitizerProbe", path: "Tests/Programs/SanitizerProbe"),
        .testTarget(name: "ArgumentsTests", dependencies: ["Arguments", "TestSupport"]),
        .testTarget(name: "CryptoTests", dependencies: ["Crypto"]),
        .testTarget(name: "DatabaseTests", dependencies: ["CSQLite", "Database", "TestSupport"]),
        .testTarget(name: "DesktopTests", dependencies: ["Desktop", "TestSupport"]),
        .testTarget(
            name: "HTTPClientTests", dependencies: ["Crypto", "HTTPClient", "TestSupport", "Wire"],
            exclude: ["Fixtures"]),
        .testTarget(name: "HTTPServerTests", dependencies: ["HTTPClient", "HTTPServer", "TestSupport", "Wire"]),
        .testTarget(name: "JOSETests", dependencies: ["Crypto", "JOSE", "TestSupport", "Wire"]),
        .testTarget(
            name: "LatchCLITests",
            dependencies: ["CSQLite", "Crypto", "HTTPServer", "LatchCLI", "LatchGateway", "TestSupport", "Wire"]
                + gatewayModules),
        .testTarget(
            name: "LatchGatewayTests",
            dependencies: [
                "Crypto", "Database", "HTTPServer", "JOSE", "LatchGateway", "OAuth", "OpenIDConnect", "Primitives",
                "Redis", "ScriptedProvider", "TestSupport", "Wire",
            ] + gatewayModules),
        .testTarget(
            name: "LatchDownloadsTests",
            dependencies: [
                "Crypto", "Database", "HTTPClient", "LatchDownloads", "LatchKit", "SecretStorage", "TestSupport",
                "Wire",
            ]),
        .testTarget(
            name: "LatchKitTests",
            dependencies: [
                "Crypto", "Database", "HTTPClient", "HTTPServer", "LatchGateway", "LatchKit", "LatchSandbox",
                "OAuth", "ScriptedProvider", "SecretStorage", "TestSupport", "Wire",
            ] + gatewayModules),
        .testTarget(
            name: "LatchSandboxTests",
            dependencies: [
                "Crypto", "HTTPClient", "JOSE", "LatchSandbox", "OAuth", "OpenIDConnect", "TestSupport", "Wire",
            ]),
        .testTarget(name: "OAuthTests", dependencies: ["Crypto", "OAuth", "Wire"]),
        .testTarget(
            name: "OpenIDConnectTests",
            dependencies: [
                "Crypto", "HTTPClient", "HTTPServer", "JOSE", "OAuth", "OpenIDConnect", "ScriptedProvider",
                "TestSupport", "Wire",
            ]),
        .testTarget(name: "NormalizedTextTests", dependencies: ["NormalizedText"]),
        .testTarget(name: "PrimitivesTests", dependencies: ["Primitives"]),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode", "TestSupport"]),
        .testTarget(name: "RedisTests", dependencies: ["Crypto", "Redis", "TestSupport"]),
        .testTarget(
            name: "SecretStorageTests", dependencies: ["Crypto", "SecretProbe", "SecretStorage", "TestSupport"]),
        .testTarget(name: "TestSupportTests", dependencies: ["Crypto", "JOSE", "TestSupport"]),
        .testTarget(name: "WireTests", dependencies: ["TestSupport", "Wire"]),
        .testTarget(name: "YAMLTests", dependencies: ["YAML"]),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "Crypto", "HTTPClient", "HTTPServer", "LatchSandbox", "OAuth", "ScriptedProvider", "TestSupport",
                "Wire",
            ],
            path: "Tests/System"),
    ],
    swiftLanguageModes: [.v6]
)

// The parsers are fuzzed by `make fuzz`; the same code runs over the corpus in every test. Both need what is internal.
let fuzzedModules: [Target.Dependency] =
    gatewayModules + [
        "Crypto", "Database", "Desktop", "HTTPClient", "HTTPServer", "JOSE", "LatchDownloads", "LatchGateway",
        "LatchKit", "OAuth", "OpenIDConnect", "Primitives", "SecretStorage", "Terminal", "Wire", "YAML",
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

// The programs of a release are linked by lld: with addresses that move packed, and without the tables of names that gold leaves,
// each has 1.5 MiB less in memory.
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
    if ["Primitives", "SanitizerProbe", "SecretProbe", "fuzz"].contains(target.name) { return true }
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
