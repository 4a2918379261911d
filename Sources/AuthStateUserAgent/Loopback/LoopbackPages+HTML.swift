import AuthStateOAuth

extension LoopbackPages.Content {
    /// Returns the page as one self-contained document; the nonce admits its style sheet, its script, and nothing else.
    func html(nonce: String) -> String {
        let details = details.map { "<p class=\"detail\">\($0.htmlEscaped)</p>" }.joined(separator: "\n")
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>\(title.htmlEscaped)</title>
            <style nonce="\(nonce)">
            \(Self.style)
            </style>
            </head>
            <body>
            <main class="\(mark.name)" role="\(mark == .failure ? "alert" : "status")">
            <svg viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="\(mark.path)"/></svg>
            <h1>\(title.htmlEscaped)</h1>
            <p>\(text.htmlEscaped)</p>
            \(details)
            \(handoverForm(nonce: nonce))
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root { color-scheme: light dark; --page: #f3f4f8; --card: #fff; --text: #171a21; --quiet: #5a6172;
          --line: #e1e4ec; --success: #178556; --failure: #c2304a; --neutral: #4b64c8 }
        @media (prefers-color-scheme: dark) {
          :root { --page: #0e1015; --card: #181b22; --text: #eef0f5; --quiet: #a2a9ba;
            --line: #2a2f3a; --success: #43c98d; --failure: #ff7088; --neutral: #8fa4ff } }
        * { box-sizing: border-box }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem;
          background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif }
        main { width: 100%; max-width: 27rem; padding: 2.75rem 2.25rem 2.5rem; text-align: center; overflow-wrap: anywhere;
          background: var(--card); border: 1px solid var(--line); border-radius: 1.25rem;
          box-shadow: 0 1px 2px #0000000a, 0 16px 40px -16px #00000026 }
        svg { width: 3.5rem; height: 3.5rem; fill: none; stroke: currentColor; stroke-width: 3.5;
          stroke-linecap: round; stroke-linejoin: round }
        circle { fill: currentColor; fill-opacity: .12; stroke: none }
        .success svg { color: var(--success) }
        .failure svg { color: var(--failure) }
        .neutral svg { color: var(--neutral) }
        h1 { margin: 1.1rem 0 .5rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em }
        p { margin: 0; color: var(--quiet); text-wrap: balance }
        button { margin-top: 1.5rem; padding: .6rem 1.4rem; border: 0; border-radius: .6rem; font: inherit;
          background: var(--neutral); color: var(--card); cursor: pointer }
        .detail { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9rem }
        @media (max-width: 24rem) { main { padding: 2rem 1.25rem } }
        """
}

extension LoopbackPages.Content.Mark {
    fileprivate var name: String {
        switch self {
        case .success: "success"
        case .failure: "failure"
        case .neutral: "neutral"
        }
    }

    /// A tick, a cross, or the letter i.
    fileprivate var path: String {
        switch self {
        case .success: "M15 24.5l6.2 6.2L33.5 18"
        case .failure: "M17.5 17.5l13 13m0-13l-13 13"
        case .neutral: "M24 22.5v10M24 15.6v.1"
        }
    }
}

extension String {
    /// At most 300 printable characters, safe in HTML text and in quoted attributes.
    var htmlEscaped: String { printable().markupEscaped }

    /// The whole text, safe in HTML text and in quoted attributes.
    package var markupEscaped: String {
        // Scalars: a quotation mark with a combining accent is one character, and ends an attribute all the same.
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
