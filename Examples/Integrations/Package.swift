// swift-tools-version: 6.2
import PackageDescription

let kit = Target.Dependency.product(name: "AuthStateKit", package: "AuthStateKit")
let server = Target.Dependency.product(name: "AuthStateServer", package: "AuthStateKit")
let resource = Target.Dependency.product(name: "AuthStateResource", package: "AuthStateKit")
let jose = Target.Dependency.product(name: "AuthStateJOSE", package: "AuthStateKit")
let postgres = Target.Dependency.product(name: "AuthStatePostgres", package: "AuthStateKit")
let testing = Target.Dependency.product(name: "AuthStateTesting", package: "AuthStateKit")
let client = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let grpc = Target.Dependency.product(name: "GRPCCore", package: "grpc-swift-2")

let package = Package(
    name: "AuthStateIntegrations", platforms: [.macOS(.v15)],
    products: [
        .library(name: "AuthStateAsyncHTTPClient", targets: ["AuthStateAsyncHTTPClient"]),
        .library(name: "AuthStateHummingbird", targets: ["AuthStateHummingbird"]),
        .library(name: "AuthStateGRPC", targets: ["AuthStateGRPC"]),
        .library(name: "AuthStateHTTPTypes", targets: ["AuthStateHTTPTypes"]),
        .library(name: "AuthStateMCP", targets: ["AuthStateMCP"]),
        .library(name: "AuthStateLogging", targets: ["AuthStateLogging"]),
        .library(name: "AuthStateMetrics", targets: ["AuthStateMetrics"]),
        .library(name: "AuthStateServiceLifecycle", targets: ["AuthStateServiceLifecycle"]),
        .library(name: "AuthStateSwiftCrypto", targets: ["AuthStateSwiftCrypto"]),
        .library(name: "AuthStateTracing", targets: ["AuthStateTracing"]),
    ],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The provider's requests by AsyncHTTPClient.
        .target(
            name: "AuthStateAsyncHTTPClient",
            dependencies: [
                kit, server, resource, client, logging, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Users sign in on a site of Hummingbird's, and out.
        .target(name: "AuthStateHummingbird", dependencies: [kit, server, jose, hummingbird, httpTypes, logging]),
        // Tokens in the metadata of gRPC calls.
        .target(name: "AuthStateGRPC", dependencies: [kit, server, grpc]),
        // Tokens in requests of swift-http-types.
        .target(name: "AuthStateHTTPTypes", dependencies: [kit, server, resource, httpTypes]),
        // An access as the authorizer of the Swift SDK of the Model Context Protocol.
        .target(name: "AuthStateMCP", dependencies: [kit, resource]),
        // The events of states as lines of swift-log.
        .target(name: "AuthStateLogging", dependencies: [kit, logging]),
        // The events of states, and a pool's statistics, as metrics of swift-metrics.
        .target(name: "AuthStateMetrics", dependencies: [kit, server, metrics]),
        // Pools, stores and transports as services of swift-service-lifecycle.
        .target(name: "AuthStateServiceLifecycle", dependencies: [kit, server, postgres, lifecycle]),
        // All cryptography by swift-crypto, which is part of the program: for static binaries.
        .target(
            name: "AuthStateSwiftCrypto",
            dependencies: [
                jose, .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]),
        // The steps of renewals as spans of swift-distributed-tracing.
        .target(name: "AuthStateTracing", dependencies: [kit, tracing]),
        // Shared: links to the server that sends any bytes, from the tests of the library's own transport.
        .testTarget(
            name: "AuthStateAsyncHTTPClientTests",
            dependencies: [
                "AuthStateAsyncHTTPClient", kit, server, resource, testing, client,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(
            name: "AuthStateGRPCTests",
            dependencies: [
                "AuthStateGRPC", kit, server, testing, grpc,
                .product(name: "GRPCNIOTransportHTTP2Posix", package: "grpc-swift-nio-transport"),
            ]),
        .testTarget(
            name: "AuthStateHTTPTypesTests",
            dependencies: ["AuthStateHTTPTypes", kit, server, resource, testing, httpTypes]),
        .testTarget(name: "AuthStateMCPTests", dependencies: ["AuthStateMCP", kit, resource, testing]),
        .testTarget(
            name: "AuthStateLoggingTests",
            dependencies: [
                "AuthStateLogging", kit, testing, logging, .product(name: "InMemoryLogging", package: "swift-log"),
            ]),
        .testTarget(
            name: "AuthStateMetricsTests",
            dependencies: [
                "AuthStateMetrics", kit, server, testing, metrics,
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
        .testTarget(
            name: "AuthStateServiceLifecycleTests",
            dependencies: [
                "AuthStateServiceLifecycle", kit, server, testing, lifecycle, logging,
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ]),
        // JOSE is a link to the library's own tests of cryptography; all tests of this package run on swift-crypto.
        .testTarget(name: "AuthStateSwiftCryptoTests", dependencies: ["AuthStateSwiftCrypto", "UseSwiftCrypto", jose]),
        .testTarget(
            name: "AuthStateTracingTests",
            dependencies: [
                "AuthStateTracing", kit, testing, tracing,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ]),
        .target(name: "UseSwiftCrypto", path: "Tests/UseSwiftCrypto"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "UseSwiftCrypto" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
