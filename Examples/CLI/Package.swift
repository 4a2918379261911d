// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "AuthStateCLI",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "authstate", targets: ["authstate"])],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "authstate",
            dependencies: [
                .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
                .product(name: "AuthStateJOSE", package: "AuthStateKit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "authstateTests", dependencies: ["authstate"], swiftSettings: strict),
        // The built program at independent providers; Support is a link to the library's integration tests.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "authstate", .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
