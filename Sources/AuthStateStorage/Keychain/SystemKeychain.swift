#if canImport(Security)
    import Foundation
    import Security

    /// The keychain of the system: on the Mac the one with data protection, as everywhere else.
    struct SystemKeychain: KeychainItems {
        func add(_ item: KeychainAttributes) -> KeychainStatus {
            KeychainStatus(rawValue: SecItemAdd(query(item), nil))
        }

        func update(_ query: KeychainAttributes, to changes: KeychainAttributes) -> KeychainStatus {
            KeychainStatus(rawValue: SecItemUpdate(self.query(query), attributes(changes)))
        }

        func copyMatching(_ query: KeychainAttributes) -> (status: KeychainStatus, item: KeychainAttributes?) {
            let query = self.query(query)
            query[kSecMatchLimit] = kSecMatchLimitOne
            query[kSecReturnAttributes] = true
            query[kSecReturnData] = true
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query, &result)
            let item = (result as? NSDictionary).map { found in
                KeychainAttributes(
                    generic: found[kSecAttrGeneric] as? Data, comment: found[kSecAttrComment] as? String,
                    data: found[kSecValueData] as? Data)
            }
            return (KeychainStatus(rawValue: status), item)
        }

        func delete(_ query: KeychainAttributes) -> KeychainStatus {
            KeychainStatus(rawValue: SecItemDelete(self.query(query)))
        }

        /// Returns a query for items of this device alone, in the keychain with data protection.
        private func query(_ item: KeychainAttributes) -> NSMutableDictionary {
            let query = attributes(item)
            query[kSecClass] = kSecClassGenericPassword
            query[kSecAttrSynchronizable] = false
            query[kSecUseDataProtectionKeychain] = true
            return query
        }

        private func attributes(_ item: KeychainAttributes) -> NSMutableDictionary {
            let attributes = NSMutableDictionary()
            if let service = item.service { attributes[kSecAttrService] = service }
            if let account = item.account { attributes[kSecAttrAccount] = account }
            if let accessGroup = item.accessGroup { attributes[kSecAttrAccessGroup] = accessGroup }
            if let generic = item.generic { attributes[kSecAttrGeneric] = generic }
            if let comment = item.comment { attributes[kSecAttrComment] = comment }
            if let accessible = item.accessible { attributes[kSecAttrAccessible] = accessible.constant }
            if let data = item.data { attributes[kSecValueData] = data }
            return attributes
        }
    }

    extension KeychainAuthStateStore.Accessibility {
        /// Security's name for it.
        fileprivate var constant: CFString {
            switch level {
            case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock
            case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case .whenUnlocked: kSecAttrAccessibleWhenUnlocked
            case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
            }
        }
    }
#endif
