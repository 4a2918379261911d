import AuthStateFoundation
import AuthStateJOSE
import AuthStateOAuth
import Testing

struct DPoPProofTests {
    /// The key of RFC 9449's examples, whose private part is unknown.
    private static let header =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo"
        + "RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19"
    /// Section 4.1, figure 2: for the token endpoint.
    private static let tokenProof =
        header
        + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva"
        + "2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xR"
        + "ZT3Lg"
    /// Section 7.1, figure 13: for a resource, with an access token.
    private static let resourceProof =
        header
        + ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wc"
        + "m90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFF"
        + "byJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
    private static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

    @Test("the proofs in RFC 9449 are ours: type, key, signature, and every claim", arguments: [false, true])
    func examples(isResource: Bool) throws {
        let token = try JSONWebToken(parsing: isResource ? Self.resourceProof : Self.tokenProof)
        let key = try JSONWebKey(json: #require(token.header.json["jwk"]))
        try token.verify(with: VerificationKey(key), allowed: [.es256])
        #expect(token.header.type == DPoPProof.type)
        #expect(try key.thumbprintText() == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        // The same claims from our own value; what is random is set.
        var proof =
            isResource
            ? try DPoPProof(
                method: "GET", url: url("https://resource.example.org/protectedresource"),
                issuedAt: Date(timeIntervalSince1970: 1_562_262_618), accessToken: Self.accessToken)
            : try DPoPProof(
                method: .post, url: url("https://server.example.com/token"),
                issuedAt: Date(timeIntervalSince1970: 1_562_262_616.9))
        proof.identifier = isResource ? "e1j3V_bKic8-LAEB" : "-BwC3ESc6acc2lTc"
        let ours = try JSONWebToken(parsing: proof.signed(with: .generate(.es256)))
        #expect(ours.claims == token.claims)
        #expect(ours.header.json.objectValue?.keys.sorted() == token.header.json.objectValue?.keys.sorted())
    }

    @Test(
        "a proof shows the public key and nothing of the private one",
        arguments: [SignatureAlgorithm.es256, .es384, .edDSA, .rs256])
    func publicKey(_ algorithm: SignatureAlgorithm) throws {
        let key = try DPoPKey.generate(algorithm)
        let signer = try key.signer { _ in throw CancellationError() }
        let proof = try DPoPProof(method: .get, url: url("https://api.example/a"), issuedAt: Date(), nonce: "n-1")
        let token = try JSONWebToken(parsing: proof.signed(with: signer))
        let shown = try #require(token.header.json["jwk"]?.objectValue)
        let names: Set = ["kty", "crv", "x", "y", "n", "e"]
        #expect(Set(shown.keys).isSubset(of: names))
        let read = try JSONWebKey(json: .object(shown))
        try token.verify(with: VerificationKey(read), allowed: [algorithm])
        #expect(try read.thumbprintText() == key.thumbprint)
        #expect(token.claims["nonce"] == "n-1" && token.claims["ath"] == nil)
        #expect(token.header.keyID == nil)
    }

    @Test(
        "htu has neither query nor fragment nor a user, and is else what a server puts together from what it was sent",
        arguments: [
            ("https://api.example/a/b?x=1#y", "https://api.example/a/b"),
            ("https://api.example", "https://api.example/"),
            ("https://api.example?x", "https://api.example/"),
            ("https://u:p@api.example:8443/", "https://api.example:8443/"),
            ("http://[::1]:80/a%2Fb", "http://[::1]/a%2Fb"),
            ("HTTPS://API.Example:443/A", "https://api.example/A"),
            ("https://api.example:80/a/../b", "https://api.example:80/a/../b"),
        ])
    func target(_ text: String, _ expected: String) throws {
        #expect(try DPoPProof(method: .get, url: url(text), issuedAt: Date()).target == expected)
    }

    @Test("no two proofs are the same")
    func unique() throws {
        let proofs = try (0..<100).map { _ in
            try DPoPProof(method: .get, url: url("https://a.example/"), issuedAt: Date())
        }
        #expect(Set(proofs.map(\.identifier)).count == 100)
    }

    @Test(
        "a nonce is one line of plain characters",
        arguments: [
            (["eyJ7S_zG.eyJH0-Z.HX4w-7v"], "eyJ7S_zG.eyJH0-Z.HX4w-7v"), ([], nil), ([""], nil), (["a", "b"], nil),
            (["a b"], nil), (["a\"b"], nil), (["a\\b"], nil), (["ä"], nil),
            ([String(repeating: "a", count: 4097)], nil),
        ] as [([String], String?)])
    func nonces(_ lines: [String], _ expected: String?) {
        var headers: TransportHeaders = [:]
        headers[values: "dpop-nonce"] = lines
        #expect(headers.dpopNonce == expected)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }
}
