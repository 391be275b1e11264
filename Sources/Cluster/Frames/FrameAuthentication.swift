/// The codes by which the servers of one cluster recognize each other's frames.
package protocol FrameAuthentication: Sendable {
  /// Makes the ``FrameCodec/codeSize`` bytes that only servers with the same secret can make.
  func code(of bytes: [UInt8]) -> [UInt8]

  /// Compares in constant time.
  func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool
}
