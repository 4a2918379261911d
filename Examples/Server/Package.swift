// swift-tools-version: 6.2
import PackageDescription

let kit = Target.Dependency.product(name: "AuthStateKit", package: "AuthStateKit")
let pools = Target.Dependency.product(name: "AuthStateServer", package: "AuthStateKit")
let jose = Target.Dependency.product(name: "AuthStateJOSE", package: "AuthStateKit")
let testing = Target.Dependency.product(name: "AuthStateTesting", package: "AuthStateKit")
let transport = Target.Dependency.product(name: "AuthStateAsyncHTTPClient", package: "AuthStateIntegrations")
let services = Target.Dependency.product(name: "AuthStateServiceLifecycle", package: "AuthStateIntegrations")
let openID = Target.Dependency.product(name: "AuthStateHummingbird", package: "AuthStateIntegrations")
let observer = Target.Dependency.product(name: "AuthStateLogging", package: "AuthStateIntegrations")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "Server", platforms: [.macOS(.v15)], products: [.executable(name: "server", targets: ["server"])],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        .package(name: "AuthStateIntegrations", path: "../Integrations"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // The pages, and the logic behind them.
        .target(
            name: "WebServer",
            dependencies: [
                transport, observer, openID, services, kit, pools, jose, testing, logging, hummingbird, lifecycle,
                httpTypes,
                .product(name: "AuthStatePostgres", package: "AuthStateKit"),
            ]),
        .executableTarget(
            name: "server",
            dependencies: [
                "WebServer", hummingbird, logging, .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .testTarget(
            name: "WebServerTests",
            dependencies: [
                "WebServer", openID, kit, pools, jose, testing, logging, hummingbird, httpTypes,
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
        // In a headless Chromium, against the provider of AuthStateTesting and independent ones; Support is a link to
        // the library's integration tests.
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["WebServer", "server", openID, kit, jose, testing, logging, hummingbird, lifecycle]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
