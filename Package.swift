// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let platform: [Target.Dependency] = ["AuthStateFoundation", "AuthStateLibc"]
// The protocols' values, and the rooms under the actor; each list has what the one before it has.
let values: [Target.Dependency] = platform + ["AuthStateJOSE", "AuthStateOAuth"]
let rooms: [Target.Dependency] =
    values + ["AuthStateSystem", "AuthStateStorage", "AuthStateTransport", "AuthStateUserAgent"]
// What every program has; then what programs of one kind have beside it.
let core = rooms + ["AuthStateKit"]
let everything =
    core + ["AuthStateProviders", "AuthStateApp", "AuthStateServer", "AuthStateResource", "AuthStateReport"]

// What only this package's developers build, and consumers never see: set AUTHSTATE_DEV in the environment.
let development: [Target] = [
    // libFuzzer brings the main function, so that only .ci/fuzz can link it.
    .executableTarget(
        name: "Fuzz",
        dependencies: everything,
        path: "Tests/Fuzz",
        exclude: ["Corpora", "Dictionaries"],
        swiftSettings: strict
    ),
    // Processes, store and provider on one thread, in an order that a seed decides; .ci/simulation runs it.
    .executableTarget(
        name: "Simulation",
        dependencies: everything,
        path: "Tests/Simulation",
        exclude: ["README.md", "core-check.py"],
        swiftSettings: strict
    ),
    // Every interleaving of two processes, on the ledger and the machines themselves; .ci/every runs it.
    .executableTarget(
        name: "Every",
        dependencies: core,
        path: "Tests/Every",
        exclude: ["self-check.py"],
        swiftSettings: strict
    ),
]

// The sanitizers' builds leave out the tests that cannot fail under them: AUTHSTATE_TESTS names the targets that stay.
let tests = Context.environment["AUTHSTATE_TESTS"]?.split(separator: " ").map(String.init)
let isChosen = { (target: Target) in target.type != .test || tests?.contains(target.name) ?? true }

let package = Package(
    name: "AuthStateKit",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        // With the modules of its parts, for the author of a store, a transport or a user agent.
        .library(
            name: "AuthStateKit",
            targets: [
                "AuthStateKit", "AuthStateOAuth", "AuthStateStorage", "AuthStateTransport", "AuthStateUserAgent",
            ]),
        // Providers by name, and advice on a set-up.
        .library(name: "AuthStateProviders", targets: ["AuthStateProviders"]),
        // The session of an app, for its views.
        .library(name: "AuthStateApp", targets: ["AuthStateApp"]),
        // The logins of many users in one server, and logouts that the provider tells of.
        .library(name: "AuthStateServer", targets: ["AuthStateServer"]),
        // From the URL of an API to a token.
        .library(name: "AuthStateResource", targets: ["AuthStateResource"]),
        // A login as a picture, and as an archive for the developer tools of browsers.
        .library(name: "AuthStateReport", targets: ["AuthStateReport"]),
        .library(name: "AuthStateTesting", targets: ["AuthStateTesting"]),
        // A store for several machines, on PostgreSQL.
        .library(name: "AuthStatePostgres", targets: ["AuthStatePostgres"]),
        // A store for many users on one machine, in one file of SQLite.
        .library(name: "AuthStateSQLite", targets: ["AuthStateSQLite"]),
        // For programs that want the digests and encodings.
        .library(name: "AuthStateJOSE", targets: ["AuthStateJOSE"]),
    ],
    targets: [
        // Declarations of libcrypto, libcurl and libsecret; all are found at run time with dlopen, on Linux only.
        .target(name: "CAuthStateCrypto"),
        .target(name: "CAuthStateCurl"),
        .target(name: "CAuthStateSecret"),
        // The same of libpq and SQLite, on every platform that has them.
        .target(name: "CAuthStatePostgres"),
        .target(name: "CAuthStateSQLite"),
        // The platform's Foundation and C library, each chosen in one place.
        .target(name: "AuthStateFoundation", swiftSettings: strict),
        .target(name: "AuthStateLibc", swiftSettings: strict),
        // Encodings, digests, keys and signatures.
        .target(
            name: "AuthStateJOSE",
            dependencies: platform + [.target(name: "CAuthStateCrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: strict
        ),
        // The protocols' values: no I/O, no clock, no stored state.
        .target(name: "AuthStateOAuth", dependencies: platform + ["AuthStateJOSE"], swiftSettings: strict),
        // What the operating system has: files, threads, clocks, and the places of secrets.
        .target(
            name: "AuthStateSystem",
            dependencies: values + [.target(name: "CAuthStateSecret", condition: .when(platforms: [.linux]))],
            swiftSettings: strict
        ),
        // Where states are kept: files, keychain, memory, sealed or not.
        .target(name: "AuthStateStorage", dependencies: values + ["AuthStateSystem"], swiftSettings: strict),
        // HTTP over libcurl or URLSession.
        .target(
            name: "AuthStateTransport",
            dependencies: values + [
                "AuthStateSystem", .target(name: "CAuthStateCurl", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: strict
        ),
        // The browser and the ways back from it.
        .target(
            name: "AuthStateUserAgent", dependencies: values + ["AuthStateSystem", "AuthStateStorage"],
            swiftSettings: strict),
        // The actor, and the service that talks to providers.
        .target(name: "AuthStateKit", dependencies: rooms, swiftSettings: strict),
        .target(name: "AuthStateProviders", dependencies: core, swiftSettings: strict),
        .target(name: "AuthStateApp", dependencies: core + ["AuthStateProviders"], swiftSettings: strict),
        .target(name: "AuthStateServer", dependencies: core, swiftSettings: strict),
        .target(name: "AuthStateResource", dependencies: core + ["AuthStateServer"], swiftSettings: strict),
        .target(name: "AuthStateReport", dependencies: core, swiftSettings: strict),
        // States in a table of a PostgreSQL database.
        .target(
            name: "AuthStatePostgres",
            dependencies: values + ["AuthStateSystem", "AuthStateStorage", "CAuthStatePostgres"],
            swiftSettings: strict),
        // States in a database of SQLite.
        .target(
            name: "AuthStateSQLite",
            dependencies: values + ["AuthStateSystem", "AuthStateStorage", "CAuthStateSQLite"],
            swiftSettings: strict),
        // An OpenID provider in the process, a manual clock and a scripted transport, for users' own tests.
        .target(
            name: "AuthStateTesting",
            dependencies: core,
            swiftSettings: strict
        ),
        // The number of tests at once, for the one process that all test targets are linked into.
        .target(name: "CTestSettings", path: "Tests/Settings"),
        .testTarget(
            name: "AuthStateJOSETests", dependencies: platform + ["AuthStateJOSE", "CTestSettings"],
            swiftSettings: strict),
        .testTarget(
            name: "AuthStateOAuthTests", dependencies: values + ["AuthStateProviders"],
            swiftSettings: strict),
        .testTarget(
            name: "AuthStateKitTests",
            dependencies: everything + ["AuthStateTesting", "AuthStateSQLite"],
            exclude: ["Trust/make-id-tokens.py"],
            swiftSettings: strict
        ),
        // XCTest: one test for each line of the AppAuth parity table.
        .testTarget(
            name: "AppAuthParityTests",
            dependencies: core + ["AuthStateTesting"],
            swiftSettings: strict
        ),
    ].filter(isChosen) + (Context.environment["AUTHSTATE_DEV"] == nil ? [] : development),
    swiftLanguageModes: [.v6]
)
