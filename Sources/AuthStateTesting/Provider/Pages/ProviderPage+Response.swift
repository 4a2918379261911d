import AuthStateJOSE
import AuthStateKit
import AuthStateOAuth
import AuthStateUserAgent

extension ProviderPage {
    /// The page as an answer.
    var response: LoopbackResponse {
        let nonce = Base64URL.encode(SecureRandom.bytes(16))
        let forms = formTargets.isEmpty ? "'none'" : formTargets.joined(separator: " ")
        let policy =
            [
                "default-src 'none'", "style-src 'nonce-\(nonce)'", "script-src 'nonce-\(nonce)'", "base-uri 'none'",
                "frame-ancestors 'none'", "form-action \(forms)",
            ] + (frames.isEmpty ? [] : ["frame-src \(frames.joined(separator: " "))"])
        return LoopbackResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy.joined(separator: "; "),
                "Cache-Control": "no-store", "Referrer-Policy": isOwn ? "same-origin" : "no-referrer",
                "X-Content-Type-Options": "nosniff",
            ],
            body: Array(html(nonce: nonce).utf8))
    }

    private func html(nonce: String) -> String {
        let send = frames.isEmpty ? "document.forms[0].submit()" : "onload = () => document.forms[0].submit()"
        let script = submitsItself ? "<script nonce=\"\(nonce)\">\(send)</script>" : ""
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style nonce="\(nonce)">
            \(Self.style)
            </style>
            </head>
            <body>
            <main\(isOwn ? " class=\"wide\"" : "")>
            <h1>\(title)</h1>
            \(content)
            </main>
            \(script)
            </body>
            </html>

            """
    }

    private static let style = """
        :root { color-scheme: light dark; --page: #f3f4f8; --card: #fff; --text: #171a21; --quiet: #5a6172;
          --line: #d3d7e2; --action: #3d56bd; --alert: #b02a43 }
        @media (prefers-color-scheme: dark) {
          :root { --page: #0e1015; --card: #181b22; --text: #eef0f5; --quiet: #a2a9ba; --line: #394050;
            --action: #4b64c8; --alert: #ff7088 } }
        * { box-sizing: border-box }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
          background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
        main { width: 100%; max-width: 24rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
          border-radius: 1rem; overflow-wrap: anywhere }
        h1 { margin: 0 0 .75rem; font-size: 1.4rem }
        p { margin: 0 0 .75rem }
        ul { margin: 0 0 1rem; padding-left: 1.2rem; color: var(--quiet) }
        label { display: block; margin: .75rem 0 .25rem; color: var(--quiet) }
        input { width: 100%; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--page);
          border: 1px solid var(--line); border-radius: .5rem }
        .buttons { display: flex; gap: .75rem; margin-top: 1.25rem }
        button { flex: 1; padding: .65rem; font: inherit; font-weight: 600; color: #fff; background: var(--action);
          border: 1px solid transparent; border-radius: .5rem; cursor: pointer }
        button.quiet { color: var(--text); background: none; border-color: var(--line) }
        .alert { color: var(--alert) }
        .wide { max-width: 48rem }
        .choices { columns: 18rem; column-gap: 1.5rem }
        .choice { break-inside: avoid; margin-top: 0; padding-top: .4rem; display: flex; gap: .6rem; align-items: baseline; color: var(--text) }
        .choice input { width: auto }
        h2 { margin: 1.5rem 0 .5rem; font-size: 1rem }
        iframe { width: 100%; height: 3rem; border: 0 }
        """
}
