// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "AppleApp",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "AppleApp", targets: ["AppleApp"])],
    dependencies: [
        .package(name: "AuthStateKit", path: "../..")
    ],
    targets: [
        // The logic is in Model and runs everywhere; the screens beside it are for Apple platforms alone.
        .target(
            name: "AppleApp",
            dependencies: [
                .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateApp", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
        // At the provider of AuthStateTesting, on Linux too.
        .testTarget(
            name: "AppleAppTests",
            dependencies: [
                "AppleApp", .product(name: "AuthStateKit", package: "AuthStateKit"),
                .product(name: "AuthStateApp", package: "AuthStateKit"),
                .product(name: "AuthStateTesting", package: "AuthStateKit"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
