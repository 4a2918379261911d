import AuthStateFoundation
import AuthStateUserAgent

@testable import AuthStateKit

/// The loopback listener's requests: the first byte is the length of the pieces that the rest arrives in.
func fuzzLoopback(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let whole = outcomes(of: [stream[...]])
    let length = Int(first % 32) + 1
    let pieces = stride(from: 0, to: stream.count, by: length).map { stream[$0..<min($0 + length, stream.count)] }
    require(outcomes(of: pieces) == whole, "pieces are read as the whole")
    for case .request(let request) in whole { check(request) }
}

/// The requests that are read, one after the other, up to a refusal.
private func outcomes(of pieces: [ArraySlice<UInt8>]) -> [LoopbackRequestParser.Outcome] {
    var parser = LoopbackRequestParser()
    var outcomes: [LoopbackRequestParser.Outcome] = []
    var fed = 0
    for piece in pieces {
        fed += piece.count
        var outcome = parser.feed(piece)
        while case .request = outcome {
            outcomes.append(outcome)
            outcome = parser.feed([])
        }
        require(parser.bufferedBytes <= fed, "nothing is held that did not come")
        if case .failure(let status) = outcome {
            require([400, 413, 431, 501, 505].contains(status), "a status for a refusal")
            return outcomes + [outcome]
        }
    }
    return outcomes
}

private func check(_ request: LoopbackRequest) {
    if request.body.count < 4096 {
        var head = "\(request.method) \(request.target) HTTP/1.\(request.keepsAlive ? 1 : 0)\r\n"
        for field in request.headers { head += "\(field.name): \(field.value)\r\n" }
        let written = Array("\(head)\r\n".utf8) + request.body
        if written.count < 16384 {
            require(outcomes(of: [written[...]]) == [.request(request)], "read as it was written")
        }
    }
    for purpose in [UserAgentPurpose.login, .logout] {
        let entrance = LoopbackEntrance(
            to: "https://op.example/", redirectURI: LoopbackWorld.redirectURI, lifetime: .seconds(1))
        let rules = LoopbackCallbackRules(
            redirectURI: LoopbackWorld.redirectURI, purpose: purpose, entrance: entrance, state: nil)
        if case .callback = rules.judge(request) { require(false, "without the cookie nothing is a callback") }
        var visitor = request
        visitor.headers["Cookie"] = "a=b; \(entrance.cookie)"
        guard case .callback(let callback) = rules.judge(visitor) else { continue }
        require(LoopbackWorld.redirectURI.matches(callback.url), "a callback is at the redirect URI")
        require(request.headers[values: "Host"] == ["127.0.0.1:4711"], "the host is ours")
        require(callback.formBody == nil || request.method == "POST", "a form comes by POST")
        let isPosted = request.method == "POST"
        require(!isPosted || request.headers[values: "Origin"] == ["http://127.0.0.1:4711"], "our own page posts")
    }
}

private enum LoopbackWorld {
    static let redirectURI: RedirectURI = {
        guard let uri = try? RedirectURI("http://127.0.0.1:4711/callback") else { fatalError("the redirect URI") }
        return uri
    }()
}
