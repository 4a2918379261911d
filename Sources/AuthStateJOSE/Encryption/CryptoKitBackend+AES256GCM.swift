#if canImport(CryptoKit) && canImport(Security)
    import CryptoKit
    import Foundation

    extension CryptoKitBackend {
        func seal(
            _ message: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
        ) throws(JOSEError) -> [UInt8] {
            try AES256GCM.check(key: key, nonce: nonce)
            do {
                let box = try AES.GCM.seal(
                    message, using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce), authenticating: data)
                return Array(box.ciphertext) + Array(box.tag)
            } catch {
                throw JOSEError(.backendUnavailable, "CryptoKit failed: cipher")
            }
        }

        func open(
            _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
        ) throws(JOSEError) -> [UInt8] {
            try AES256GCM.check(key: key, nonce: nonce)
            do {
                let box = try AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: nonce), ciphertext: sealed.dropLast(AES256GCM.tagLength),
                    tag: sealed.suffix(AES256GCM.tagLength))
                return Array(try AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: data))
            } catch {
                throw AES256GCM.refusal
            }
        }
    }
#endif
