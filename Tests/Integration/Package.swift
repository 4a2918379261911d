// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Providers that other projects wrote; their tests are skipped where they are not installed.
let package = Package(
    name: "Integration",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "AuthStateKit", path: "../..")],
    targets: [
        // The number of tests at once, as in the library's own tests.
        .target(name: "CTestSettings", path: "Settings"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "CTestSettings",
                .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateApp", package: "AuthStateKit"),
                .product(name: "AuthStateResource", package: "AuthStateKit"),
                .product(name: "AuthStateServer", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
            ],
            path: ".",
            exclude: ["Providers", "Settings"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
