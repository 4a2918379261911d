// swift-tools-version: 6.2
import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "AuthStateKit") }

let kit = ["AuthStateKit", "AuthStateApp"].map(product)

let package = Package(
    name: "AppleApp", platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "AppleApp", targets: ["AppleApp"])],
    dependencies: [.package(name: "AuthStateKit", path: "../..")],
    targets: [
        // The logic is in Model and runs everywhere; the screens beside it are for Apple platforms alone.
        .target(name: "AppleApp", dependencies: kit),
        // At the provider of AuthStateTesting, on Linux too.
        .testTarget(name: "AppleAppTests", dependencies: kit + ["AppleApp", product("AuthStateTesting")]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
