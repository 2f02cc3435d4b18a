// swift-tools-version:6.2
// Type-checked on Linux against stand-ins of the frameworks by scripts/apple, never run on an Apple system.
import PackageDescription

let package = Package(
    name: "latch-apple",
    platforms: [.iOS(.v18), .macOS(.v15)],
    products: [
        .library(name: "LatchApple", targets: ["LatchApple"]),
        .library(name: "LatchAppleViews", targets: ["LatchAppleViews"]),
    ],
    dependencies: [
        .package(name: "latchstring", path: "../..")
    ],
    targets: [
        // Adapters: what LatchKit asks of a platform, with the frameworks of Apple systems.
        .target(
            name: "LatchApple",
            dependencies: [
                .product(name: "LatchDownloads", package: "latchstring"),
                .product(name: "LatchKit", package: "latchstring"),
            ]),
        // Views over the models of LatchScreens.
        .target(
            name: "LatchAppleViews",
            dependencies: [
                "LatchApple", .product(name: "LatchKit", package: "latchstring"),
                .product(name: "LatchScreens", package: "latchstring"),
            ]),
        .testTarget(
            name: "LatchAppleTests",
            dependencies: [
                "LatchApple", .product(name: "LatchDownloads", package: "latchstring"),
                .product(name: "LatchKit", package: "latchstring"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
