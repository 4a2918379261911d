extension Array<UInt8> {
    /// The same big-endian number in at least that many bytes.
    func padded(to length: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: Swift.max(0, length - count)) + self
    }
}
