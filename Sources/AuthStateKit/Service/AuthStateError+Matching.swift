public import AuthStateOAuth

// Here, because an operator is not found in a module of which single types are passed on.
extension AuthStateError.Code {
    /// Returns whether an error has this code: `catch AuthStateError.Code.notLoggedIn`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? AuthStateError)?.code == code }
}
