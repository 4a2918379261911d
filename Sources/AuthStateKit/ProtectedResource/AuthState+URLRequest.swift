#if canImport(Darwin)
    import AuthStateJOSE
    import AuthStateOAuth
    public import Foundation

    extension AuthState {
        /// Sends a request with a fresh access token, for a program that has requests of Foundation's already.
        ///
        /// As `performAction(_:parameters:policy:)` does, and by the service's transport: it follows no redirect, keeps no
        /// cookies, and has no cache. Of the request it takes the URL, the method, the header fields, `httpBody` and
        /// `timeoutInterval`.
        ///
        /// - Throws: As `performAction`; `.invalidArgument` for a request without a URL, or whose body is a stream.
        public nonisolated(nonsending) func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            guard let url = request.url else {
                throw AuthStateError(
                    .invalidArgument, stage: .resource, "The request has no URL.",
                    hint: "Make it with URLRequest(url:).")
            }
            guard request.httpBodyStream == nil else {
                throw AuthStateError(
                    .invalidArgument, stage: .resource, "The request's body is a stream, which cannot be sent twice.",
                    hint: "Give the body as data.")
            }
            var wire = TransportRequest(
                method: .init(rawValue: request.httpMethod ?? "GET"), url: url, body: request.httpBody,
                timeout: Duration(boundedSeconds: request.timeoutInterval))
            for (name, value) in request.allHTTPHeaderFields ?? [:] { wire.headers[name] = value }
            let answer = try await performAction(wire)
            var fields: [String: String] = [:]
            for field in answer.headers {
                let name = fields.keys.first { $0.equalsIgnoringASCIICase(field.name) } ?? field.name
                fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
            }
            guard
                let response = HTTPURLResponse(
                    url: url, statusCode: answer.status, httpVersion: nil, headerFields: fields)
            else {
                throw AuthStateError(
                    .malformedResponse, stage: .resource, "The answer cannot be shown as a URL response.")
            }
            return (answer.body, response)
        }
    }
#endif
