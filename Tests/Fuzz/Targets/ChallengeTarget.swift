import AuthStateFoundation

@testable import AuthStateKit

/// `WWW-Authenticate`, one line of the input for each header line.
func fuzzChallenge(_ bytes: [UInt8]) {
    let lines = bytes.text.utf8.split(separator: 0x0A).map { String(Substring($0)) }
    if let challenges = AuthenticationChallenge.parse(lines) {
        for challenge in challenges {
            require(!challenge.scheme.isEmpty, "a challenge has a scheme")
            requireFitForLog(challenge.errorDescription ?? "")
        }
        let written = challenges.map(\.written).joined(separator: ", ")
        require(AuthenticationChallenge.parse([written]) == challenges, "read as it was written: \(written)")
    }
    for status in [200, 401, 403] {
        var response = TransportResponse(status: status)
        response.headers[values: "WWW-Authenticate"] = lines
        switch ResourceVerdict(response, now: .distantPast) {
        case .answered: break
        case .nonceWanted: require((400...401).contains(status), "only a 400 or 401 asks for a nonce")
        case .tokenRejected:
            require(status == 401, "only a 401 rejects a token")
            requireFitForLog("\(AuthStateError(TokenRejected(response), canRenew: false))")
        case .refused(let error):
            require(status != 200, "a success refuses nothing")
            requireFitForLog("\(error)")
        }
    }
}

extension AuthenticationChallenge {
    /// The challenge as a header writes it, every value quoted.
    fileprivate var written: String {
        let values = parameters.sorted { $0.key < $1.key }.map { name, value in
            let escaped = value.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            return "\(name)=\"\(escaped)\""
        }
        let rest = ([token68].compactMap { $0 } + values).joined(separator: ", ")
        return rest.isEmpty ? scheme : "\(scheme) \(rest)"
    }
}
