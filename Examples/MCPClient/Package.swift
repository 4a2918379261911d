// swift-tools-version: 6.2
import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "AuthStateKit") }

let kit = ["AuthStateKit", "AuthStateResource"].map(product)

let package = Package(
    name: "MCPClient", platforms: [.macOS(.v15)],
    products: [
        .library(name: "MCPClient", targets: ["MCPClient"]),
        .executable(name: "mcp-client", targets: ["mcp-client"]),
    ],
    dependencies: [.package(name: "AuthStateKit", path: "../..")],
    targets: [
        .target(name: "MCPClient", dependencies: kit),
        .executableTarget(name: "mcp-client", dependencies: kit + ["MCPClient"]),
        .testTarget(name: "MCPClientTests", dependencies: kit + ["MCPClient", product("AuthStateTesting")]),
        // Against servers that others wrote; Support is a link to the library's integration tests.
        .testTarget(
            name: "MCPServerTests", dependencies: kit + ["MCPClient", "mcp-client", product("AuthStateTesting")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
