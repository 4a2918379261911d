// swift-tools-version: 6.2
import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "AuthStateKit") }

let kit = ["AuthStateKit", "AuthStateServer", "AuthStatePostgres"].map(product)

let package = Package(
    name: "PostgresStore", platforms: [.macOS(.v15)], dependencies: [.package(name: "AuthStateKit", path: "../..")],
    targets: [
        // A server process of the fault tests, which kill it.
        .executableTarget(name: "PostgresStoreWorker", dependencies: kit, path: "Tests/PostgresStoreWorker"),
        // Against a real server; Support is a link to the library's integration tests.
        .testTarget(
            name: "AuthStatePostgresTests",
            dependencies: kit + ["PostgresStoreWorker", product("AuthStateTesting"), product("AuthStateJOSE")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
