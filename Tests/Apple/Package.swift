// swift-tools-version: 6.2
import PackageDescription

// CryptoKit's interface and what it computes, on Linux: the stub of CryptoKit exports it.
let package = Package(
    name: "AppleStubs",
    products: [.library(name: "SwiftCrypto", type: .static, targets: ["SwiftCrypto"])],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0")],
    targets: [
        .target(
            name: "SwiftCrypto",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "SwiftCrypto"
        )
    ],
    swiftLanguageModes: [.v6]
)
