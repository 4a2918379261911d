#if os(Linux)
    import AuthStateOAuth
    import CAuthStateSecret

    /// libsecret, the client library of the freedesktop.org Secret Service, opened once for the process.
    enum SecretServiceLibrary {
        private static let opened: Result<Void, AuthStateError> = {
            guard let missing = AuthStateSecretLoad() else { return .success(()) }
            let name = String(cString: missing)
            return .failure(
                AuthStateError(
                    .libraryUnavailable, stage: .store,
                    name.hasPrefix("lib") ? "\(name) was not found." : "libsecret is too old, it lacks \(name).",
                    hint: "Install libsecret (Debian and Ubuntu: libsecret-1-0; Fedora: libsecret)."))
        }()

        /// Opens the library unless that was done before; throws `AuthStateError` with `.libraryUnavailable`.
        static func open() throws { try opened.get() }
    }

    /// An error of GLib: of D-Bus, libsecret or the Secret Service itself.
    struct GLibError: Error {
        let isCancellation: Bool
        /// Whether no program owns the name of the service, and none can be started for it.
        let isServiceMissing: Bool
        let message: String

        /// Makes a call, and throws its error.
        static func check<R>(
            _ call: (UnsafeMutablePointer<UnsafeMutablePointer<AuthStateGError>?>) -> R
        ) throws(GLibError) -> R {
            var error: UnsafeMutablePointer<AuthStateGError>?
            let result = call(&error)
            guard let error else { return result }
            defer { AuthState_g_error_free(error) }
            throw GLibError(error.pointee)
        }

        private init(_ error: AuthStateGError) {
            let code = Int(error.code)
            isCancellation =
                error.domain == AuthState_g_io_error_quark() && code == AuthStateSecret_G_IO_ERROR_CANCELLED
            isServiceMissing =
                error.domain == AuthState_g_dbus_error_quark()
                && (code == AuthStateSecret_G_DBUS_ERROR_SERVICE_UNKNOWN
                    || code == AuthStateSecret_G_DBUS_ERROR_NAME_HAS_NO_OWNER)
            message = error.message.map { String(cString: $0) } ?? "error \(code)"
        }
    }

    /// Ends calls of GLib that wait, from another thread.
    // Unchecked is right here: the pointer never changes, and GLib lets any thread cancel and release the object.
    final class GLibCancellation: @unchecked Sendable {
        let pointer: OpaquePointer

        /// Makes the object; the library has to be open.
        init() { pointer = AuthState_g_cancellable_new() }

        deinit { AuthState_g_object_unref(UnsafeMutableRawPointer(pointer)) }

        func cancel() { AuthState_g_cancellable_cancel(pointer) }
    }
#endif
