#if os(Linux)
    import AuthStateKit
    import Foundation
    import Testing

    extension TransportRequest {
        init(_ url: String, method: Method = .get, headers: TransportHeaders = [:], body: String? = nil) throws {
            self.init(
                method: method, url: try #require(URL(string: url)), headers: headers, body: body.map { Data($0.utf8) },
                timeout: .seconds(20))
        }
    }

    /// The error that sending ends with; nil when an answer came.
    func failure(_ transport: some HTTPTransport, _ request: TransportRequest) async throws -> TransportError? {
        do {
            _ = try await transport.send(request)
            return nil
        } catch let error as TransportError {
            return error
        }
    }

    /// 1 MiB of zeros, compressed with gzip to 1,051 bytes.
    var gzippedMebibyte: [UInt8] {
        let text = "H4sIAAAAAAACA+3BMQEAAADCoPVPbQhfo" + String(repeating: "A", count: 1355) + "PgMc6jinAAAQAA=="
        return Array(Data(base64Encoded: text) ?? Data())
    }
#endif
