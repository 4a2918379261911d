// swift-tools-version: 6.2
import PackageDescription

let kit = Target.Dependency.product(name: "AuthStateKit", package: "AuthStateKit")
let program = Target.Dependency.product(name: "AuthStateProgram", package: "AuthStateCLI")

let package = Package(
    name: "AuthStateProxy", platforms: [.macOS(.v15)],
    products: [.executable(name: "authstate-proxy", targets: ["authstate-proxy"])],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        .package(name: "AuthStateCLI", path: "../CLI"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // TLS for the connections that are upgraded, as WebSocket needs.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        // Adds the tokens of authstate's logins to the requests of a local program.
        .executableTarget(
            name: "authstate-proxy",
            dependencies: [
                kit, program, .product(name: "AuthStateJOSE", package: "AuthStateKit"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(
            name: "ProxyTests",
            dependencies: [
                "authstate-proxy", kit, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        // Both built programs at independent providers. Links lead to the files that the tests of authstate have too, and to
        // the library's integration tests (Support).
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "authstate-proxy", .product(name: "authstate", package: "AuthStateCLI"), kit,
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
