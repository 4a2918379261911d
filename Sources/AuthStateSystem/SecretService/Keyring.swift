#if os(Linux)
    import AuthStateLibc
    import AuthStateOAuth
    import CAuthStateSecret

    /// The Secret Service's secrets for one application; its functions block, also while the user unlocks a keyring.
    struct Keyring: ~Copyable {
        private let service: OpaquePointer
        private let application: String
        private let cancellation: GLibCancellation
        /// Whether the user may be asked to unlock a keyring.
        private let mayPrompt: Bool

        /// Connects to the service, which is started when it does not run.
        init(application: String, mayPrompt: Bool, _ cancellation: GLibCancellation) throws(GLibError) {
            service = try GLibError.check {
                AuthState_secret_service_open_sync(
                    AuthState_secret_service_get_type(), nil, UInt32(AuthStateSecret_SECRET_SERVICE_OPEN_SESSION),
                    cancellation.pointer, $0)
            }!
            self.application = application
            self.mayPrompt = mayPrompt
            self.cancellation = cancellation
        }

        deinit { AuthState_g_object_unref(UnsafeMutableRawPointer(service)) }

        /// Returns the secrets, in any order; unlocks their keyrings when that is allowed.
        ///
        /// libsecret's simple functions report a secret in a keyring that stays locked as none. Throws `GLibError`;
        /// `AuthStateError` when a secret stays locked.
        func secrets() throws -> [KeptSecret] {
            var found = try search(unlocking: false)
            if found.contains(where: { $0 == nil }), mayPrompt { found = try search(unlocking: true) }
            let secrets = found.compactMap(\.self)
            guard secrets.count == found.count else { throw AuthStateError.keyringLocked(wasAsked: mayPrompt) }
            return secrets
        }

        /// Opens the keyring that new secrets go into, unless it is open. Some services find nothing in a locked one, so
        /// the lack of a secret is certain only after this. Throws as `secrets()`; `AuthStateError` when there is no
        /// such keyring.
        func openDefaultCollection() throws { try withDefaultCollection { _ in } }

        /// Adds a secret, and replaces none; throws as `openDefaultCollection()`.
        func add(_ secret: String, label: String) throws {
            try withDefaultCollection { collection in
                let value = AuthState_secret_value_new(secret, secret.utf8.count, "text/plain")
                defer { AuthState_secret_value_unref(UnsafeMutableRawPointer(value)) }
                let item = try withAttributes { attributes in
                    try GLibError.check {
                        AuthState_secret_item_create_sync(
                            collection, AuthStateSecretSealingKeySchema(), attributes, label, value,
                            UInt32(AuthStateSecret_SECRET_ITEM_CREATE_NONE), cancellation.pointer, $0)
                    }
                }
                if let item { AuthState_g_object_unref(UnsafeMutableRawPointer(item)) }
            }
        }

        private func withDefaultCollection<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
            let collection = try GLibError.check {
                AuthState_secret_collection_for_alias_sync(
                    service, "default", UInt32(AuthStateSecret_SECRET_COLLECTION_NONE), cancellation.pointer, $0)
            }
            guard let collection else { throw AuthStateError.noKeyring }
            defer { AuthState_g_object_unref(UnsafeMutableRawPointer(collection)) }
            if AuthState_secret_collection_get_locked(collection) != 0 {
                guard mayPrompt, try unlock(collection) else { throw AuthStateError.keyringLocked(wasAsked: mayPrompt) }
            }
            return try body(collection)
        }

        private func unlock(_ collection: OpaquePointer) throws(GLibError) -> Bool {
            let list = AuthState_g_list_append(nil, UnsafeMutableRawPointer(collection))
            defer { AuthState_g_list_free(list) }
            let count = try GLibError.check {
                AuthState_secret_service_unlock_sync(service, list, cancellation.pointer, nil, $0)
            }
            return count > 0
        }

        /// Searches; nil stands for a secret in a locked keyring.
        private func search(unlocking: Bool) throws(GLibError) -> [KeptSecret?] {
            let flags =
                AuthStateSecret_SECRET_SEARCH_ALL | AuthStateSecret_SECRET_SEARCH_LOAD_SECRETS
                | (unlocking ? AuthStateSecret_SECRET_SEARCH_UNLOCK : 0)
            let list = try withAttributes { attributes throws(GLibError) in
                try GLibError.check {
                    AuthState_secret_service_search_sync(
                        service, AuthStateSecretSealingKeySchema(), attributes, UInt32(flags), cancellation.pointer, $0)
                }
            }
            defer { AuthState_g_list_free(list) }
            var found: [KeptSecret?] = []
            var next = list
            while let node = next {
                found.append(KeptSecret(item: OpaquePointer(node.pointee.data)))
                AuthState_g_object_unref(node.pointee.data)
                next = node.pointee.next
            }
            return found
        }

        private func withAttributes<R, E>(_ body: (OpaquePointer) throws(E) -> R) throws(E) -> R {
            let text = strdup(application)
            defer { free(text) }
            let attributes = AuthStateSecretSealingKeyAttributes(text)!
            defer { AuthState_g_hash_table_unref(attributes) }
            return try body(attributes)
        }
    }

    /// A secret, and the time at which the keyring got it.
    package struct KeptSecret: Sendable {
        package let bytes: [UInt8]
        /// In seconds since 1970, by the keyring's clock.
        package let created: UInt64

        /// Reads an item; nil when its secret was not loaded.
        fileprivate init?(item: OpaquePointer?) {
            guard let item, let value = AuthState_secret_item_get_secret(item) else { return nil }
            defer { AuthState_secret_value_unref(UnsafeMutableRawPointer(value)) }
            var length = 0
            guard let start = AuthState_secret_value_get(value, &length) else { return nil }
            bytes = Array(UnsafeRawBufferPointer(start: start, count: length))
            created = AuthState_secret_item_get_created(item)
        }
    }
#endif
