// The common part of Apple's Foundation and the one of Linux. Parts of Linux's that are not named here cannot be used.
@_exported import CoreFoundation
@_exported import Darwin
@_exported import Dispatch
@_exported import FoundationEssentials

@_exported import class Foundation.Bundle
@_exported import struct Foundation.CGRect
@_exported import protocol Foundation.CustomNSError
@_exported import class Foundation.NSArray
@_exported import class Foundation.NSCoder
@_exported import class Foundation.NSData
@_exported import class Foundation.NSDictionary
@_exported import class Foundation.NSError
@_exported import let Foundation.NSLocalizedFailureReasonErrorKey
@_exported import class Foundation.NSMutableDictionary
@_exported import class Foundation.NSNumber
@_exported import class Foundation.NSObject
@_exported import protocol Foundation.NSObjectProtocol
@_exported import class Foundation.NSString
@_exported import class Foundation.OperationQueue
@_exported import class Foundation.Thread
