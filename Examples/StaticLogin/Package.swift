// swift-tools-version: 6.2
import PackageDescription

let kit = Target.Dependency.product(name: "AuthStateKit", package: "AuthStateKit")

let package = Package(
    name: "StaticLogin", platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        .package(name: "AuthStateIntegrations", path: "../Integrations"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // A whole client in one file: the stage static-login of .ci/run links it statically.
        .executableTarget(
            name: "static-login",
            dependencies: [
                .product(name: "AuthStateAsyncHTTPClient", package: "AuthStateIntegrations"),
                .product(name: "AuthStateSwiftCrypto", package: "AuthStateIntegrations"), kit,
                .product(name: "AuthStateJOSE", package: "AuthStateKit"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Support is a link to the library's integration tests.
        .testTarget(name: "StaticBinaryTests", dependencies: [kit]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
