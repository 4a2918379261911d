import CoreFoundation
import DarwinTypes

public final class SecCertificate {
    init() {}
}

public final class SecIdentity {
    init() {}
}

public final class SecTrust {
    init() {}
}

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { fatalError() }

@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    fatalError()
}

@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    fatalError()
}

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    fatalError()
}

public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { fatalError() }

public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }
