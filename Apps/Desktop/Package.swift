// swift-tools-version:6.2
import PackageDescription

// A package of its own, so that the gateway is built without the headers of GTK. `make app` builds it.
let package = Package(
    name: "latch-desktop",
    products: [
        .executable(name: "latch-desktop", targets: ["DesktopProgram"]),
        .library(name: "KillPoints", type: .dynamic, targets: ["KillPoints"]),
    ],
    dependencies: [
        .package(name: "latchstring", path: "../..")
    ],
    targets: [
        // C: module maps, no logic.
        .systemLibrary(name: "CAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        .systemLibrary(
            name: "CAtspi", path: "Tests/CAtspi", pkgConfig: "atspi-2", providers: [.apt(["libatspi2.0-dev"])]),

        // From the main loop up to the program.
        .target(name: "MainLoop", dependencies: ["CAdwaita"]),
        .target(name: "Widgets", dependencies: ["CAdwaita"]),
        .target(
            name: "LatchDesktop",
            dependencies: [
                "CAdwaita", "MainLoop", "Widgets", .product(name: "LatchKit", package: "latchstring"),
                .product(name: "LatchScreens", package: "latchstring"),
            ]),
        .executableTarget(name: "DesktopProgram", dependencies: ["LatchDesktop"]),

        // Tests: the driver reads the accessible tree of the program, the probe has the checks that need a main loop, and
        // KillPoints is preloaded into a program that is to be killed.
        .target(name: "KillPoints", path: "Tests/KillPoints", publicHeadersPath: "."),
        .target(
            name: "DesktopDriver", dependencies: ["CAtspi", .product(name: "TestSupport", package: "latchstring")],
            path: "Tests/DesktopDriver"),
        .executableTarget(
            name: "DesktopProbe", dependencies: ["CAdwaita", "LatchDesktop", "MainLoop", "Widgets"],
            path: "Tests/DesktopProbe"),
        .testTarget(
            name: "DesktopTests",
            dependencies: [
                "CAdwaita", "DesktopDriver", "DesktopProbe", "DesktopProgram", "Widgets",
                .product(name: "BrowserDriver", package: "latchstring"),
                .product(name: "LatchKit", package: "latchstring"),
                .product(name: "TestSupport", package: "latchstring"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
