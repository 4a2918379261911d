import ArgumentParser
import AuthStateKit

/// Reads the response type and mode; an unsupported one is refused with the reason.
enum AnswerKind {
    static func responseType(_ text: String) throws -> AuthorizationRequest.ResponseType {
        let type = AuthorizationRequest.ResponseType(rawValue: text)
        guard type == .code || isHybrid(type) else {
            let words = text.split(separator: " ")
            let isImplicit = words.contains("token") || words == ["id_token"]
            throw ValidationError(
                (isImplicit
                    ? "Implicit response types are not supported: they put tokens into addresses."
                    : "This response type is not supported.") + " Use code, or \"code id_token\".")
        }
        return type
    }

    static func responseMode(_ text: String) throws -> AuthorizationRequest.ResponseMode {
        let mode = AuthorizationRequest.ResponseMode(rawValue: text)
        guard [.query, .fragment, .formPost, .jwt, .queryJWT, .fragmentJWT, .formPostJWT].contains(mode) else {
            throw ValidationError(
                "This response mode is not supported. Use query, fragment or form_post, or one of these with .jwt.")
        }
        return mode
    }

    /// `code id_token`, in either order.
    static func isHybrid(_ type: AuthorizationRequest.ResponseType) -> Bool {
        type.rawValue.split(separator: " ").sorted() == ["code", "id_token"]
    }
}
