import AuthStateKit
import Hummingbird

/// Parameters of a query or a form; Hummingbird's own type of this name holds the parts of a path.
typealias FormParameters = AuthStateKit.Parameters

extension Request {
    /// The query's parameters; none when it cannot be read.
    var queryParameters: FormParameters { FormParameters(decoding: uri.query ?? "") ?? [:] }

    /// The parameters of the form in the body; none when it cannot be read.
    ///
    /// - Parameter limit: The longest body; a form of ours is never longer than the default.
    /// - Throws: An error with the status 413 when the body is longer.
    func formParameters(upTo limit: Int = 4096) async throws -> FormParameters {
        FormParameters(decoding: String(buffer: try await body.collect(upTo: limit))) ?? [:]
    }
}
