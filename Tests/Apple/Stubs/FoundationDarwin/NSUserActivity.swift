@_exported import struct Foundation.CGFloat
@_exported import class Foundation.UserDefaults

/// The type of the activity that a universal link begins.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

open class NSUserActivity: NSObject {
    open var activityType: String
    open var webpageURL: URL?

    public init(activityType: String) { self.activityType = activityType }
}
