import Foundation

/// The command line.
struct Options {
    /// The work of this process; the program starts itself as its own peer.
    enum Role {
        case report
        /// Answers HTTP requests with a body.
        case server(Data)
        /// Sends one request.
        case firstRequest(FirstRequests.Client, url: String, authorities: String)
    }

    private(set) var role = Role.report
    private(set) var filter = ""
    private(set) var rounds: Int?
    private(set) var showsOnlySummary = false
    private(set) var acceptsFigures = false

    /// Reads the arguments; ends the process after `--help` and after arguments that it does not know.
    init(_ arguments: ArraySlice<String>) {
        var arguments = arguments
        while let argument = arguments.popFirst() {
            switch argument {
            case "--serve": role = .server(Self.body(ofFile: arguments.popFirst()))
            case "--first-request":
                guard let client = arguments.popFirst().flatMap(FirstRequests.Client.init(rawValue:)),
                    let url = arguments.popFirst(), let authorities = arguments.popFirst()
                else { Self.end(64) }
                role = .firstRequest(client, url: url, authorities: authorities)
            case "--filter": filter = arguments.popFirst() ?? ""
            case "--rounds": rounds = arguments.popFirst().flatMap(Int.init).map { max(1, $0) }
            case "--summary": showsOnlySummary = true
            case "--accept": acceptsFigures = true
            default: Self.end(argument == "--help" ? 0 : 64)
            }
        }
    }

    private static func body(ofFile path: String?) -> Data {
        guard let path else { return Data(repeating: UInt8(ascii: "x"), count: 1_024) }
        guard let body = FileManager.default.contents(atPath: path) else { end(66) }
        return body
    }

    private static func end(_ status: Int32) -> Never {
        print(
            """
            usage: Benchmarks [--filter NAME] [--rounds N] [--summary] [--accept]

            --filter NAME  runs the benchmarks whose name contains NAME
            --rounds N     replaces each benchmark's own number of rounds
            --summary      prints the last table alone
            --accept       writes the ratios to the file that later runs compare theirs with

            \(Benchmarks.all.map(\.name).joined(separator: "\n"))
            """)
        exit(status)
    }
}
