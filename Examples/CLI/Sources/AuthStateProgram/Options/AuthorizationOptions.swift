import ArgumentParser
import AuthStateKit

/// Options for the provider's pages; only for a user's login.
struct AuthorizationOptions: ParsableArguments {
    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "Where the answer goes; port 0 means any free port. Default: what goes with --provider, else "
                + "http://127.0.0.1:0/callback.", valueName: "uri"))
    var redirectURI: String?

    @Option(
        help: ArgumentHelp(
            "What the provider's page answers with: code, or \"code id_token\". Default: code.", valueName: "type"),
        transform: AnswerKind.responseType)
    var responseType: AuthorizationRequest.ResponseType?

    @Option(
        help: ArgumentHelp(
            "How the answer comes: query, fragment or form_post; signed (JARM) with .jwt behind it. Default: what goes "
                + "with the response type.",
            valueName: "mode"),
        transform: AnswerKind.responseMode)
    var responseMode: AuthorizationRequest.ResponseMode?

    @Flag(
        name: .customLong("par"),
        help: "Send the request to the provider directly, and the browser only with a reference (PAR, RFC 9126).")
    var isPushed = false

    @Flag(help: "Show the address, and take the one that the browser ends at from standard input.")
    var paste = false

    @Option(help: ArgumentHelp("The greatest accepted age of the login at the provider, in seconds.", valueName: "s"))
    var maxAge: Int?

    @Option(
        help: ArgumentHelp(
            "Single claims to ask for: a JSON object with id_token, userinfo or both.", valueName: "json"),
        transform: JSONOption.claims)
    var claims: JSONValue?

    @Option(help: "What the provider shall ask: none, login, consent, select_account, or several in quotes.")
    var prompt: String?

    @Option(help: ArgumentHelp("Who is likely to log in; with --grant ciba, whom to ask.", valueName: "name"))
    var loginHint: String?

    func validate() throws {
        if let maxAge, maxAge < 0 { throw ValidationError("--max-age has to be 0 or more seconds.") }
        if let responseMode, [.query, .queryJWT].contains(responseMode), isHybrid {
            throw ValidationError(
                "--response-mode \(responseMode.rawValue) does not go with an ID token; use fragment or form_post.")
        }
        if prompts.contains(.none), prompts.count > 1 { throw ValidationError("--prompt none goes without any other.") }
        if paste, let responseMode, [.formPost, .formPostJWT].contains(responseMode) {
            throw ValidationError(
                "--paste goes without --response-mode \(responseMode.rawValue): no address has the answer.")
        }
        if let redirectURI { try RedirectURI.check(redirectURI, of: "--redirect-uri") }
    }

    /// The first option that was given, for grants that have no page.
    ///
    /// - Parameter other: An option that these grants accept nevertheless.
    func firstGiven(but other: String? = nil) -> String? {
        let given: [(String, Bool)] = [
            ("--redirect-uri", redirectURI != nil), ("--response-type", responseType != nil),
            ("--response-mode", responseMode != nil), ("--par", isPushed), ("--paste", paste),
            ("--max-age", maxAge != nil), ("--claims", claims != nil),
            ("--prompt", prompt != nil), ("--login-hint", loginHint != nil),
        ]
        return given.first { $0.1 && $0.0 != other }?.0
    }

    /// Whether an ID token shall come with the code.
    var isHybrid: Bool { responseType.map(AnswerKind.isHybrid) == true }

    private var prompts: [AuthorizationRequest.Prompt] {
        (prompt ?? "").split(separator: " ").map { .init(rawValue: String($0)) }
    }

    /// Copies the options into a request, except the redirect URI, which depends on the provider too.
    func apply(to request: inout AuthorizationRequest) {
        request.responseType = responseType ?? .code
        if let responseMode { request.responseMode = responseMode }
        request.maxAge = maxAge
        request.claims = claims ?? request.claims
        if prompt != nil { request.prompt = prompts }
        request.loginHint = loginHint
        // Left open, the provider's metadata decide.
        if isPushed { request.isPushed = true }
    }
}
