// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "PostgresStore",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "AuthStateKit", path: "../..")
    ],
    targets: [
        // A server process of the fault tests, which kill it.
        .executableTarget(
            name: "PostgresStoreWorker",
            dependencies: [
                .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateServer", package: "AuthStateKit"),
                .product(name: "AuthStatePostgres", package: "AuthStateKit"),
            ],
            path: "Tests/PostgresStoreWorker",
            swiftSettings: strict
        ),
        // Against a real server; Support is a link to the library's integration tests.
        .testTarget(
            name: "AuthStatePostgresTests",
            dependencies: [
                "PostgresStoreWorker", .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateServer", package: "AuthStateKit"),
                .product(name: "AuthStatePostgres", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
                .product(name: "AuthStateJOSE", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
