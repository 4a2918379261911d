import AuthStateKit
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import AuthStateHummingbird
@testable import WebServer

/// A browser in miniature: keeps cookies, follows no redirect by itself.
struct Visitor: Sendable {
    let site: Site
    var cookies: [String: String] = [:]

    /// Goes to a page.
    ///
    /// - Parameter site: Where the navigation began, as browsers report it; nil as old browsers.
    mutating func get(_ path: String, from site: String? = "none") async throws -> TestResponse {
        try await send(path, .get, [HTTPField.Name("Sec-Fetch-Site")!: site].compactMapValues(), nil)
    }

    mutating func post(_ path: String, _ form: FormParameters, origin: String? = "http://localhost") async throws
        -> TestResponse
    {
        try await send(
            path, .post, [.contentType: "application/x-www-form-urlencoded", .origin: origin].compactMapValues(),
            form.encoded)
    }

    private mutating func send(
        _ path: String, _ method: HTTPRequest.Method, _ headers: HTTPFields, _ body: String?
    ) async throws -> TestResponse {
        var headers = headers
        if !cookies.isEmpty { headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        let answer = try await site.client.execute(
            uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
        for cookie in answer.headers[values: .setCookie] {
            let words = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let pair = words[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            cookies[pair[0]] = words.contains("Max-Age=0") ? nil : pair[1]
        }
        return answer
    }

    /// Begins a login and goes to the provider; returns the path of the callback that it sends the browser to.
    mutating func callback(returningTo path: String? = nil) async throws -> String {
        let query = path.map { "?" + (["return": $0] as FormParameters).encoded } ?? ""
        let login = try await get("/login\(query)")
        let url = try #require(login.headers[.location].flatMap(URL.init(string:)))
        let answer = try await SystemTransport.shared.send(TransportRequest(url: url))
        let location = try #require(answer.headers["Location"])
        return String(try #require(location.dropPrefix("http://localhost")))
    }

    /// Logs in; returns the answer to the callback.
    @discardableResult
    mutating func logIn(returningTo path: String? = nil) async throws -> TestResponse {
        let callback = try await callback(returningTo: path)
        let answer = try await get(callback)
        #expect(answer.status == .found)
        return answer
    }

    /// The hidden field of the form with the button to sign out.
    mutating func formToken() async throws -> String {
        let page = try await get("/").text
        let start = try #require(page.range(of: "name=\"token\" value=\""))
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }
}

extension TestResponse {
    /// Where a page leads the browser at once, after a form; nil for any other page.
    var lead: String? { HTTPField.Name("Refresh").flatMap { headers[$0] }?.dropPrefix("0; url=").map(String.init) }

    var text: String { String(buffer: body) }
}

extension String {
    func dropPrefix(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

extension [HTTPField.Name: String?] {
    fileprivate func compactMapValues() -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in self { fields[name] = value }
        return fields
    }
}
