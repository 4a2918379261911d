import AuthStateFoundation
import AuthStateJOSE

@testable import AuthStateOAuth

/// Answers of the token endpoint: a line with the status and, after a space, `Retry-After`; then the body.
func fuzzTokenAnswer(_ bytes: [UInt8]) {
    let (line, body) = bytes.firstLineAndRest
    let words = line.text.split(separator: " ", maxSplits: 1)
    var response = TransportResponse(status: words.first.flatMap { Int($0) } ?? 200, body: Data(body))
    if words.count > 1 { response.headers["Retry-After"] = String(words[1]) }
    for request in AnswerWorld.requests { check(response, to: request) }
}

private func check(_ response: TransportResponse, to request: TokenRequest) {
    let answer = TokenAnswer(response, to: request, sentAt: AnswerWorld.now)
    switch answer {
    case .tokens(let tokens):
        require((200...203).contains(response.status), "tokens come with success")
        require(TokenResponse.token(tokens.accessToken) != nil, "an access token that fits into a header")
        require(tokens.refreshToken.map { TokenResponse.token($0) != nil } ?? true, "a refresh token that can be sent")
        let life = tokens.accessTokenExpirationDate?.timeIntervalSince(AnswerWorld.now) ?? 0
        require((0...315_360_000).contains(life), "a lifetime from now to ten years")
        requireFitForLog(tokens.description)
        let coded = try? JSONDecoder().decode(TokenResponse.self, from: JSONEncoder().encode(tokens))
        require(coded == tokens, "stored and loaded as it was")
    case .error(let error), .refused(let error, _):
        require(error.stage == request.stage, "the stage of the request")
        requireFitForLog("\(error)")
        require((.zero ... .seconds(86400)).contains(error.retryAfter ?? .zero), "a wait of at most a day")
    }
    if case .refused(_, let refreshToken?) = answer {
        require(TokenResponse.token(refreshToken) != nil, "a refresh token that can be sent is kept")
    }
    // With other tokens in their places the same is said: what is said cannot depend on them.
    guard let members = try? JSONValue(parsing: [UInt8](response.body)).objectValue else { return }
    var other = members
    for name in ["access_token", "refresh_token", "id_token"] {
        guard let text = members[name]?.stringValue, TokenResponse.token(text) != nil else { continue }
        other[name] = .string("another-\(name)")
    }
    var changed = response
    changed.body = Data(JSONValue.object(other).serialized())
    let said = TokenAnswer(changed, to: request, sentAt: AnswerWorld.now).description
    require(said == answer.description, "what is said depends on a secret: \(said) | \(answer.description)")
}

private enum AnswerWorld {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static let requests: [TokenRequest] = {
        guard let url = URL(string: "https://op.example/token") else { fatalError("the endpoint") }
        var configuration = ProviderConfiguration(authorizationEndpoint: nil, tokenEndpoint: url)
        let renewal = TokenRequest(Client(configuration, id: "client"), .refreshToken("refresh"))
        configuration.tolerances = [.missingTokenType]
        return [renewal, TokenRequest(Client(configuration, id: "client"), .clientCredentials)]
    }()
}
