import Foundation
import Testing

@Suite(
    .whereProvidersAreInstalled, .whereStaticBinaryIsBuilt,
    .running([.glewlwyd, .glewlwydTLS]), .timeLimit(.minutes(2)))
struct StaticBinaryTests {
    @Test("logs in, saves, and continues and renews in a second process", arguments: [Provider.glewlwyd, .glewlwydTLS])
    func login(_ provider: Provider) async throws {
        let process = try provider.process
        let root = try TemporaryFolder()
        // By a program of its own: a child of a test beside this one could hold a file open that this process writes.
        let copy = try await Program.run(["cp", StaticBinary.path, root("static-login")])
        #expect(copy.status == 0, "\(copy.errors)")
        var environment = [
            "ISSUER": process.issuer, "CLIENT_ID": "public", "REDIRECT_URI": process.redirectURI,
            "STATE_FOLDER": "/states",
        ]
        if let authorities = process.certificateAuthorityFile {
            try FileManager.default.copyItem(atPath: authorities, toPath: root("authorities.pem"))
            environment["AUTHORITIES"] = "/authorities.pem"
        }
        // libdispatch counts its threads in /proc, which every container has; the mount ends with the program.
        try FileManager.default.createDirectory(atPath: root("proc"), withIntermediateDirectories: false)
        let words = [
            "unshare", "--mount", "sh", "-c", "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" /static-login",
            root.path,
        ]

        let first = try Program.start(words, environment: environment)
        let address = try await first.firstLine()
        let url = try #require(address.flatMap { URL(string: $0) }, "\(first.output) \(first.errors)")
        try await LoginBrowser().open(url)
        let login = try await first.result()
        #expect(login.status == 0, "\(login.output) \(login.errors)")
        #expect(login.output.contains("\nrenewed, until "))

        let second = try await Program.run(words, environment: environment)
        #expect(second.status == 0, "\(second.output) \(second.errors)")
        #expect(second.output.hasPrefix("renewed, until "), "the stored login is continued without a browser")
        let subject = "subject \(login.output.components(separatedBy: "subject ").last ?? "?")"
        #expect(second.output.hasSuffix(subject))
        // The program, its states, and the authorities of the test: no library, no device, no configuration.
        let files = try FileManager.default.contentsOfDirectory(atPath: root("."))
        #expect(Set(files).subtracting(["authorities.pem"]) == ["proc", "static-login", "states"])
    }

    @Test("needs no shared library")
    func linkage() async throws {
        let result = try await Program.run(["file", "--brief", StaticBinary.path])
        #expect(result.output.contains("statically linked"), "\(result.output)")
    }
}

enum StaticBinary {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let path = package.appendingPathComponent(".build-static/debug/static-login").path
}

extension Trait where Self == ConditionTrait {
    /// Skipped where the program is not built, or a root folder cannot be changed, unless the providers are required.
    static var whereStaticBinaryIsBuilt: Self {
        .enabled(
            if: Provider.areRequired || (FileManager.default.fileExists(atPath: StaticBinary.path) && getuid() == 0),
            "the static binary is not built: see README.md; and a root folder is changed by root alone")
    }
}
