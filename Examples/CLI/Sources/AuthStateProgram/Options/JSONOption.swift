import ArgumentParser
import AuthStateKit

/// Reads options whose value is JSON.
enum JSONOption {
    /// Claims to ask for, by their place: ID token or userinfo.
    static func claims(_ text: String) throws -> JSONValue {
        let value = try? JSONValue(parsing: text.utf8)
        guard let value, let members = value.objectValue, !members.isEmpty,
            members.allSatisfy({ ["id_token", "userinfo"].contains($0.key) && $0.value.objectValue != nil })
        else {
            throw ValidationError(
                #"--claims takes a JSON object such as {"userinfo": {"email": {"essential": true}}}, with id_token, "#
                    + "userinfo or both.")
        }
        return value
    }

    /// The access in detail.
    static func details(_ text: String) throws -> [AuthorizationDetail] {
        let details = (try? JSONValue(parsing: text.utf8)).flatMap { [AuthorizationDetail](authorizationDetails: $0) }
        guard let details, !details.isEmpty else {
            throw ValidationError(
                #"--authorization-details takes a JSON list of objects with a type, such as [{"type": "payment"}]."#)
        }
        return details
    }
}
