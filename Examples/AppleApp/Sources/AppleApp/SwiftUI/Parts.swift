import AuthStateApp

#if canImport(SwiftUI)
    import AuthStateKit
    import Foundation
    import SwiftUI

    /// Picture, name and address.
    struct Profile: View {
        let user: AuthUser

        var body: some View {
            HStack {
                AsyncImage(url: user.picture) {
                    $0.resizable()
                } placeholder: {
                    Image(systemName: "person.crop.circle").resizable()
                }
                .frame(width: 48, height: 48)
                .clipShape(Circle())
                VStack(alignment: .leading) {
                    // Verbatim, because a provider's text is not Markdown.
                    Text(verbatim: user.name ?? user.preferredUsername ?? user.subject ?? "Unknown user")
                        .font(.headline)
                    if let email = user.email { Text(verbatim: email).foregroundStyle(.secondary) }
                }
            }
        }
    }

    /// Names and values under a title; nothing when there are none.
    struct FactSection: View {
        private let title: LocalizedStringKey
        private let facts: [Fact]

        init(_ title: LocalizedStringKey, _ facts: [Fact]) { (self.title, self.facts) = (title, facts) }

        var body: some View {
            if !facts.isEmpty {
                Section(title) {
                    ForEach(facts) { fact in
                        LabeledContent {
                            Text(verbatim: fact.value).textSelection(.enabled)
                        } label: {
                            Text(verbatim: fact.name)
                        }
                    }
                }
            }
        }
    }

    /// The library's steps in order, without any token.
    struct LogSection: View {
        let entries: [LoginTrace.Entry]

        var body: some View {
            Section("Log") {
                ForEach(entries.indices, id: \.self) { Text(verbatim: entries[$0].description).font(.caption) }
            }
        }
    }

    extension View {
        /// Disables the view while a session is busy; a sign-in can be cancelled, as a user may leave the browser without an
        /// answer.
        func busy(_ state: AuthSessionState, cancel: @escaping @MainActor () -> Void) -> some View {
            disabled(state.isLoading)
                .overlay {
                    if state.isLoading {
                        VStack {
                            ProgressView()
                            if state.activity == .signingIn { Button("Cancel", action: cancel) }
                        }
                    }
                }
        }

        /// Shows a message until it is dismissed.
        func errorAlert(_ message: Binding<String?>) -> some View {
            let isPresented = Binding(
                get: { message.wrappedValue != nil }, set: { if !$0 { message.wrappedValue = nil } })
            return alert("That did not work", isPresented: isPresented, presenting: message.wrappedValue) { _ in
                Button("OK") {}
            } message: {
                Text(verbatim: $0)
            }
        }
    }
#endif
