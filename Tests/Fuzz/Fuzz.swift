import AuthStateFoundation

/// The fuzz targets, by name; each function takes one input and stops the process when a property does not hold.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "archive": fuzzArchive,
    "challenge": fuzzChallenge,
    "device": fuzzDevice,
    "endpoint": fuzzEndpoint,
    "json": fuzzJSON,
    "jwt": fuzzToken,
    "keyset": fuzzKeySet,
    "logout": fuzzLogout,
    "loopback": fuzzLoopback,
    "metadata": fuzzMetadata,
    "redirect": fuzzRedirect,
    "resource": fuzzResource,
    "sealed": fuzzSealed,
    "token": fuzzTokenAnswer,
]

private let target: @Sendable ([UInt8]) -> Void = {
    let name = ProcessInfo.processInfo.environment["AUTHSTATE_FUZZ_TARGET"] ?? ""
    guard let target = targets[name] else {
        fatalError("AUTHSTATE_FUZZ_TARGET must be one of \(targets.keys.sorted().joined(separator: ", "))")
    }
    return target
}()

/// libFuzzer's entry; the library brings the program's main function.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// The leak checker does not follow the pointers of enums with several payloads, which Swift marks with the payload's
/// number: it takes what our global values hold, and they alone live to the end, for lost. Their names end with World.
@_cdecl("__lsan_default_suppressions")
public func suppressedLeaks() -> UnsafePointer<CChar> {
    UnsafeRawPointer(("leak:World" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
}
