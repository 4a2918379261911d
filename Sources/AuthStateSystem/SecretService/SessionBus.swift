#if os(Linux)
    import AuthStateFoundation
    import AuthStateLibc
    import CAuthStateSecret

    /// A connection of its own to the D-Bus session of the user; its functions block.
    struct SessionBus: ~Copyable {
        private let connection: OpaquePointer
        private let cancellation: GLibCancellation

        /// Whether the environment names a session. Without one GLib would try to start one.
        static var isNamed: Bool {
            let environment = ProcessInfo.processInfo.environment
            if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
            guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
            return (try? FileStatus(ofFileAt: "\(folder)/bus")) != nil
        }

        init(_ cancellation: GLibCancellation) throws(GLibError) {
            let session = Int32(AuthStateSecret_G_BUS_TYPE_SESSION)
            let address = try GLibError.check {
                AuthState_g_dbus_address_get_for_bus_sync(session, cancellation.pointer, $0)
            }
            defer { AuthState_g_free(address) }
            let flags =
                AuthStateSecret_G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                | AuthStateSecret_G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION
            connection = try GLibError.check {
                AuthState_g_dbus_connection_new_for_address_sync(address, UInt32(flags), nil, cancellation.pointer, $0)
            }!
            self.cancellation = cancellation
        }

        deinit {
            _ = AuthState_g_dbus_connection_close_sync(connection, nil, nil)
            AuthState_g_object_unref(UnsafeMutableRawPointer(connection))
        }

        /// Waits for an answer of the program that keeps secrets, which the session starts where it can.
        func pingSecretService() throws(GLibError) {
            let answer = try call(
                "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.DBus.Peer", "Ping", nil)
            AuthState_g_variant_unref(answer)
        }

        /// Tries to own a name, which one connection of the session can own at a time; returns whether it does. The
        /// name is free again when the connection is closed, however its process ends.
        func own(_ name: String) throws(GLibError) -> Bool {
            // Without a place in the queue.
            let doNotQueue: UInt32 = 4
            let members = [AuthState_g_variant_new_string(name), AuthState_g_variant_new_uint32(doNotQueue)]
            // The tuple takes over its members, and the call the tuple.
            let bus = "org.freedesktop.DBus"
            let answer = try call(
                bus, "/org/freedesktop/DBus", bus, "RequestName",
                AuthState_g_variant_new_tuple(members, members.count))
            defer { AuthState_g_variant_unref(answer) }
            let number = AuthState_g_variant_get_child_value(answer, 0)
            defer { AuthState_g_variant_unref(number) }
            // The new owner, or the present one.
            return [1, 4].contains(AuthState_g_variant_get_uint32(number))
        }

        private func call(
            _ owner: String, _ path: String, _ interface: String, _ method: String, _ arguments: OpaquePointer?
        ) throws(GLibError) -> OpaquePointer? {
            try GLibError.check {
                AuthState_g_dbus_connection_call_sync(
                    connection, owner, path, interface, method, arguments, nil,
                    UInt32(AuthStateSecret_G_DBUS_CALL_FLAGS_NONE), -1, cancellation.pointer, $0)
            }
        }
    }
#endif
