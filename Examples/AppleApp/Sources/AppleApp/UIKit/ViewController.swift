import AuthStateApp

#if os(iOS)
    import AuthStateKit
    import Foundation
    import UIKit

    /// One provider in UIKit: restores, signs in at once when there is no login, reads userinfo on demand, and shows
    /// its log.
    final class ViewController: UIViewController {
        private let core: AuthSessionCore
        private let entries: AsyncStream<LoginTrace.Entry>
        private let parts: LoginParts
        private let log = UITextView()
        private var hasBegun = false

        init(_ provider: Provider, _ parts: LoginParts) {
            (core, entries) = parts.session(provider)
            self.parts = parts
            super.init(nibName: nil, bundle: nil)
            title = provider.title
        }

        @available(*, unavailable)
        required init?(coder: NSCoder) { nil }

        override func viewDidLoad() {
            super.viewDidLoad()
            log.isEditable = false
            log.frame = view.bounds
            log.autoresizingMask = [.flexibleWidth, .flexibleHeight]
            view.addSubview(log)
            Task { [weak self, entries] in
                for await entry in entries { self?.write("\(entry)") }
            }
            Task { [parts, core] in
                // Logins that began before the app was ended.
                for await redirect in parts.router.restored { _ = try? await core.complete(redirect) }
            }
            core.onChange = { [weak self] in self?.show($0) }
            show(core.state)
        }

        override func viewDidAppear(_ animated: Bool) {
            super.viewDidAppear(animated)
            // Not earlier: before this, no scene is in the foreground, and a login needs one for its window.
            guard !hasBegun else { return }
            hasBegun = true
            Task {
                await parts.prepare()
                await core.restore()
                if !core.state.isAuthenticated { try await core.signIn() }
            }
        }

        private func show(_ state: AuthSessionState) {
            let isAuthenticated = state.isAuthenticated
            // A user may leave the browser without an answer.
            navigationItem.leftBarButtonItem =
                state.activity == .signingIn
                ? button("Cancel", isEnabled: true) { [core] in core.cancelSignIn() }
                : button(isAuthenticated ? "Sign out" : "Sign in", isEnabled: !state.isLoading) { [core] in
                    if isAuthenticated { await core.signOut() } else { try await core.signIn() }
                }
            navigationItem.rightBarButtonItem =
                !isAuthenticated
                ? nil
                : button("User info", isEnabled: !state.isLoading) { [core, weak self] in
                    try await core.reloadUser()
                    for fact in Fact.list(core.state.user?.userInfo?.claims ?? [:]) {
                        self?.write("\(fact.name): \(fact.value)")
                    }
                }
            if let message = state.errorMessage { alert(message) }
        }

        private func button(
            _ title: String, isEnabled: Bool, _ action: @escaping @MainActor () async throws -> Void
        ) -> UIBarButtonItem {
            // The action's title is the button's.
            let button = UIBarButtonItem(primaryAction: UIAction(title: title) { _ in Task { try await action() } })
            button.isEnabled = isEnabled
            return button
        }

        private func alert(_ message: String) {
            guard presentedViewController == nil else { return }
            let alert = UIAlertController(title: nil, message: message, preferredStyle: .alert)
            alert.addAction(UIAlertAction(title: "OK", style: .default) { [core] _ in core.dismissError() })
            present(alert, animated: true)
        }

        private func write(_ line: String) { log.text += line + "\n" }
    }
#endif
