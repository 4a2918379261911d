// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Faults",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "AuthStateKit", path: "../..")],
    targets: [
        // System calls that end the process, fail, or do less than they should; Linux only.
        .target(name: "CFaults"),
        .executableTarget(
            name: "faults",
            dependencies: [
                "CFaults",
                .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
                .product(name: "AuthStateJOSE", package: "AuthStateKit"),
                .product(name: "AuthStateSQLite", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
