// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let kit = Target.Dependency.product(name: "AuthStateKit", package: "AuthStateKit")
let testing = Target.Dependency.product(name: "AuthStateTesting", package: "AuthStateKit")
let client = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "AuthStateServer",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "server", targets: ["server"]),
        .library(name: "AsyncHTTPClientTransport", targets: ["AsyncHTTPClientTransport"]),
        .library(name: "LoggingObserver", targets: ["LoggingObserver"]),
    ],
    traits: [
        .trait(name: "PostgreSQL", description: "States in PostgreSQL too; needs libpq to build and to run.")
    ],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        .package(path: "../PostgresStore"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // The two components that other servers can use as they are.
        .target(
            name: "AsyncHTTPClientTransport",
            dependencies: [
                kit, client, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .target(name: "LoggingObserver", dependencies: [kit, logging], swiftSettings: strict),
        // The pages, and the logic behind them.
        .target(
            name: "AuthStateServer",
            dependencies: [
                "AsyncHTTPClientTransport", "LoggingObserver", kit, testing, logging, hummingbird, lifecycle, httpTypes,
                .product(name: "AuthStatePostgres", package: "PostgresStore", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "server",
            dependencies: [
                "AuthStateServer", hummingbird, logging, .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        // Shared: links to the server that sends any bytes, from the tests of the library's own transport.
        .testTarget(
            name: "AsyncHTTPClientTransportTests",
            dependencies: [
                "AsyncHTTPClientTransport", kit, client, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoggingObserverTests",
            dependencies: [
                "LoggingObserver", kit, testing, logging, .product(name: "InMemoryLogging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AuthStateServerTests",
            dependencies: [
                "AuthStateServer", kit, testing, logging, hummingbird, httpTypes,
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: strict
        ),
        // In a headless Chromium, against the provider of AuthStateTesting and independent ones; Support is a link to
        // the library's integration tests.
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["AuthStateServer", "server", kit, testing, logging, hummingbird, lifecycle],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
