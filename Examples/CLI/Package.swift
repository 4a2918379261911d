// swift-tools-version: 6.2
import PackageDescription

let kit = Target.Dependency.product(name: "AuthStateKit", package: "AuthStateKit")
let providers = Target.Dependency.product(name: "AuthStateProviders", package: "AuthStateKit")
let resource = Target.Dependency.product(name: "AuthStateResource", package: "AuthStateKit")
let report = Target.Dependency.product(name: "AuthStateReport", package: "AuthStateKit")
let testing = Target.Dependency.product(name: "AuthStateTesting", package: "AuthStateKit")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "AuthStateCLI", platforms: [.macOS(.v15)],
    products: [
        .executable(name: "authstate", targets: ["authstate"]),
        // For programs that use the logins of authstate, such as authstate-proxy.
        .library(name: "AuthStateProgram", targets: ["AuthStateProgram", "AuthStatePlatform"]),
    ],
    dependencies: [
        .package(name: "AuthStateKit", path: "../.."),
        // Event streams, and the headers of the Model Context Protocol.
        .package(name: "MCPClient", path: "../MCPClient"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        // Foundation and the C library, chosen in one place.
        .target(name: "AuthStatePlatform"),
        // The commands, and what they share: options, sessions, output, exit codes.
        .target(
            name: "AuthStateProgram",
            dependencies: [
                "AuthStatePlatform", kit, providers, resource, report, testing, arguments,
                .product(name: "AuthStateJOSE", package: "AuthStateKit"),
                .product(name: "MCPClient", package: "MCPClient"),
            ]),
        .executableTarget(name: "authstate", dependencies: ["AuthStateProgram"]),
        .testTarget(name: "AuthStateProgramTests", dependencies: ["AuthStateProgram", kit, resource, arguments]),
        // The built program at independent providers; Support is a link to the library's integration tests.
        .testTarget(name: "EndToEndTests", dependencies: ["authstate", kit, testing]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
