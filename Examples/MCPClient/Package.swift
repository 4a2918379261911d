// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "MCPClient",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "MCPClient", targets: ["MCPClient"]),
        .executable(name: "mcp-client", targets: ["mcp-client"]),
    ],
    dependencies: [
        .package(name: "AuthStateKit", path: "../..")
    ],
    targets: [
        .target(
            name: "MCPClient",
            dependencies: [
                .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateResource", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "mcp-client",
            dependencies: [
                "MCPClient", .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateResource", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MCPClientTests",
            dependencies: [
                "MCPClient", .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateResource", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
        // Against servers that others wrote; Support is a link to the library's integration tests.
        .testTarget(
            name: "MCPServerTests",
            dependencies: [
                "MCPClient", "mcp-client", .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateResource", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
