import AuthStateOAuth
import AuthStateSystem

extension AuthState {
    /// An answer of the authorization endpoint, apart from the part that all logins have in common, which can be kept
    /// once.
    struct SpentAuthorization: Sendable, Hashable {
        /// The answer without the parts that only this login has.
        var common: Box<AuthorizationResponse>
        /// Code, state, verifier, nonce and the encoded parameters, one behind the other: as strings of their own they
        /// would take twice the memory.
        private let secrets: String
        /// The ends of the code, the state, the verifier and the nonce in `secrets`, in bytes; -1 without a nonce.
        private let codeEnd, stateEnd, verifierEnd, nonceEnd: Int32

        /// A placeholder where a verifier is required.
        private static let noVerifier = CodeVerifier()

        init(_ response: AuthorizationResponse) {
            let request = response.request
            codeEnd = Int32(clamping: response.code.utf8.count)
            stateEnd = codeEnd + Int32(clamping: request.state.utf8.count)
            verifierEnd = stateEnd + Int32(clamping: request.codeVerifier.rawValue.utf8.count)
            nonceEnd = request.nonce.map { [verifierEnd] in verifierEnd + Int32(clamping: $0.utf8.count) } ?? -1
            let parameters = response.additionalParameters.encoded
            // Not with `+`, which leaves room to grow.
            var secrets = ""
            secrets.reserveCapacity(Int(max(verifierEnd, nonceEnd)) + parameters.utf8.count)
            for secret in [
                response.code, request.state, request.codeVerifier.rawValue, request.nonce ?? "", parameters,
            ] {
                secrets += secret
            }
            self.secrets = secrets
            var common = response
            (common.code, common.additionalParameters) = ("", [:])
            (common.request.state, common.request.nonce) = ("", nil)
            common.request.codeVerifier = Self.noVerifier
            // The state has both: nothing is kept twice, and no secret.
            common.request = common.request.withoutClient
            common.request.dpopKey = nil
            self.common = Box(common)
        }

        /// The whole answer.
        var response: AuthorizationResponse {
            var response = common.value
            response.code = secret(0, codeEnd)
            response.request.state = secret(codeEnd, stateEnd)
            // It was a verifier before.
            response.request.codeVerifier = (try? CodeVerifier(secret(stateEnd, verifierEnd))) ?? Self.noVerifier
            response.request.nonce = nonceEnd < 0 ? nil : secret(verifierEnd, nonceEnd)
            let parameters = secret(max(verifierEnd, nonceEnd), Int32(clamping: secrets.utf8.count))
            // They were encoded here.
            response.additionalParameters = Parameters(decoding: parameters) ?? [:]
            return response
        }

        private func secret(_ start: Int32, _ end: Int32) -> String {
            String(decoding: secrets.utf8.dropFirst(Int(start)).prefix(Int(end - start)), as: UTF8.self)
        }
    }
}
