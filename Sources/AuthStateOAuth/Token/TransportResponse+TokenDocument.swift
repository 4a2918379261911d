import AuthStateJOSE

extension TransportResponse {
    /// The members of a token endpoint's answer; nil when it has no document of a kind that is accepted.
    func tokenDocument(tolerating tolerances: Set<Tolerance>) -> JSONValue? {
        if tolerances.contains(.formEncodedTokens), mediaType == "application/x-www-form-urlencoded" {
            guard let form = Parameters(decoding: String(decoding: body, as: UTF8.self)), form.repeatedName == nil
            else {
                return nil
            }
            return .object(Dictionary(uniqueKeysWithValues: form.names.map { ($0, .string(form[$0] ?? "")) }))
        }
        return json
    }
}
