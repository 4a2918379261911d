// Core Foundation's types that are bridged for free: `x as CFData` is wanted here as it is there.
import Foundation

public typealias CFTypeRef = AnyObject
public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFDictionary = NSDictionary
public typealias CFNumber = NSNumber
public typealias CFString = NSString
public typealias CFIndex = Int

public final class CFBoolean {
    fileprivate init() {}
}

// Immutable.
nonisolated(unsafe) public let kCFBooleanTrue: CFBoolean! = CFBoolean()
nonisolated(unsafe) public let kCFBooleanFalse: CFBoolean! = CFBoolean()

public final class CFError: Error {
    public let domain: String
    public let code: Int
    public init(domain: String, code: Int) { (self.domain, self.code) = (domain, code) }
}

public func CFErrorGetCode(_ error: CFError!) -> CFIndex { error.code }

public final class CFAllocator {
    init() {}
}
