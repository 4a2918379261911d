import AuthStateFoundation
import Testing

@testable import AuthStateKit

struct DPoPArchiveTests {
    /// The key is that of RFC 7515, appendix A.3.
    private static let golden = #"""
        {"format":3,"state":{"clientID":"client","configuration":{"tokenEndpoint":"https://op.example/token","tolera\#
        nces":[]},"credential":{"source":"none"},"dpopKey":{"algorithm":"ES256","key":{"crv":"P-256","d":"jpsQnnGQmL\#
        -YBIffH1136cspYG6-0iY7X1fCE9-E9LI","kty":"EC","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu\#
        9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},"source":"state","thumbprint":"oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19\#
        ECD-U"},"grantEpoch":1,"grantID":"grant","refreshToken":"SECRET-refresh","revision":1}}
        """#

    @Test func `an archive is read, and written the same`() throws {
        let archive = try AuthStateArchive(data: Data(Self.golden.utf8))
        let key = try #require(archive.record.dpopKey)
        #expect(key.source == .state && key.algorithm == .es256)
        #expect(key.thumbprint == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
        _ = try key.signer(stage: .refresh)
        #expect(archive.record.renewalRequest(.none)?.dpopKey == key)
        #expect(String(decoding: try archive.data(), as: UTF8.self) == Self.golden)
    }

    @Test func `an archive from before DPoP keys has none, and no line of it changes`() throws {
        var record = try Fixture().record
        record.refreshToken = "SECRET"
        let old = try AuthStateArchive(record).data()
        #expect(!String(decoding: old, as: UTF8.self).contains("dpop"))
        #expect(try AuthStateArchive(data: old).record.dpopKey == nil)
    }

    @Test func `a key that is damaged or missing makes the archive corrupt, without showing anything of it`() {
        for broken in [#""kty":"EX""#, #""k":"EC""#] {
            let text = Self.golden.replacing(#""kty":"EC""#, with: broken)
            let error = #expect(throws: AuthStateError.self) { try AuthStateArchive(data: Data(text.utf8)) }
            #expect(error?.code == .storeCorrupt && error.map { !"\($0)".contains("jpsQ") } == true)
        }
    }

    @Test func `readers of another process's save keep the key that they have imported`() throws {
        var record = try Fixture().record
        record.dpopKey = try .generate()
        let imported = try #require(try record.dpopKey?.signer(stage: .refresh))
        let read = try AuthStateArchive(data: AuthStateArchive(record).data()).record.sharing(record)
        #expect(read.dpopKey == record.dpopKey)
        let again = try #require(read.dpopKey).signer { _ in throw CancellationError() }
        #expect(again.key.privateKey == imported.key.privateKey)
    }
}
