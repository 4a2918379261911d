import AuthStateFoundation
import AuthStateSystem
import Testing

@testable import AuthStateKit

struct HomeFolderTests {
    private let home = ProcessInfo.processInfo.environment["HOME"] ?? ""

    @Test func `stands for ~ before the first slash of a path, and nowhere else`() throws {
        func expanded(_ path: String) -> String { HomeFolder.expanded(path, environment: ["HOME": "/home/ada"]) }
        #expect(["~", "~/", "~/a/~"].map(expanded) == ["/home/ada", "/home/ada/", "/home/ada/a/~"])
        #expect(
            ["~bob/a", "a/~/b", "./~/a", "/~/a", "a~"].map(expanded) == ["~bob/a", "a/~/b", "./~/a", "/~/a", "a~"])
        #expect(HomeFolder.expanded("~/a", environment: [:]) == "~/a")
    }

    @Test("holds the states of a store whose folder or file begins with ~")
    func store() throws {
        #expect(try FileAuthStateStore(folder: "~/states").path(for: .default).hasPrefix("\(home)/states/"))
        #expect(try FileAuthStateStore(file: "~/state.json").path(for: .default) == "\(home)/state.json")
    }

    @Test(
        "is no part of a store's path where it is not known, and an empty path is not the current folder",
        arguments: ["", "~bob/states", "~bob"])
    func unknown(_ path: String) async {
        for store in [FileAuthStateStore(folder: path), FileAuthStateStore(file: path)] {
            #expect(await authError { _ = try await store.load(.default) }?.code == .invalidArgument)
            #expect(await authError { _ = try await store.entries(savedBefore: Date()) }?.code == .invalidArgument)
        }
    }

    @Test func `holds secrets, keys and authorities`() throws {
        let name = "authstate-test-\(UInt64.random(in: 0 ... .max))"
        try Data("s3cret\n".utf8).write(to: URL(fileURLWithPath: "\(home)/\(name)"))
        defer { try? FileManager.default.removeItem(atPath: "\(home)/\(name)") }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(home)/\(name)")
        #expect(try ClientCredential.file("~/\(name)").secret(stage: .token) == "s3cret")
        #expect(throws: Never.self) { try ClientCredential.file("~/\(name)").checkAvailable() }
    }
}
