import HTTPTypes
import Hummingbird

/// A page for a user: self-contained, without scripts, and with a policy that allows nothing else.
struct Page: ResponseGenerator {
    var status = HTTPResponse.Status.ok
    var title: String
    var content: HTML
    var headers: HTTPFields = [:]

    func response(from request: Request, context: some RequestContext) -> Response {
        var headers = headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = policy
        // A browser sends `Origin: null` with the forms of a page that has `no-referrer` (Fetch, section 3.2).
        headers[.pagePolicy] = "same-origin"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private var policy: String {
        "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
    }

    private var html: String {
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            </body>
            </html>

            """
        return page.description
    }
}

/// The style sheet, a file of its own so that the policy needs no exception.
struct StyleSheet: ResponseGenerator {
    func response(from request: Request, context: some RequestContext) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/css; charset=utf-8", .cacheControl: "max-age=3600"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: Self.text)))
    }

    private static let text = """
        :root { color-scheme: light dark; --page: #f3f4f8; --card: #fff; --text: #171a21; --quiet: #5a6172;
          --line: #d3d7e2; --action: #3d56bd }
        @media (prefers-color-scheme: dark) {
          :root { --page: #0e1015; --card: #181b22; --text: #eef0f5; --quiet: #a2a9ba; --line: #394050;
            --action: #4b64c8 } }
        * { box-sizing: border-box }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
          background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
        main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
          border-radius: 1rem; overflow-wrap: anywhere }
        h1 { margin: 0 0 .75rem; font-size: 1.4rem }
        p { margin: 0 0 .75rem }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1rem; margin: 0 0 1.25rem }
        dt { color: var(--quiet) }
        dd { margin: 0 }
        nav { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; margin-top: 1.25rem }
        form { margin: 0 }
        .button { display: inline-block; padding: .6rem 1.1rem; font: inherit; font-weight: 600; color: #fff;
          background: var(--action); border: 1px solid transparent; border-radius: .5rem; cursor: pointer;
          text-decoration: none }
        .quiet { color: var(--text); background: none; border-color: var(--line) }
        small { color: var(--quiet) }
        """
}

extension HTTPField.Name {
    /// `Referrer-Policy`, which swift-http-types does not name.
    fileprivate static var pagePolicy: Self { Self("Referrer-Policy") ?? .referer }
}
