import AuthStateKit
import Hummingbird

/// Parameters of a query or a form; Hummingbird's own type of this name holds the parts of a path.
typealias FormParameters = AuthStateKit.Parameters

extension Request {
    /// The query's parameters; none when it cannot be read.
    var queryParameters: FormParameters { FormParameters(decoding: uri.query ?? "") ?? [:] }

    /// The parameters of the form in the body; none when it cannot be read.
    ///
    /// - Throws: An error with the status 413 when the body is longer than a form of ours can be.
    func formParameters() async throws -> FormParameters {
        FormParameters(decoding: String(buffer: try await body.collect(upTo: 4096))) ?? [:]
    }
}
