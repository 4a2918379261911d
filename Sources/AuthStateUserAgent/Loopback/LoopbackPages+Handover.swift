import AuthStateOAuth

extension LoopbackPages.Content {
    /// Returns the form that posts an answer from this page to its own address, and the script that sends it.
    func handoverForm(nonce: String) -> String {
        switch handover {
        case nil: ""
        case .fragment: fragmentForm(nonce: nonce)
        case .form(let form):
            """
            <form method="post">
            <input type="hidden" name="\(LoopbackHandover.formField)" value="\(form.markupEscaped)">
            <button type="submit">Continue</button>
            </form>
            <script nonce="\(nonce)">
            document.forms[0].submit();
            </script>
            """
        }
    }

    /// Returns the form for a fragment, which first leaves the address: no history and no other page gets it.
    private func fragmentForm(nonce: String) -> String {
        guard let withoutFragment else { return "" }
        let (title, text) = (withoutFragment.title.htmlEscaped, withoutFragment.text.htmlEscaped)
        return """
            <noscript><p class="detail">This browser runs no scripts here, so the answer stays in the address.
            Allow scripts for this page and load it again.</p></noscript>
            <form method="post" data-title="\(title)" data-text="\(text)" hidden>
            <input type="hidden" name="\(LoopbackHandover.fragmentField)">
            </form>
            <script nonce="\(nonce)">
            \(Self.script)
            </script>
            """
    }

    private static let script = """
        const fragment = location.hash.slice(1);
        history.replaceState(null, "", location.href.split("#")[0]);
        const form = document.forms[0];
        if (fragment) {
          form.elements[0].value = fragment;
          form.submit();
        } else {
          document.title = document.querySelector("h1").textContent = form.dataset.title;
          document.querySelector("p").textContent = form.dataset.text;
        }
        """
}

extension LoopbackPages {
    /// The targets of the page's form: this server, and on from here the pages that a trip ends with.
    var handoverTargets: String {
        let pages = [success, failure].compactMap { page in
            if case .redirect(let url) = page { BrowserURL(url)?.text } else { nil }
        }
        let origins = pages.map { page in
            let parts = URIReference(page)
            return "\(parts.scheme ?? "https")://\(parts.host ?? "")" + (parts.port.map { ":\($0)" } ?? "")
        }
        return (["'self'"] + origins).joined(separator: " ")
    }
}
