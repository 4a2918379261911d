import AuthStateFoundation
import AuthStateOAuth

extension LoopbackPages {
    /// Returns the whole answer: page or redirect, and the headers that keep the address with its code to this browser.
    func response(for occasion: Occasion, purpose: UserAgentPurpose) -> LoopbackResponse {
        let nonce = Self.makeNonce()
        var response = LoopbackResponse(status: occasion.status, headers: Self.headers)
        var sources = "style-src 'nonce-\(nonce)'"
        var formTargets = "'none'"
        switch page(for: occasion) {
        case .html(let html):
            sources = "style-src 'unsafe-inline'; img-src data:"
            response.body = Array(html.utf8)
        case .redirect(let url):
            response.status = 303
            response.headers.append("Location", url.absoluteString)
        case .standard:
            if case .entrance(let entrance) = occasion {
                response.headers.append("Location", entrance.page)
                response.headers.append("Set-Cookie", entrance.setCookie)
                break
            }
            let content = content(for: occasion, purpose: purpose)
            if content.handover != nil {
                sources += "; script-src 'nonce-\(nonce)'"
                formTargets = handoverTargets
                // A page without a referrer posts without an origin, which its form is known by.
                response.headers["Referrer-Policy"] = "same-origin"
            }
            response.body = Array(content.html(nonce: nonce).utf8)
        }
        response.headers.append(
            "Content-Security-Policy",
            "default-src 'none'; \(sources); base-uri 'none'; form-action \(formTargets); frame-ancestors 'none'")
        if occasion.status == 405 { response.headers.append("Allow", "GET, POST") }
        return response
    }

    private func page(for occasion: Occasion) -> Page {
        let chosen: Page
        switch occasion {
        case .outcome(.completed): chosen = success
        case .outcome(.failed), .outcome(.cancelled): chosen = failure
        case .undecided, .alreadyUsed, .entrance, .openedTwice, .handover, .otherBrowser, .otherState, .refused:
            chosen = .standard
        }
        if case .redirect(let url) = chosen, BrowserURL(url) == nil { return .standard }
        return chosen
    }

    private static let headers: TransportHeaders = [
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Connection": "close",
    ]

    private static func makeNonce() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }
}
