// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
        // Names the authorities that async-http-client trusts.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        // Counts allocations, serves HTTP, saves files as fast as the disk allows, and times programs.
        .target(name: "CBenchmarks"),
        // A link to the backend of Examples/Integrations: a dependency on that package would bring all of its own.
        .target(
            name: "AuthStateSwiftCrypto",
            dependencies: [
                .product(name: "AuthStateJOSE", package: "AuthStateKit"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "AuthStateSwiftCrypto", "CBenchmarks",
                .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateServer", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
                .product(name: "AuthStateJOSE", package: "AuthStateKit"),
                .product(name: "AuthStatePostgres", package: "AuthStateKit"),
                .product(name: "AuthStateSQLite", package: "AuthStateKit"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
