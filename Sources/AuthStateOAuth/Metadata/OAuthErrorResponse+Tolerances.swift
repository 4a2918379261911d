package import AuthStateJOSE

extension OAuthErrorResponse {
    /// The error response in a document, in the provider's own form where that is tolerated; nil when there is none.
    ///
    /// The description holds the provider's own words.
    package init?(_ json: JSONValue?, tolerating tolerances: Set<Tolerance>) {
        if let standard = OAuthErrorResponse(json) {
            self = standard.tolerating(tolerances)
        } else if tolerances.contains(.errorObjects), let object = json?["error"], object.objectValue != nil {
            self.init(object: object)
        } else if tolerances.contains(.errorLists), let list = json?["errors"]?.arrayValue {
            self.init(list: list, message: json?["message"]?.stringValue)
        } else {
            return nil
        }
    }

    /// The same with an error code of OAuth, where the provider sends one of its own for it.
    func tolerating(_ tolerances: Set<Tolerance>) -> OAuthErrorResponse {
        guard tolerances.contains(.gitHubErrors), let code = Self.gitHubCodes[error] else { return self }
        return OAuthErrorResponse(error: code, errorDescription: summary, errorURI: errorURI)
    }

    /// https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
    private static let gitHubCodes = [
        "bad_verification_code": "invalid_grant",
        "bad_refresh_token": "invalid_grant",
        "incorrect_device_code": "invalid_grant",
        "token_expired": "expired_token",
        "incorrect_client_credentials": "invalid_client",
        "redirect_uri_mismatch": "invalid_request",
        "application_suspended": "unauthorized_client",
        "device_flow_disabled": "unauthorized_client",
    ]

    /// https://developers.facebook.com/docs/graph-api/guides/error-handling
    private init(object: JSONValue) {
        let number = object["code"]?.doubleValue.flatMap { Int(exactly: $0) }
        let subcode = object["error_subcode"]?.doubleValue.flatMap { Int(exactly: $0) }
        let code: String? =
            switch number ?? 0 {
            case 2: "server_error"
            case 4, 17, 32, 341, 613: "temporarily_unavailable"
            case 10, 200...299: "access_denied"
            // The subcodes are those of a login's code that has expired or was used.
            case 100: [36007, 36009].contains(subcode) ? "invalid_grant" : "invalid_request"
            case 101: "invalid_client"
            case 102, 190: "invalid_grant"
            case 191: "invalid_request"
            default: nil
            }
        let type = object["type"]?.stringValue ?? "error"
        let name = number.map { "\(type) \($0)" + (subcode.map { "/\($0)" } ?? "") } ?? type
        let message = object["message"]?.stringValue.map { ", \($0)" } ?? ""
        self.init(error: code ?? type, errorDescription: name + message)
    }

    /// https://developers.strava.com/docs/reference/#api-models-Fault
    private init(list: [JSONValue], message: String?) {
        let words = list.map { entry in
            ["resource", "field", "code"].compactMap { entry[$0]?.stringValue }.joined(separator: " ")
        }
        let code: String? =
            switch list.first?["resource"]?.stringValue {
            case "AuthorizationCode", "RefreshToken": "invalid_grant"
            case "Application": "invalid_client"
            default: nil
            }
        self.init(
            error: code ?? "invalid_request",
            errorDescription: ([message].compactMap { $0 } + words).joined(separator: ", "))
    }
}
