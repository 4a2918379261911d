/// The fields of an X.509 certificate (RFC 5280, section 4.1) that explain why it is not trusted.
package struct Certificate {
    /// Whether the certificate names itself as its issuer, as development servers' own ones do.
    package let isSelfIssued: Bool

    /// Reads DER; nil for anything that is not a certificate.
    package init?(der: some Collection<UInt8>) {
        var document = DERReader(der)
        guard var certificate = document.enter(), var fields = certificate.enter() else { return nil }
        // The version is left out where it is 1.
        _ = fields.read(DER.Tag.version)
        guard fields.read(DER.Tag.integer) != nil, fields.read(DER.Tag.sequence) != nil,
            let issuer = fields.read(DER.Tag.sequence), fields.read(DER.Tag.sequence) != nil,
            let subject = fields.read(DER.Tag.sequence)
        else { return nil }
        isSelfIssued = issuer.elementsEqual(subject)
    }

    /// The certificates of a PEM text (RFC 7468, section 5.1), as DER, in order; those that are not base64 are left out.
    package static func all(inPEM text: String) -> [[UInt8]] { PEM.blocks("CERTIFICATE", in: text) }
}
