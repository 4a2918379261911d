public import AuthStateFoundation

extension TransportResponse {
    /// The body as text, read as UTF-8; bytes that are not become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns the body decoded from JSON; the status is the caller's to check.
    ///
    /// ```swift
    /// let repositories = try await authState.performAction(TransportRequest(url: url)).json(as: [Repository].self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder.
    /// - Throws: `AuthStateError` of stage resource with `.malformedResponse`, which says where the body is another one than
    ///   expected, and shows nothing of it.
    public func json<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        do { return try decoder.decode(type, from: body) } catch {
            let path = (error as? DecodingError)?.path ?? ""
            throw AuthStateError(
                .malformedResponse, stage: .resource, "The answer is not the JSON that the program expects.",
                expected: "\(type) in JSON",
                received: "status \(status), \(mediaType?.printable() ?? "no Content-Type"), \(body.count) bytes"
                    + (path.isEmpty ? "" : ", something else at /\(path)"),
                hint: (200...299).contains(status)
                    ? "Compare the answer's text with the type." : "Check the status before the body is decoded.",
                underlying: error)
        }
    }
}

extension DecodingError {
    /// The names of the members that lead to the place of the error.
    fileprivate var path: String {
        let keys: [any CodingKey]
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            keys = context.codingPath
        case .keyNotFound(let key, let context): keys = context.codingPath + [key]
        @unknown default: keys = []
        }
        return keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/").printable()
    }
}
