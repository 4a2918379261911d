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
    products: [.library(name: "AuthStatePostgres", targets: ["AuthStatePostgres"])],
    dependencies: [
        .package(name: "AuthStateKit", path: "../..")
    ],
    targets: [
        // The system's libpq, PostgreSQL's own client library.
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "AuthStatePostgres",
            dependencies: ["CLibPQ", .product(name: "AuthStateKit", package: "AuthStateKit")],
            swiftSettings: strict
        ),
        // A server process of the fault tests, which kill it.
        .executableTarget(
            name: "PostgresStoreWorker",
            dependencies: ["AuthStatePostgres", .product(name: "AuthStateKit", package: "AuthStateKit")],
            path: "Tests/PostgresStoreWorker",
            swiftSettings: strict
        ),
        // Against a real server; Support is a link to the library's integration tests.
        .testTarget(
            name: "AuthStatePostgresTests",
            dependencies: [
                "AuthStatePostgres", "PostgresStoreWorker", .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
